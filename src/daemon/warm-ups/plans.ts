// Plans of warm-ups: of each sleeping compute whose policy allows them, made anew when it fell asleep and when the ledger settled more of its
// past.
import { sizeWhileAwake } from '../../advise/interval.ts'
import { planWarmUps } from '../../advise/delay/next-warm-ups.ts'
import { accountUtilisation } from '../../ledger/metering/sizes-from-metering.ts'
import { priceAt } from '../../ledger/settle/slices.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import type { Prices } from '../../model/ledger/quantities.ts'
import type { AdviceNeeds } from '../../model/policy/advice-policy.ts'
import type { Policies, WarmUpPolicy } from '../../model/policy/policies.ts'
import { selectorTargetOf, type SelectorTarget } from '../../model/policy/selector.ts'
import type { WarmUpPlan } from '../../model/policy/warm-up.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { History } from '../../model/ports/history.ts'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import { DAY, instant, micros, type Instant } from '../../model/units.ts'
import type { PassState } from '../pass/pass-state.ts'

/** Days of gaps that plans go by, as for recommended delays. */
const RECENT = 28

/** A sleeping compute and its plan. */
export type PlannedCompute = Readonly<{
  ref: ComputeRef
  target: SelectorTarget
  policy: WarmUpPolicy
  /** As the last pass saw it: a later one ends the gap. */
  suspendedAt: Instant | undefined
  plan: WarmUpPlan
}>

/** `basis`: what the plan was made of. */
type StoredPlan = PlannedCompute & Readonly<{ basis: string }>

type PlansOptions = Readonly<{
  account: string
  history: Pick<History, 'gaps'>
  clock: Pick<Clock, 'yield'>
  now: () => Instant
  /** As configured now. */
  config: () => Readonly<{ policies: Policies; needs: AdviceNeeds; prices: Prices }>
}>

export function createWarmUpPlans({ account, history, clock, now, config }: PlansOptions) {
  /** By the key of the compute. */
  let plans: ReadonlyMap<string, StoredPlan> = new Map()

  async function planOf(entry: ComputeEntry, target: SelectorTarget, state: PassState): Promise<WarmUpPlan> {
    const { policies, needs, prices } = config()
    const { ref, compute } = entry
    const span = { from: instant(now() - RECENT * DAY), to: now(), computes: [ref] }
    const gaps = await Array.fromAsync(history.gaps(account, span))
    const size = sizeWhileAwake(compute.sizing, accountUtilisation([])).likely
    const { wakeCost } = policies.of(target, micros(size * priceAt(prices, now())))
    const project = state.ledger.projects.get(ref.projectId)
    return planWarmUps({ gaps, entry, project, needs, settings: [], now: now() }, wakeCost)
  }

  const targetOf = ({ ref, compute }: ComputeEntry, { ledger }: PassState): SelectorTarget =>
    selectorTargetOf(account, compute, ledger.projects.get(ref.projectId)?.project)

  async function planned(
    entry: ComputeEntry,
    {
      target,
      policy,
      before,
    }: Pick<StoredPlan, 'target' | 'policy'> & Readonly<{ before: StoredPlan | undefined }>,
    state: PassState,
  ): Promise<StoredPlan> {
    const {
      ref,
      compute: { suspendedAt },
      settledUntil,
    } = entry
    const basis = `${suspendedAt} ${settledUntil}`
    const common = { ref, target, policy, suspendedAt, basis }
    if (before?.basis === basis && before.policy.path === policy.path) return { ...common, plan: before.plan }
    const plan = await planOf(entry, target, state)
    // a plan takes some 50 ms
    await clock.yield()
    return { ...common, plan }
  }

  return {
    of: (ref: ComputeRef): PlannedCompute | undefined => plans.get(computeKey(ref)),
    all: (): Iterable<PlannedCompute> => plans.values(),
    /** After a pass. Without policies that allow warm-ups it looks at no compute. @throws when the store fails */
    refresh: async (state: PassState): Promise<void> => {
      const next = new Map<string, StoredPlan>()
      for (const [key, entry] of config().policies.warmsUp ? state.ledger.computes : []) {
        const target = mayBeStarted(entry) ? targetOf(entry, state) : undefined
        const policy = target && config().policies.warmUpsOf(target)
        // oxlint-disable-next-line no-await-in-loop -- one compute after the other
        if (policy) next.set(key, await planned(entry, { target, policy, before: plans.get(key) }, state))
      }
      plans = next
    },
  }
}

const mayBeStarted = ({ compute, deletedAt }: ComputeEntry): boolean =>
  deletedAt === undefined && compute.state === 'idle' && !compute.disabled
