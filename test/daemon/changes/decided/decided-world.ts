// Decisions of policies on two computes of a memory store, without an apply loop.
import { decidedCompute } from '../../../../src/model/output/policy-decision.ts'
import { createDecidedChanges } from '../../../../src/daemon/changes/decided/decided-changes.ts'
import { DEFAULT_BRAKES } from '../../../../src/model/policy/brakes.ts'
import { DEFAULT_RESTART_RULES, type ChangePolicy } from '../../../../src/model/policy/change-policy.ts'
import { createPolicies, type PolicyRule } from '../../../../src/model/policy/policies.ts'
import { planLimits } from '../../../../src/model/policy/plan-limits.ts'
import type { Recommendation } from '../../../../src/model/policy/recommendation.ts'
import type { AccountView } from '../../../../src/model/output/snapshot.ts'
import type { Event } from '../../../../src/model/output/event-kinds.ts'
import { cu, seconds } from '../../../../src/model/units.ts'
import { preset } from '../../../support/build.ts'
import { ASKED_AT } from '../../../support/changes-daemon.ts'
import { snapshotOf } from '../../../support/fleet-snapshot.ts'
import { memoryStore } from '../../../support/memory-store.ts'
import { placedHoldsOf, storedBrakesOf } from '../../../support/placed-holds.ts'
import { recommendation, sizingRecommendation } from '../../../support/recommendations.ts'
import { computeOf } from '../../../store/build.ts'

export const ref = (index: number) => ({
  account: 'main',
  projectId: `project-${index}`,
  endpointId: `ep-${index}`,
})
export const sizing = (index: number, fields: Partial<Recommendation> = {}) =>
  sizingRecommendation({
    id: `ep-${index}.sizing.1`,
    ref: ref(index),
    from: { sizing: { fixed: cu(1) } },
    to: { sizing: { min: cu(0.25), max: cu(1) } },
    ...fields,
  })
export const delay = (index: number) =>
  recommendation({
    id: `ep-${index}.delay.1`,
    ref: ref(index),
    from: { delay: seconds(300) },
    to: { delay: seconds(600) },
  })

/** Two computes of 1 CU with a delay of 300 s. */
export async function worldOf(
  rules: readonly PolicyRule[],
  recommendations: readonly Recommendation[] = [sizing(0)],
  brakes = DEFAULT_BRAKES,
) {
  const store = memoryStore()
  await store.account('main').commit([
    ...[0, 1].map((index) => ({
      kind: 'compute' as const,
      entry: computeOf(`ep-${index}`, `project-${index}`),
    })),
    ...recommendations.map((one) => ({ kind: 'recommendation' as const, recommendation: one })),
  ])
  const given = { policies: createPolicies(rules) }
  const events: Event[] = []
  const problems: unknown[] = []
  let [woken, count] = [0, 0]
  const send = (sent: readonly Event[]) => {
    events.push(...sent)
    return Promise.resolve([])
  }
  const storedBrakes = storedBrakesOf({ store: store.account('main'), send, now: () => ASKED_AT })
  const decided = createDecidedChanges({
    journal: store,
    history: store,
    random: { unit: () => 0.5, uuid: () => String((count += 1)).padStart(8, '0') },
    config: () => ({ policies: given.policies, brakes, budgets: [], windows: new Map() }),
    clock: { yield: () => Promise.resolve() },
    runnerOf: () => ({
      store: store.account('main'),
      send,
      now: () => ASKED_AT,
      limits: () => ({ preset, limits: planLimits('interface', 'launch') }),
      open: () => [],
      forPass: () => ({ changesOf: () => [], changing: new Set() }),
      holdOf: () => undefined,
      policyHold: () => undefined,
      slotOf: () => undefined,
      placedHolds: placedHoldsOf(),
      engagedBrakes: () => [],
      storedBrakes,
      watchBreaker: () => Promise.resolve(),
      wake: () => void (woken += 1),
      run: () => Promise.resolve(),
    }),
    log: {
      info: () => undefined,
      warn: (...line: unknown[]) => void problems.push(line),
      error: (...line: unknown[]) => void problems.push(line),
    },
  })
  const changes = () => store.changes('main', { count: 99 })
  /** As the snapshot after a pass shows it. */
  const pass = async (account: Partial<AccountView> = {}, advised = recommendations) => {
    const open = await store.openChanges('main')
    const taken = snapshotOf(2, {})
    const computes = taken.computes.map((view) => ({
      ...view,
      advice: advised.filter(({ ref: { endpointId } }) => endpointId === view.identity.ref.endpointId),
      changes: open
        .filter((change) => change.ref.endpointId === view.identity.ref.endpointId)
        .map((change) => ({ change, hold: undefined })),
    }))
    const accounts = taken.accounts.map((view) => ({ ...view, listedAt: ASKED_AT, ...account }))
    await decided.decide({ ...taken, accounts, computes })
    return computes.map((one) => decided.decisionOf(decidedCompute(one)))
  }
  const reload = (next: readonly PolicyRule[]) => void (given.policies = createPolicies(next))
  return {
    store,
    pass,
    reload,
    changes,
    events,
    problems,
    woken: () => woken,
    storedBrakes,
    braked: () => storedBrakes.engaged().map(({ because }) => because),
  }
}

export const NIGHTLY: ChangePolicy['restart'] = { ...DEFAULT_RESTART_RULES, maxWait: seconds(86_400) }
export const APPLY: PolicyRule = { match: {}, mode: 'apply', levers: ['sizing'], restart: NIGHTLY }
