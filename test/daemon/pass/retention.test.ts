// What a pass lets the store forget, where the clock of the machine is wrong.
import { expect, test } from 'vitest'
import { newPassState } from '../../../src/daemon/pass/pass-state.ts'
import { pass, untimed } from '../../../src/daemon/pass/pass.ts'
import { COARSE_STEP } from '../../../src/model/ledger/rollup.ts'
import type { Ports } from '../../../src/model/ports/ports.ts'
import { seconds } from '../../../src/model/units.ts'
import { addDatedResponse } from '../../../src/model/service/service-time.ts'
import { failed, ok } from '../../../src/std/result.ts'
import { openEmbeddedStore } from '../../../src/store/sqlite/embedded.ts'
import { seeded } from '../../simulation/seeded.ts'
import { computeOf, refOf, rollupAt } from '../../store/build.ts'
import { eachInItsFolder } from '../../store/folder.ts'
import { at, compute, project } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { passPlan } from '../../support/pass-plan.ts'
import { noRedactor } from '../../support/secrets.ts'
import { UNASKED } from '../../support/unasked.ts'
import { put } from '../../support/writes.ts'

const { folder, rows } = eachInItsFolder()
const DAY = 86_400

const UP: Ports['service'] = {
  ...UNASKED,
  listProjectsPage: () => Promise.resolve(ok({ items: [project()], problems: [], next: undefined })),
  listComputes: () => Promise.resolve(ok({ items: [compute()], problems: [] })),
  listOperations: () => Promise.resolve(ok({ items: [], problems: [] })),
}
const DOWN: Ports['service'] = {
  ...UNASKED,
  listProjectsPage: () => Promise.resolve(failed({ kind: 'unavailable', message: 'down' })),
}

/** Days of the rollups that are left after a pass on a machine whose clock is `wrong` days ahead, 100 days after the first. */
async function leftAfterPass(service: Ports['service'], wrong: number) {
  const clock = fakeClock()
  const store = openEmbeddedStore(folder(), clock)
  const rollups = [0, 10, 50].map((day) => rollupAt(refOf('ep-one'), day * DAY, COARSE_STEP))
  await put(store, { computes: [computeOf('ep-one')], rollups })
  const answer = { date: at(100 * DAY), sentOn: seconds(0), answeredOn: seconds(0) }
  clock.step((100 + wrong) * DAY)
  const ports: Ports = {
    redact: noRedactor.redact,
    clock,
    serviceTime: { estimate: () => (service === UP ? addDatedResponse(undefined, answer) : undefined) },
    random: seeded(1),
    service,
    readings: {
      refusalOf: () => undefined,
      prepare: () => Promise.resolve(undefined),
      evict: () => undefined,
      read: () => Promise.reject(new Error('nobody reads')),
    },
    store: store.account('main'),
    epoch: store.epoch,
    history: store,
    send: () => Promise.resolve([]),
  }
  const before = newPassState(await store.account('main').load())
  const state = await pass(
    { ...ports, timed: untimed },
    { before, plan: passPlan() },
    new AbortController().signal,
  )
  expect(state.persistence.failure).toBeUndefined()
  const stored = rows('select count(*) as count from event')
  await store.close()
  const left = rows(`select from_ms from rollup where length = ${COARSE_STEP} order by from_ms`)
  return { days: left.map((row) => (Number(row['from_ms']) - at(0)) / DAY / 1000), stored }
}

test('what is too old by the time of the service goes', async () => {
  expect((await leftAfterPass(UP, 0)).days).toEqual([10, 50])
})

test('a clock of the machine that is a year ahead deletes nothing more', async () => {
  expect((await leftAfterPass(UP, 365)).days).toEqual([10, 50])
})

test('while no answer of the service puts it right, it deletes nothing at all', async () => {
  const { days, stored } = await leftAfterPass(DOWN, 365)
  expect(stored).toEqual([{ count: 1 }])
  expect(days).toEqual([0, 10, 50])
})
