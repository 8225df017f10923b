// A fleet whose changes policies decide: the apply loop and the decisions after a pass as they are in the daemon, on a service without time.
import { onTestFinished } from 'vitest'
import type { AccountConfig } from '../../../../src/config/load.ts'
import { createApplyLoop } from '../../../../src/daemon/changes/apply-loop.ts'
import { createChangeRunner, type ChangeRunner } from '../../../../src/daemon/changes/change-runner.ts'
import { createDecidedChanges } from '../../../../src/daemon/changes/decided/decided-changes.ts'
import { newPassState } from '../../../../src/daemon/pass/pass-state.ts'
import type { Event } from '../../../../src/model/output/event-kinds.ts'
import { readStoredChanges } from '../../../../src/model/ports/journal.ts'
import type { Ports } from '../../../../src/model/ports/ports.ts'
import type { Service } from '../../../../src/model/ports/service.ts'
import { computeKey, type Sizing } from '../../../../src/model/service/compute.ts'
import { cu, ratio, type Instant } from '../../../../src/model/units.ts'
import { ok } from '../../../../src/std/result.ts'
import { GOOD, load } from '../../../config/loading.ts'
import { at, ledger, preset } from '../../../support/build.ts'
import { fakeClock } from '../../../support/fake-clock.ts'
import { snapshotOf } from '../../../support/fleet-snapshot.ts'
import { memoryStore } from '../../../support/memory-store.ts'
import { NO_HISTORY } from '../../../support/no-history.ts'
import { sizingRecommendation } from '../../../support/recommendations.ts'
import { UNASKED } from '../../../support/unasked.ts'
import { computeOf } from '../../../store/build.ts'

/** More than the fleet brake lets pass in one pass. */
export const COMPUTES = 1000
const refOf = (index: number) => ({
  account: 'main',
  projectId: `project-${index}`,
  endpointId: `ep-${index}`,
})

/** Each compute has 1 CU, sleeps, and a recommendation says to resize it. `fails`: the service refuses the requests. */
export async function fleet({ fails = false, count = COMPUTES } = {}) {
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
  const order: string[] = []
  const spent = new Set<string>()
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
      order.push(projectId)
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
  const startRunner = async (): Promise<readonly [ChangeRunner, AbortController]> => {
    const started = createChangeRunner({
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
      nearlySpent: () => spent,
      applyLoop: ({ verification, ...loop }) => {
        const judge: typeof verification.judge = (change, judged) =>
          isKept
            ? Promise.resolve({ verdict: 'keep', isJudged: true, because: 'good' })
            : verification.judge(change, judged)
        return createApplyLoop({ ...loop, verification: { ...verification, judge } })
      },
    })
    const stopped = new AbortController()
    void started.run(stopped.signal)
    return [started, stopped]
  }
  let [runner, stop] = await startRunner()
  onTestFinished(() => stop.abort())
  const decided = createDecidedChanges({
    journal: store,
    history: store,
    random,
    clock,
    config: () => config.value,
    runnerOf: () => runner,
    log: log as never,
  })
  const openBy = async () =>
    Map.groupBy(await store.openChanges('main'), ({ ref: { endpointId } }) => endpointId)
  return {
    clock,
    runner,
    sent,
    /** Projects, as they were changed. */
    order,
    /** Ids of computes whose hard budget is nearly spent. */
    spent,
    problems,
    /** A new process over the same store. */
    restart: async () => {
      stop.abort()
      ;[runner, stop] = await startRunner()
    },
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
