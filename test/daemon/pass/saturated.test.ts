// Steps that filled the maximum of a compute, as passes find them.
import { expect, test } from 'vitest'
import { pass, untimed } from '../../../src/daemon/pass/pass.ts'
import { newPassState, type PassState } from '../../../src/daemon/pass/pass-state.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import type { Ports } from '../../../src/model/ports/ports.ts'
import { cu, millis, ratio, seconds } from '../../../src/model/units.ts'
import { ok } from '../../../src/std/result.ts'
import { seeded } from '../../simulation/seeded.ts'
import { at, compute, project, reading } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { passPlan } from '../../support/pass-plan.ts'
import { noRedactor } from '../../support/secrets.ts'
import { UNASKED } from '../../support/unasked.ts'

const usual = passPlan()
const plan = {
  ...usual,
  overhead: ratio(0.2),
  sweep: {
    ...usual.sweep,
    readings: { ...usual.sweep.readings, mode: 'full', minInterval: seconds(60) } as const,
  },
}

/** Keys that passes of half an hour name, a minute apart, on a compute of 1 CU. @param load average number of active sessions */
async function saturatedUnder(load: number): Promise<readonly string[]> {
  const clock = fakeClock()
  const store = memoryStore()
  const record = () =>
    compute({
      state: 'active',
      sizing: { fixed: cu(1) },
      autosuspendDelay: 'never',
      startedAt: at(-60),
      lastActive: clock.now(),
    })
  const service: Ports['service'] = {
    ...UNASKED,
    listProjectsPage: () => Promise.resolve(ok({ items: [project()], problems: [], next: undefined })),
    listComputes: () => Promise.resolve(ok({ items: [record()], problems: [] })),
    listOperations: () => Promise.resolve(ok({ items: [], problems: [] })),
  }
  const read = () => {
    const now = clock.now()
    const usage = { sessions: 1, activeTime: millis(load * (now - at(-60))) }
    const result = reading({ postmasterStartedAt: at(-60), serverTime: now, usage })
    return Promise.resolve({ kind: 'read', reading: result } as const)
  }
  const ports: Ports = {
    redact: noRedactor.redact,
    clock,
    serviceTime: { estimate: () => undefined },
    random: seeded(1),
    service,
    readings: {
      refusalOf: () => undefined,
      prepare: () => Promise.resolve(undefined),
      evict: () => undefined,
      read,
    },
    store: store.account('main'),
    epoch: store.epoch,
    history: NO_HISTORY,
    send: () => Promise.resolve([]),
  }
  let state: PassState = newPassState(await store.account('main').load())
  const found: string[] = []
  for (let turn = 0; turn < 30; turn += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one pass after the other
    state = await pass({ ...ports, timed: untimed }, { before: state, plan }, new AbortController().signal)
    found.push(...state.persistence.saturated)
    // oxlint-disable-next-line no-await-in-loop -- one pass after the other
    await clock.advance(seconds(60))
  }
  return found
}

test.each([
  ['fills it', 1, true],
  ['leaves a tenth', 0.9, false],
])('a pass names a compute whose load %s: %s', async (_, load, isNamed) => {
  const { projectId, endpointId } = compute()
  const named = await saturatedUnder(load)
  expect(new Set(named)).toEqual(
    new Set(isNamed ? [computeKey({ account: 'main', projectId, endpointId })] : []),
  )
  // five steps have ended, and the first began before the first reading
  expect(named.length).toBe(isNamed ? 5 : 0)
})
