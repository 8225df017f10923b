// Values that somebody else overwrote, as changes that set them again.
import { theirsText, type ForeignChange } from '../../../apply/foreign-changes.ts'
import { planChange } from '../../../apply/plan.ts'
import type { ComputeView } from '../../../model/output/snapshot.ts'
import type { Change, ChangeSettings } from '../../../model/policy/change.ts'
import type { ChangePolicy } from '../../../model/policy/change-policy.ts'
import type { Recommendation, Setting } from '../../../model/policy/recommendation.ts'
import type { Random } from '../../../model/ports/clock.ts'
import type { History } from '../../../model/ports/history.ts'
import { computeKey, delayMillis, isSameSizing } from '../../../model/service/compute.ts'
import { after } from '../../../model/units.ts'
import { digest } from '../../advice/evaluate.ts'
import type { ChangeRunner } from '../change-runner.ts'
import { newChange, scheduledAt } from '../new-change.ts'
import { planTargetOf } from '../targets.ts'
import type { Overwritten } from './foreign-watch.ts'

/** A recommendation whose value is set again, and the change that had set it. */
export type Reapplied = Readonly<{
  view: ComputeView
  foreign: ForeignChange
  recommendation: Recommendation
}>

/** By the id of the recommendation. */
export type ReappliedById = ReadonlyMap<string, Reapplied>

/** Recommendations of a compute that are not among its open ones. */
export const recommendationsOf = (
  { identity, advice = [] }: ComputeView,
  again: ReappliedById,
): readonly Recommendation[] =>
  [...again.values()].flatMap(({ view, recommendation }) =>
    view.identity === identity && !advice.some(({ id }) => id === recommendation.id) ? [recommendation] : [],
  )

/** Overwritten values that a recommendation wants now. */
export async function reappliedIn(
  { history }: Readonly<{ history: Pick<History, 'recommendations'> }>,
  views: readonly ComputeView[],
  overwritten: Overwritten,
): Promise<ReappliedById> {
  const found = new Map<string, Reapplied>()
  if (overwritten.size === 0) return found
  for (const view of views) {
    const { ref } = view.identity
    const foreign = overwritten.get(computeKey(ref))
    if (!foreign) continue
    // oxlint-disable-next-line no-await-in-loop -- few computes
    const known = await Array.fromAsync(history.recommendations(ref.account, { targets: [ref] }))
    for (const one of foreign) {
      const recommendation = wantedBy(one.overwritten, known)
      if (recommendation) found.set(recommendation.id, { view, foreign: one, recommendation })
    }
  }
  return found
}

/**
 * The recommendation that wants the value of an overwritten change now; undefined where none does, or no recommendation ever did.
 *
 * @param known all recommendations of the compute
 */
function wantedBy(
  { kind, desired, origin }: Change,
  known: readonly Recommendation[],
): Recommendation | undefined {
  const open = known.find((one) => one.kind === kind && one.life.state === 'open')
  if (open) return isSameValue(open.to, desired) ? open : undefined
  const first = 'id' in origin ? known.find(({ id }) => id === origin.id) : undefined
  return first && stillHolds(first) ? first : undefined
}

/** What somebody else set withdraws an open one, as changed. */
const stillHolds = ({ life }: Recommendation): boolean =>
  life.state === 'implemented' || (life.state === 'withdrawn' && life.because === 'changed')

const isSameValue = ({ delay, sizing }: Setting, desired: ChangeSettings): boolean =>
  (delay === undefined) === (desired.autosuspendDelay === undefined) &&
  (sizing === undefined) === (desired.sizing === undefined) &&
  (delay === undefined ||
    desired.autosuspendDelay === undefined ||
    delayMillis(delay) === delayMillis(desired.autosuspendDelay)) &&
  (sizing === undefined || desired.sizing === undefined || isSameSizing(sizing, desired.sizing))

type ReapplyContext = Readonly<{
  policy: ChangePolicy
  /** Whether a person is asked first. */
  isProposed: boolean
  runner: Pick<ChangeRunner, 'limits' | 'now'>
  random: Random
}>

/** Undefined where the compute can no longer be set so. */
export function reapplyingChange(
  { view, foreign, recommendation }: Reapplied,
  { policy, isProposed, runner, random }: ReapplyContext,
): Change | undefined {
  const { id: overwritten, desired } = foreign.overwritten
  const { sizing: size, autosuspendDelay: delay } = desired
  const ask = { size, delay, restart: false, when: 'policy' } as const
  const plan = planChange(planTargetOf(view, runner.limits()), ask, digest)
  if (!plan.ok) return undefined
  const now = runner.now()
  const { id, hash, saving } = recommendation
  return {
    ...newChange(plan.value, { random, now, until: after(now, policy.restart.maxWait) }),
    origin: { by: 'policy', id, hash, name: policy.path ?? 'mode', reapplies: overwritten },
    promised: saving,
    reason: `sets again what change ${overwritten} had set: somebody else set ${theirsText(foreign)}`,
    state: isProposed ? { at: 'proposed' } : scheduledAt(now, undefined),
  }
}
