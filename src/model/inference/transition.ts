// When a compute's operations are worth reading: shared by what plans the reading and what keeps its account.
import { largestCu, smallestCu, type AutosuspendDelay, type Compute } from '../service/compute.ts'
import type { ComputeEntry } from '../ledger/ledger.ts'
import type { Look } from '../observation.ts'
import { seconds, type Seconds } from '../units.ts'

/** How late an operation may still be listed. Doubled, twice the evidence is kept and a restart of the daemon reads twice as far back. */
export const ALLOWED_LATENESS: Seconds = seconds(900)

/** Whether `look` shows that something happened to the compute since it was last seen. */
export const hasChangedSince = ({ compute }: ComputeEntry, { compute: seen }: Look): boolean =>
  DATED.some((field) => compute[field] !== seen[field])

const DATED = ['state', 'pendingState', 'startedAt', 'suspendedAt', 'updatedAt'] as const

/**
 * Whether only the operations can date what happened since the compute was last seen. A record with the instants of its
 * last start and suspension dates one of each; whether there was room for more, its delay tells.
 */
export function needsOperations(known: ComputeEntry, look: Look, delay: AutosuspendDelay): boolean {
  const { compute: seen } = look
  if (seen.startedAt === undefined && seen.suspendedAt === undefined)
    return hasChangedSince(known, look) || mayHideOne(known, look)
  return isResized(known.compute, seen) || hasRoomForMore(known, look, delay)
}

/** Without the instants of the record, what happened between two looks shows as newer activity, or not at all. */
function mayHideOne({ compute, observedAt }: ComputeEntry, { compute: seen, askedAt }: Look): boolean {
  const woke = seen.state === 'idle' && (seen.lastActive ?? 0) > Math.max(observedAt, compute.lastActive ?? 0)
  return woke || askedAt - observedAt > ALLOWED_LATENESS * 1000
}

export const isResized = ({ sizing: a }: Compute, { sizing: b }: Compute): boolean =>
  smallestCu(a) !== smallestCu(b) || largestCu(a) !== largestCu(b)

/**
 * One that was awake may have been restarted any number of times. One that slept was woken, and an awake interval lasts at
 * least the delay: so much time without a look, before the start that the record names, may hide one.
 */
function hasRoomForMore(known: ComputeEntry, look: Look, delay: AutosuspendDelay): boolean {
  const { startedAt } = look.compute
  if (startedAt === undefined || startedAt === known.compute.startedAt) return false
  if (known.current !== undefined) return true
  const from = Math.max(known.observedAt, look.quietUntil ?? 0)
  return delay !== 'never' && startedAt - from >= delay * 1000
}

/** Whether something happened of which the operations were not read yet. */
export const awaitsOperations = ({
  transitionAt,
  operationsReadAt,
}: Pick<ComputeEntry, 'transitionAt' | 'operationsReadAt'>): boolean =>
  transitionAt !== undefined && (operationsReadAt === undefined || operationsReadAt < transitionAt)
