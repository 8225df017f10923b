// Stage of the changes that nobody asks for: open recommendations, steps of budgets and policies → changes to make, and a reason for each
// that is not made.
import type { NotMadeBecause, PolicyDecision } from '../model/output/policy-decision.ts'
import { isEngaged, type Brakes, type StoredBrake } from '../model/policy/brakes.ts'
import { CHANGE_LEVERS, type ChangeLever, type ChangePolicy } from '../model/policy/change-policy.ts'
import type { RecommendationKind } from '../model/policy/recommendation.ts'

/** An open recommendation or a step of a budget, and what is known about the changes of its compute or project. */
export type Candidate = Readonly<{
  id: string
  kind: RecommendationKind
  policy: ChangePolicy
  /** A change of the same kind of that compute is open. */
  hasOpenChange: boolean
  /** A change was made of it before, whatever became of that. */
  wasMade: boolean
  /** The setting was reverted on this compute not long ago. */
  isBarred: boolean
  /** A person set the same on this compute less than a day ago; absent: nobody did. */
  isOfPerson?: boolean
  /** The savings of its kind did not come. */
  isDemoted: boolean
  /** What set another value of that kind on the compute and puts it back later; undefined: nothing did. */
  heldBy: 'budget' | 'schedule' | undefined
  /** A budget of the compute is nearly spent, and the change costs more: a person decides. */
  needsApproval: boolean
  /** Another controller keeps setting the compute; absent: none does. */
  isContested?: boolean
}>

/** `changes` and `held` together are exactly the candidates that were given. */
export type Decided = Readonly<{
  changes: readonly Readonly<{ id: string; state: 'proposed' | 'scheduled' }>[]
  held: PolicyDecision['held']
  /** Changes that restart a compute, those that wait included. */
  restarts: number
  /** `engage`: they are too many, and none of the new ones is made. `end`: they are not. `keep`: a person released as many. */
  fleetBrake: 'engage' | 'keep' | 'end'
}>

/** Computes and changes of one account. */
export type Fleet = Readonly<{
  computes: number
  /** Open changes of policies that restart a compute and were not sent. */
  waiting: number
  /** As stored; undefined where it never was engaged. */
  brake: StoredBrake | undefined
  brakes: Pick<Brakes, 'fleetShare' | 'fleetLeast'>
}>

export function decide(candidates: readonly Candidate[], fleet: Fleet): Decided {
  const reasons = candidates.map((candidate) => ({ candidate, because: whyNotMade(candidate) }))
  const restarts = reasons.filter(({ candidate, because }) => !because && restartsNow(candidate))
  const wanted = restarts.length + fleet.waiting
  const fleetBrake = fleetBrakeOf({ wanted, isAnyNew: restarts.length > 0 }, fleet)
  const changes: Decided['changes'][number][] = []
  const held: Decided['held'][number][] = []
  for (const { candidate, because } of reasons) {
    const { id } = candidate
    if (because) held.push({ id, because })
    else if (fleetBrake === 'engage' && restartsNow(candidate)) held.push({ id, because: 'fleet-brake' })
    else changes.push({ id, state: isAsked(candidate) ? 'proposed' : 'scheduled' })
  }
  return { changes, held, restarts: wanted, fleetBrake }
}

/** Whether a person is asked before it is made. */
const isAsked = ({ policy, needsApproval }: Candidate) => policy.mode !== 'apply' || needsApproval

/** Whether nobody is asked before it restarts a compute. */
const restartsNow = (candidate: Candidate) => candidate.kind === 'sizing' && !isAsked(candidate)

/**
 * 1. As many restarts as the limits allow, those that wait included, are not too many.
 * 2. An engaged brake stays engaged until then, whether or not there are new ones.
 * 3. A release covers as many as were counted when the brake was engaged.
 */
function fleetBrakeOf(
  { wanted, isAnyNew }: Readonly<{ wanted: number; isAnyNew: boolean }>,
  fleet: Fleet,
): Decided['fleetBrake'] {
  const { brake } = fleet
  if (wanted <= mostRestarts(fleet)) return 'end'
  if (brake && isEngaged(brake)) return 'engage'
  const covered = brake?.endedAt === undefined ? (brake?.count ?? 0) : 0
  return isAnyNew && wanted > covered ? 'engage' : 'keep'
}

const mostRestarts = ({ computes, brakes }: Fleet) =>
  Math.max(brakes.fleetShare * computes, brakes.fleetLeast)

/** Without the fleet brake; undefined where it becomes a change. */
export function whyNotMade(candidate: Candidate): NotMadeBecause | undefined {
  const { kind, policy, hasOpenChange } = candidate
  if (!isLever(kind)) return 'kind'
  if (policy.mode !== 'approve' && policy.mode !== 'apply') return 'mode'
  if (!policy.levers.includes(kind)) return 'lever'
  if (hasOpenChange) return 'open-change'
  return whyNotAgain(candidate)
}

function whyNotAgain({
  wasMade,
  isBarred,
  isDemoted,
  isContested,
  heldBy,
  isOfPerson,
}: Candidate): NotMadeBecause | undefined {
  if (isDemoted) return 'demoted'
  if (isContested) return 'controller'
  if (wasMade) return 'made-before'
  if (heldBy) return heldBy
  if (isOfPerson) return 'person'
  return isBarred ? 'barred' : undefined
}

const isLever = (kind: RecommendationKind): kind is ChangeLever =>
  CHANGE_LEVERS.some((lever) => lever === kind)
