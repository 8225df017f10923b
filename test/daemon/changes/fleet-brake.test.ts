// The brakes of a fleet, with the apply loop and the decisions after a pass as they are in the daemon, on a service without time.
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AccountConfig } from '../../../src/config/load.ts'
import { createApplyLoop } from '../../../src/daemon/changes/apply-loop.ts'
import { createChangeRunner } from '../../../src/daemon/changes/change-runner.ts'
import { createDecidedChanges } from '../../../src/daemon/changes/decided-changes.ts'
import { newPassState } from '../../../src/daemon/pass/pass-state.ts'
import type { Event } from '../../../src/model/output/event-kinds.ts'
import { DEFAULT_BRAKES } from '../../../src/model/policy/brakes.ts'
import { readStoredChanges } from '../../../src/model/ports/journal.ts'
import type { Ports } from '../../../src/model/ports/ports.ts'
import type { Service } from '../../../src/model/ports/service.ts'
import { computeKey, type Sizing } from '../../../src/model/service/compute.ts'
import { cu, ratio, seconds, type Instant } from '../../../src/model/units.ts'
import { ok } from '../../../src/std/result.ts'
import { GOOD, load } from '../../config/loading.ts'
import { at, ledger, preset } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { snapshotOf } from '../../support/fleet-snapshot.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { sizingRecommendation } from '../../support/recommendations.ts'
import { UNASKED } from '../../support/unasked.ts'
import { computeOf } from '../../store/build.ts'

const COMPUTES = 1000
const HOUR = seconds(3600)
const refOf = (index: number) => ({
  account: 'main',
  projectId: `project-${index}`,
  endpointId: `ep-${index}`,
})

/** Each compute has 1 CU, sleeps, and a recommendation says to resize it. `fails`: the service refuses the requests. */
async function fleet({ fails = false, count = COMPUTES } = {}) {
  let [isRefusing, failedRequests, isKept] = [fails, 0, false]
  const clock = fakeClock('2026-01-05T01:40:00Z')
  const store = memoryStore()
  const indices = Array.from({ length: count }, (_, index) => index)
  const recommendations = indices.map((index) =>
    sizingRecommendation({
      id: `ep-${index}.sizing.1`,
      ref: refOf(index),
      from: { sizing: { fixed: cu(1) } },
      to: { sizing: { min: cu(0.25), max: cu(1) } },
    }),
  )
  await store.account('main').commit([
    ...indices.map((index) => ({
      kind: 'compute' as const,
      entry: computeOf(`ep-${index}`, `project-${index}`),
    })),
    ...recommendations.map((one) => ({ kind: 'recommendation' as const, recommendation: one })),
  ])
  const shown = snapshotOf(count, { compute: () => ({ createdAt: at(-30 * 86_400) }) })
  const sizes = new Map<string, Sizing>()
  const sent: Instant[] = []
  const current = (projectId: string) => {
    const view = shown.computes.find(({ identity: { ref } }) => ref.projectId === projectId)
    if (!view) throw new Error(`no project ${projectId}`)
    const { compute } = view.identity
    return { ...compute, sizing: sizes.get(projectId) ?? compute.sizing }
  }
  const service: Service = {
    ...UNASKED,
    at: () => service,
    listComputes: async (projectId) => ok({ items: [current(projectId)], problems: [] }),
    listOperations: async () => ok({ items: [], problems: [] }),
    updateCompute: async (projectId, _, { sizing }) => {
      sent.push(clock.now())
      if (isRefusing) return { ok: false, error: { kind: 'refused', status: 400, message: 'no' } }
      if (sizing) sizes.set(projectId, sizing)
      return ok({ compute: current(projectId), operations: [] })
    },
  }
  const begun = newPassState(ledger())
  const state = {
    ...begun,
    ledger: {
      ...begun.ledger,
      computes: new Map(
        shown.computes.map(({ identity: { ref, compute } }) => [
          computeKey(ref),
          { ...computeOf(ref.endpointId, ref.projectId), compute },
        ]),
      ),
    },
    polling: { ...begun.polling, list: { ...begun.polling.list, finished: {} } },
  } as unknown as ReturnType<typeof newPassState>
  const events: Event[] = []
  const send: Ports['send'] = async (given) => {
    events.push(...given)
    return []
  }
  let uuids = 0
  const random = { unit: () => 0.5, uuid: () => String((uuids += 1)).padStart(8, '0') }
  const config = load(
    `${GOOD}mode: apply\npolicies: [{ levers: [sizing] }]\nservice: { requests_per_minute: 6000 }`,
  )
  if (!config.ok) throw new Error(config.error.join())
  const log = { info: () => undefined, warn: () => undefined, error: (line: unknown) => problems.push(line) }
  const problems: unknown[] = []
  const runner = createChangeRunner({
    account: { name: 'main', limits: undefined } as AccountConfig,
    config: () => config.value,
    ports: {
      clock,
      service,
      random,
      send,
      store: store.account('main'),
      epoch: store.epoch,
      history: NO_HISTORY,
      failedRequests: () => ratio(failedRequests),
    } as unknown as Ports,
    journal: store,
    isCurrent: () => true,
    initial: await readStoredChanges(store, 'main'),
    killSwitch: { isEngaged: () => false },
    log: log as never,
    isPassing: () => false,
    state: () => state,
    preset: () => preset,
    applyLoop: ({ verification, ...loop }) => {
      const judge: typeof verification.judge = (change, judged) =>
        isKept ? Promise.resolve({ verdict: 'keep', because: 'good' }) : verification.judge(change, judged)
      return createApplyLoop({ ...loop, verification: { ...verification, judge } })
    },
  })
  const decided = createDecidedChanges({
    journal: store,
    history: store,
    random,
    clock,
    config: () => config.value,
    runnerOf: () => runner,
    log: log as never,
  })
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  void runner.run(stop.signal)
  const openBy = async () =>
    Map.groupBy(await store.openChanges('main'), ({ ref: { endpointId } }) => endpointId)
  return {
    clock,
    runner,
    sent,
    problems,
    /** From now on changes that took effect are judged to stay. */
    keep: () => void (isKept = true),
    repair: () => void (isRefusing = false),
    /** Of all requests to the service, the share that failed lately. */
    failRequests: (share: number) => void (failedRequests = share),
    changes: () => store.changes('main', { count: 2 * COMPUTES }),
    kindsOf: (prefix: string) => events.map(({ kind }) => kind).filter((kind) => kind.startsWith(prefix)),
    /** The snapshot shows recommendations that no change has implemented, and open changes. */
    pass: async () => {
      const open = await openBy()
      const computes = shown.computes.map((view, index) => ({
        ...view,
        advice: sizes.has(view.identity.ref.projectId) ? [] : recommendations.slice(index, index + 1),
        changes: (open.get(view.identity.ref.endpointId) ?? []).map((change) => ({
          change,
          hold: undefined,
        })),
      }))
      await decided.decide({ ...shown, computes })
    },
  }
}

const mostInAnHour = (times: readonly Instant[]) =>
  Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + HOUR * 1000).length))

test('recommendations that say to resize all of 1,000 computes make no change, with one event; after a release as many an hour as are allowed', async () => {
  const { clock, runner, sent, changes, kindsOf, pass, problems } = await fleet()
  await clock.advance(seconds(700))
  for (let passes = 0; passes < 3; passes += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one pass after the other
    await pass()
    // oxlint-disable-next-line no-await-in-loop -- as above
    await clock.advance(seconds(60))
  }
  expect([sent, await changes(), kindsOf('brake-')]).toEqual([[], [], ['brake-engaged']])
  expect(runner.engagedBrakes()).toEqual(['fleet'])
  await runner.storedBrakes.release('fleet', { by: 'ann', reason: 'meant so' })
  await pass()
  expect((await changes()).length).toBe(COMPUTES)
  await clock.advance(seconds(HOUR - 1))
  expect(sent).toHaveLength(DEFAULT_BRAKES.fleetPerHour)
  await pass()
  await clock.advance(seconds(600))
  expect(sent.length).toBeGreaterThan(DEFAULT_BRAKES.fleetPerHour)
  expect(mostInAnHour(sent)).toBe(DEFAULT_BRAKES.fleetPerHour)
  expect(runner.engagedBrakes()).toEqual([])
  expect(kindsOf('brake-')).toEqual(['brake-engaged', 'brake-released'])
  expect(problems).toEqual([])
})

test('an engaged fleet brake holds what waits already, and a release lets it go', async () => {
  const { clock, runner, sent, pass } = await fleet({ count: 5 })
  // before the hold-off is over
  await clock.advance(seconds(60))
  await pass()
  await runner.storedBrakes.engage({ name: 'fleet', because: 'too many', count: 7 })
  await clock.advance(seconds(900))
  const [open] = runner.open()
  expect([sent, open?.hold]).toMatchObject([[], { because: 'brake', detail: 'fleet, too many' }])
  await runner.storedBrakes.release('fleet', { by: 'ann', reason: 'meant so' })
  await clock.advance(seconds(60))
  expect(sent.length).toBe(5)
})

test('two failures engage the breaker, with one event; after a release two more are tried', async () => {
  const { clock, runner, sent, pass, kindsOf } = await fleet({ fails: true, count: 5 })
  await clock.advance(seconds(700))
  await pass()
  await clock.advance(seconds(600))
  await pass()
  expect([sent.length, runner.engagedBrakes(), kindsOf('brake-')]).toEqual([
    2,
    ['breaker'],
    ['brake-engaged'],
  ])
  await runner.storedBrakes.release('breaker', { by: 'ann', reason: 'the service is repaired' })
  expect(runner.engagedBrakes()).toEqual([])
  await clock.advance(seconds(60))
  expect([sent.length, runner.engagedBrakes()]).toEqual([4, ['breaker']])
  expect(kindsOf('brake-')).toEqual(['brake-engaged', 'brake-released', 'brake-engaged'])
})

/** Three changes wait, two were refused, and the hour is over; a pass each five minutes. */
async function tried({ isRepaired }: { readonly isRepaired: boolean }) {
  const world = await fleet({ fails: true, count: 5 })
  await world.clock.advance(seconds(700))
  await world.pass()
  await world.clock.advance(seconds(60))
  await world.pass()
  expect([world.sent.length, world.runner.engagedBrakes()]).toEqual([2, ['breaker']])
  if (isRepaired) world.repair()
  await world.clock.advance(seconds(HOUR - 300))
  await world.pass()
  expect(world.sent).toHaveLength(2)
  await world.clock.advance(seconds(300))
  await world.pass()
  await world.clock.advance(seconds(60))
  return world
}

describe('an hour after the failures', () => {
  test('one change is tried alone, and where it is done the others go on', async () => {
    const { clock, runner, sent, pass, kindsOf, keep } = await tried({ isRepaired: true })
    expect([sent.length, runner.engagedBrakes()]).toEqual([3, ['breaker']])
    const holds = runner.open().map(({ hold }) => [hold?.because, hold?.detail])
    expect(holds).toEqual([
      ['verdict', undefined],
      ...Array.from({ length: 2 }, () => ['breaker', expect.stringMatching(/^ch-\d+ is tried alone$/)]),
    ])
    expect(runner.storedBrakes.of('breaker')?.because).toBe(
      '2 changes failed within 3600 s; now the next one is tried alone',
    )
    keep()
    await clock.advance(seconds(60))
    await pass()
    expect(runner.engagedBrakes()).toEqual([])
    await clock.advance(seconds(60))
    expect(sent).toHaveLength(5)
    expect(kindsOf('brake-')).toEqual(['brake-engaged', 'brake-released'])
  })

  test('one change is tried alone, and where it fails they wait for another hour', async () => {
    const { clock, runner, sent, pass, kindsOf } = await tried({ isRepaired: false })
    expect([sent.length, runner.engagedBrakes()]).toEqual([3, ['breaker']])
    expect(runner.storedBrakes.of('breaker')?.because).toBe('the change that was tried failed')
    expect(kindsOf('brake-')).toEqual(['brake-engaged', 'brake-engaged'])
    await clock.advance(seconds(HOUR - 120))
    await pass()
    expect(sent).toHaveLength(3)
    await clock.advance(seconds(120))
    await pass()
    await clock.advance(seconds(60))
    expect([sent.length, kindsOf('brake-').length]).toEqual([4, 3])
  })
})

test('while requests to the service fail, policies restart nothing; one change is tried an hour later', async () => {
  const { clock, runner, sent, pass, failRequests, kindsOf } = await fleet({ count: 5 })
  failRequests(0.3)
  await clock.advance(seconds(700))
  await pass()
  await clock.advance(seconds(60))
  expect([sent, runner.open()[0]?.hold?.because]).toEqual([[], 'breaker'])
  await pass()
  expect([runner.engagedBrakes(), kindsOf('brake-')]).toEqual([['breaker'], ['brake-engaged']])
  failRequests(0.1)
  await clock.advance(HOUR)
  expect(sent).toEqual([])
  await pass()
  await clock.advance(seconds(60))
  expect(sent).toHaveLength(1)
})
