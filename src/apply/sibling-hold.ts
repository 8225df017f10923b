// Holds of a change by other changes of its project.
import {
  isEnded,
  isInFlight,
  isUnasked,
  restartsCompute,
  type Change,
  type ChangeState,
} from '../model/policy/change.ts'
import type { Hold } from '../model/policy/hold.ts'
import { HANDS_OFF, setByPersonAt } from '../model/policy/hands-off.ts'
import type { Compute } from '../model/service/compute.ts'
import { after, instant, latest, seconds, type Instant } from '../model/units.ts'
import type { Seen } from './settings.ts'

/** Seconds between restarts of two computes of one branch. Source: changing.md, §2. */
const BRANCH_PACE = seconds(600)

/** Changes of the project that ended so long ago hold nothing. */
export const SIBLING_MEMORY = HANDS_OFF

type SiblingContext = Readonly<{
  change: Change
  seen: Seen
  /** Other changes of the project, open or ended within a day. */
  others: readonly Change[]
  /** When somebody else set this compute last, by the observed settings; asked for changes that a policy decided. */
  foreignAt?: Instant | undefined
}>

/**
 * The first that holds:
 * 1. `project-busy`: another change of the project is in flight;
 * 2. `foreign-change`: somebody else set this compute, or these defaults, less than a day ago, after this change was asked for, or nobody asked
 *    for it, also a person by a change of the same setting; one that sets a value again means to overwrite that;
 * 3. `replica-first`: a change that restarts a replica of the branch has not ended, but for one that takes another one back;
 * 4. `branch-pace`: another compute of the branch was restarted less than ten minutes ago.
 */
export function siblingHold(context: SiblingContext, now: Instant): Hold | undefined {
  const { change, seen, others } = context
  if (others.some(isInFlight)) return { because: 'project-busy', until: undefined }
  const foreign = foreignHold(context, now)
  if (foreign) return foreign
  if (!restartsCompute(change.kind)) return undefined
  const ofBranch = others.filter((one) => restartsCompute(one.kind) && computeOf(seen, one) !== undefined)
  const waitsForReplicas = seen.compute?.type === 'read_write' && change.origin.by !== 'revert'
  if (waitsForReplicas && ofBranch.some((one) => isOpenReplica(seen, one)))
    return { because: 'replica-first', until: undefined }
  const until = after(
    latest(instant(0), ...ofBranch.flatMap(({ state }) => restartedAt(state) ?? [])),
    BRANCH_PACE,
  )
  return until > now ? { because: 'branch-pace', until } : undefined
}

function foreignHold({ change, others, foreignAt }: SiblingContext, now: Instant): Hold | undefined {
  const ofTarget = others.filter((one) => isSameTarget(one, change))
  const supersededAt = lastEnd(ofTarget, ({ state }) => state.at === 'superseded')
  const byPersonAt =
    isUnasked(change) && !isApproved(change) ? setByPersonAt(change.desired, ofTarget) : undefined
  // the value that it meets is the one to overwrite: with yet another one the change is superseded
  const isMeant = change.origin.by === 'policy' && change.origin.reapplies !== undefined
  const foreign = isMeant ? [] : [supersededAt, foreignAt]
  const times = [...foreign, byPersonAt].filter((time) => time !== undefined)
  if (times.length === 0) return undefined
  const setAt = latest(...times)
  // a person who asks afterwards knows the value
  const isKnown = !isUnasked(change) && setAt < change.createdAt
  const until = after(setAt, HANDS_OFF)
  return isKnown || until <= now ? undefined : { because: 'foreign-change', until }
}

/** By a person, who knew the value that it meets: with another one the approval was refused, and the change is superseded. */
const isApproved = ({ state }: Change) => 'approvedBy' in state && state.approvedBy !== undefined

const isSameTarget = (one: Change, other: Change) => one.ref.endpointId === other.ref.endpointId

/** Compute of another change, if it is of the same branch. */
const computeOf = ({ compute, others }: Seen, { ref }: Change): Compute | undefined =>
  others.find(({ endpointId, branchId }) => endpointId === ref.endpointId && branchId === compute?.branchId)

const isOpenReplica = (seen: Seen, other: Change) =>
  !isEnded(other.state) && other.state.at !== 'proposed' && computeOf(seen, other)?.type === 'read_only'

/** When its request took effect; undefined where none is known to have, or it is under way. What is judged has restarted its compute long before. */
const restartedAt = (state: ChangeState): Instant | undefined =>
  'sent' in state && state.sent
    ? (state.sent.effectiveAt ?? (isEnded(state) ? state.endedAt : undefined))
    : undefined

function lastEnd(changes: readonly Change[], isMeant: (change: Change) => boolean): Instant | undefined {
  const ends = changes.filter(isMeant).flatMap(({ state }) => (isEnded(state) ? [state.endedAt] : []))
  return ends.length === 0 ? undefined : latest(...ends)
}
