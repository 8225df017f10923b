// A project that is seen for the first time while its operations cannot be read.
import { expect, test } from 'vitest'
import type { Operation } from '../../src/model/service/operation.ts'
import type { Service } from '../../src/model/ports/service.ts'
import { failed, ok } from '../../src/std/result.ts'
import { seconds } from '../../src/model/units.ts'
import { NO_LIST, NO_PENDING_RETRIES, observe, type SweepStart } from '../../src/observe/sweep.ts'
import { accounted } from '../support/accounted.ts'
import { compute, ledger, operation, prices, project } from '../support/build.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { POLL } from '../support/poll.ts'
import { UNASKED } from '../support/unasked.ts'

/** Awake for ten minutes, an hour before it is looked for, and deleted since. */
const HISTORY: readonly Operation[] = [
  operation('start_compute', -3600),
  operation('suspend_compute', -3000),
].map((one) => ({ ...one, endpointId: 'ep-gone' }))

const never = (): never => {
  throw new Error('nobody reads')
}
const READINGS = {
  mode: 'off',
  activityLag: seconds(60),
  deadline: seconds(5),
  minInterval: seconds(300),
  maxConcurrent: 1,
} as const

/** Sweeps a minute apart; the operations cannot be read in those that `fails` tells. A daemon that begins anew knows its ledger alone. */
async function sweeps(
  endpoints: readonly string[],
  count: number,
  { fails, restarts }: { readonly fails: (sweep: number) => boolean; readonly restarts?: boolean },
) {
  const clock = fakeClock()
  let at = 0
  let asked = 0
  const service: Service = {
    ...UNASKED,
    listProjectsPage: () => Promise.resolve(ok({ items: [project()], problems: [], next: undefined })),
    listComputes: () =>
      Promise.resolve(
        ok({
          items: endpoints.map((endpointId) => compute({ endpointId, lastActive: undefined })),
          problems: [],
        }),
      ),
    listOperations: () => {
      asked += 1
      return Promise.resolve(
        fails(at)
          ? failed({ kind: 'unavailable', message: 'not now' })
          : ok({ items: HISTORY, problems: [] }),
      )
    },
  }
  const plan = { ...POLL, readings: READINGS }
  let start: SweepStart = { ledger: ledger(), list: NO_LIST, waiting: NO_PENDING_RETRIES, plan }
  for (at = 0; at < count; at += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one sweep after the other
    const seen = await observe(
      {
        clock,
        service,
        readings: {
          refusalOf: () => 'no-dsn',
          prepare: () => Promise.resolve(undefined),
          evict: () => undefined,
          read: never,
        },
        statistics: () => Promise.resolve(new Map()),
      },
      start,
      RUNNING,
    )
    const after = accounted(start.ledger, seen, { prices, overhead: 0, now: clock.now() }).ledger
    start = { ledger: after, list: seen.list, waiting: restarts ? NO_PENDING_RETRIES : seen.retries, plan }
    // oxlint-disable-next-line no-await-in-loop -- the same
    await clock.advance(seconds(60))
  }
  const { computes, deleted } = start.ledger
  const counts = [...[...computes.values()].map(({ totals }) => totals), ...deleted.values()]
  const wakes = counts.reduce((sum, one) => sum + one.wakes, 0)
  return { wakes, asked }
}

const RUNNING = new AbortController().signal

test.each([
  ['a project without computes', []],
  ['a project with one that sleeps', ['ep-one']],
])('what was deleted before is counted once the operations can be read: %s', async (_, endpoints) => {
  expect(await sweeps(endpoints, 4, { fails: () => false })).toMatchObject({ wakes: 1 })
  for (const restarts of [false, true]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const late = await sweeps(endpoints, 12, { fails: (sweep) => sweep < 3, restarts })
    expect(late.wakes).toBe(1)
  }
})

test('operations that never can be read are asked for ever more seldom', async () => {
  const { asked, wakes } = await sweeps([], 60, { fails: () => true })
  expect(wakes).toBe(0)
  expect(asked).toBeGreaterThan(5)
  expect(asked).toBeLessThan(20)
})
