import { expect, test } from 'vitest'
import { pass, untimed } from '../../../src/daemon/pass/pass.ts'
import { newPassState, type PassState } from '../../../src/daemon/pass/pass-state.ts'
import type { Ports } from '../../../src/model/ports/ports.ts'
import { failed, ok } from '../../../src/std/result.ts'
import { seconds } from '../../../src/model/units.ts'
import { MIN_REQUESTS } from '../../../src/observe/polling/poll-plan.ts'
import { seeded } from '../../simulation/seeded.ts'
import { memoryStore, newMemory } from '../../support/memory-store.ts'
import { withCommit } from '../../support/writes.ts'
import { at, compute, project } from '../../support/build.ts'
import { fakeClock, sleepUntilStopped } from '../../support/fake-clock.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { passPlan } from '../../support/pass-plan.ts'
import { UNASKED } from '../../support/unasked.ts'
import { noRedactor } from '../../support/secrets.ts'

const plan = passPlan()

test('a project that may have been active unseen is looked at in the next pass, also when what a pass saw could be stored in part only', async () => {
  const clock = fakeClock()
  const kept = memoryStore()
  let [turn, asked] = [0, 0]
  const service: Ports['service'] = {
    ...UNASKED,
    listProjectsPage: () => {
      const active = turn === 0 ? {} : { computeLastActiveAt: at(50) }
      const items = [project({ projectId: 'awake' }), project({ projectId: 'restless', ...active })]
      return Promise.resolve(ok({ items, problems: [], next: undefined }))
    },
    listComputes: (projectId) => {
      asked += projectId === 'restless' ? 1 : 0
      if (turn === 1 && projectId === 'restless')
        return Promise.resolve(failed({ kind: 'unavailable', message: 'down' }))
      const state = projectId === 'awake' ? 'active' : 'idle'
      return Promise.resolve(
        ok({ items: [compute({ projectId, endpointId: `ep-${projectId}`, state })], problems: [] }),
      )
    },
    listOperations: () => Promise.resolve(ok({ items: [], problems: [] })),
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
      read: () => Promise.reject(new Error('nobody reads')),
    },
    // What was refused comes last, when the records of the projects are stored.
    store: withCommit(kept, (rows, commit) =>
      turn === 1 && rows.readings ? Promise.reject(new Error('the disk is full')) : commit(),
    ).account('main'),
    epoch: kept.epoch,
    history: NO_HISTORY,
    send: () => Promise.resolve([]),
  }
  let state: PassState = newPassState(await kept.account('main').load())
  for (turn = 0; turn < 3; turn += 1) {
    asked = 0
    // oxlint-disable-next-line no-await-in-loop -- one pass after the other is the point
    state = await pass({ ...ports, timed: untimed }, { before: state, plan }, new AbortController().signal)
    expect(asked).toBe(1)
    expect(state.persistence.failure === undefined).toBe(turn !== 1)
    expect(state.persistence.storedAt).toBe(at(turn === 2 ? 120 : 0))
    // oxlint-disable-next-line no-await-in-loop -- one pass after the other is the point
    await clock.advance(seconds(60))
  }
})

test('where the service answers slowly a pass asks for less, so that the next one is in time', async () => {
  let elapsed = 0
  const kept = memoryStore()
  const items = Array.from({ length: 300 }, (_, index) => project({ projectId: `project-${index}` }))
  // One after the other, as a request budget makes them.
  const slowly = <Answer>(answer: Answer): Promise<Answer> => {
    elapsed += 0.6
    return Promise.resolve(answer)
  }
  const service: Ports['service'] = {
    ...UNASKED,
    listProjectsPage: () => slowly(ok({ items, problems: [], next: undefined })),
    listComputes: (projectId) =>
      slowly(
        ok({ items: [compute({ projectId, endpointId: `ep-${projectId}`, state: 'init' })], problems: [] }),
      ),
    listOperations: () => slowly(ok({ items: [], problems: [] })),
  }
  const ports: Ports = {
    redact: noRedactor.redact,
    serviceTime: { estimate: () => undefined },
    clock: {
      now: () => at(elapsed),
      monotonic: () => seconds(elapsed),
      sleep: sleepUntilStopped,
      yield: () => Promise.resolve(),
    },
    random: seeded(1),
    service,
    readings: {
      refusalOf: () => undefined,
      prepare: () => Promise.resolve(undefined),
      evict: () => undefined,
      read: () => Promise.reject(new Error('nobody reads')),
    },
    store: kept.account('main'),
    epoch: kept.epoch,
    history: NO_HISTORY,
    send: () => Promise.resolve([]),
  }
  let state: PassState = newPassState(await kept.account('main').load())
  const took: number[] = []
  for (let turn = 0; turn < 4; turn += 1) {
    const begun = elapsed
    // oxlint-disable-next-line no-await-in-loop -- one pass after the other is the point
    state = await pass({ ...ports, timed: untimed }, { before: state, plan }, new AbortController().signal)
    took.push(elapsed - begun)
  }
  expect(took[0]).toBeGreaterThan(60)
  for (const span of took.slice(1)) expect(span).toBeLessThanOrEqual(60)
  expect(took.at(-1)).toBeGreaterThan(0.6 * MIN_REQUESTS)
})

test('a pass yields after every commit', async () => {
  const clock = fakeClock()
  const store = memoryStore()
  let commits = 0
  const computes = Array.from({ length: 120 }, (_, index) => compute({ endpointId: `ep-${index}` }))
  const ports: Ports = {
    redact: noRedactor.redact,
    clock,
    serviceTime: { estimate: () => undefined },
    random: seeded(1),
    service: {
      ...UNASKED,
      listProjectsPage: () => Promise.resolve(ok({ items: [project()], problems: [], next: undefined })),
      listComputes: () => Promise.resolve(ok({ items: computes, problems: [] })),
      listOperations: () => Promise.resolve(ok({ items: [], problems: [] })),
    },
    readings: {
      refusalOf: () => 'no-dsn',
      prepare: () => Promise.resolve(undefined),
      evict: () => undefined,
      read: () => Promise.reject(new Error('not readable')),
    },
    store: withCommit(store, (_, commit) => {
      commits += 1
      return commit()
    }).account('main'),
    epoch: store.epoch,
    history: NO_HISTORY,
    send: () => Promise.resolve([]),
  }
  const before = newPassState(await store.account('main').load())
  const { ledger } = await pass({ ...ports, timed: untimed }, { before, plan }, new AbortController().signal)
  expect(ledger.computes.size).toBe(120)
  // 120 computes are three chunks; the projects and the reading counts have commits of their own
  expect(commits).toBeGreaterThanOrEqual(4)
  expect(clock.yields()).toBeGreaterThanOrEqual(commits)
})

test('a pass of a process whose store another has opened since stores nothing and says why', async () => {
  const clock = fakeClock()
  const memory = newMemory()
  const store = memoryStore(memory)
  const before = newPassState(await store.account('main').load())
  const ports: Ports = {
    redact: noRedactor.redact,
    clock,
    serviceTime: { estimate: () => undefined },
    random: seeded(1),
    service: {
      ...UNASKED,
      listProjectsPage: () => Promise.resolve(ok({ items: [project()], problems: [], next: undefined })),
      listComputes: () => Promise.resolve(ok({ items: [compute()], problems: [] })),
      listOperations: () => Promise.resolve(ok({ items: [], problems: [] })),
    },
    readings: {
      refusalOf: () => 'no-dsn',
      prepare: () => Promise.resolve(undefined),
      evict: () => undefined,
      read: () => Promise.reject(new Error('not readable')),
    },
    store: store.account('main'),
    epoch: store.epoch,
    history: NO_HISTORY,
    send: () => Promise.resolve([]),
  }
  const later = memoryStore(memory)
  const after = await pass({ ...ports, timed: untimed }, { before, plan }, new AbortController().signal)
  expect(after.persistence).toMatchObject({
    isPersisted: false,
    failure: new Error('another process has opened the store since: nothing was written'),
  })
  expect(after.ledger.computes.size).toBe(0)
  expect((await later.account('main').load()).computes.size).toBe(0)
})

test('a pass that is stopped during a reading stores its session: the activity that it causes is no client', async () => {
  const clock = fakeClock()
  const store = memoryStore()
  const stop = new AbortController()
  const reads: string[] = []
  const ports: Ports = {
    redact: noRedactor.redact,
    clock,
    serviceTime: { estimate: () => undefined },
    random: seeded(1),
    service: {
      ...UNASKED,
      listProjectsPage: () => Promise.resolve(ok({ items: [project()], problems: [], next: undefined })),
      listComputes: () =>
        Promise.resolve(ok({ items: [compute({ state: 'active', lastActive: clock.now() })], problems: [] })),
      listOperations: () => Promise.resolve(ok({ items: [], problems: [] })),
    },
    readings: {
      refusalOf: () => undefined,
      prepare: () => Promise.resolve(undefined),
      evict: () => undefined,
      read: ({ endpointId }) => {
        reads.push(endpointId)
        stop.abort()
        return Promise.resolve({ kind: 'failed', because: 'error', message: 'stopped' })
      },
    },
    store: store.account('main'),
    epoch: store.epoch,
    history: NO_HISTORY,
    send: () => Promise.resolve([]),
  }
  const reading = {
    ...plan,
    sweep: { ...plan.sweep, readings: { ...plan.sweep.readings, mode: 'full' } },
  } as const
  const turn = (before: PassState) =>
    pass({ ...ports, timed: untimed }, { before, plan: reading }, stop.signal)
  const first = await turn(newPassState(await store.account('main').load()))
  await clock.advance(seconds(60))
  await turn(first)
  const [entry] = (await store.account('main').load()).computes.values()
  expect(reads).toHaveLength(1)
  expect(entry?.reading.lastAttemptAt).toBe(at(60))
  expect(entry?.evidence.ownSessions).toMatchObject([{ connectedAt: at(60), disconnectedAt: at(60) }])
})
