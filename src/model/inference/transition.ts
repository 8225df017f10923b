// Transitions between two looks that only operations can date. Shared by the poll plan and the ledger.
import {
  delayMillis,
  largestCu,
  smallestCu,
  type AutosuspendDelay,
  type Compute,
} from '../service/compute.ts'
import type { ComputeEntry } from '../ledger/ledger.ts'
import type { Look } from '../observation.ts'
import { seconds, type Seconds } from '../units.ts'

/** Allowed lateness of operations, 15 minutes: the service lists them later than it creates them. */
export const ALLOWED_LATENESS: Seconds = seconds(900)

export const hasChangedSince = ({ compute }: ComputeEntry, { compute: current }: Look): boolean =>
  TRANSITION_FIELDS.some((field) => compute[field] !== current[field])

const TRANSITION_FIELDS = ['state', 'pendingState', 'startedAt', 'suspendedAt', 'updatedAt'] as const

/** A record dates its last start and its last suspension; the autosuspend delay decides whether there was time for more. */
export function needsOperations(entry: ComputeEntry, look: Look, delay: AutosuspendDelay): boolean {
  const { compute } = look
  if (compute.startedAt === undefined && compute.suspendedAt === undefined)
    return hasChangedSince(entry, look) || mayHideTransition(entry, look)
  return isResized(entry.compute, compute) || mayHideInterval(entry, look, delay)
}

/** Without dates in the record, a transition shows as newer activity, or not at all. */
function mayHideTransition({ compute, observedAt }: ComputeEntry, look: Look): boolean {
  const { state, lastActive = 0 } = look.compute
  const woke = state === 'idle' && lastActive > Math.max(observedAt, compute.lastActive ?? 0)
  return woke || look.askedAt - observedAt > ALLOWED_LATENESS * 1000
}

type Sized = Pick<Compute, 'sizing'>

export const isResized = ({ sizing: a }: Sized, { sizing: b }: Sized): boolean =>
  smallestCu(a) !== smallestCu(b) || largestCu(a) !== largestCu(b)

/**
 * A whole awake interval may be unobserved before the start that the record names:
 * 1. a compute that was awake may have been restarted any number of times;
 * 2. one that slept was suspended since: the record does not name the start of that interval;
 * 3. else the time without a look must be at least the delay, because an awake interval that nobody ends lasts that long.
 */
function mayHideInterval(entry: ComputeEntry, look: Look, delay: AutosuspendDelay): boolean {
  const { startedAt, suspendedAt } = look.compute
  if (startedAt === undefined || startedAt === entry.compute.startedAt) return false
  if (entry.current !== undefined) return true
  if (suspendedAt !== entry.compute.suspendedAt && (suspendedAt ?? Infinity) <= startedAt) return true
  const from = Math.max(entry.observedAt, look.quietUntil ?? 0)
  return startedAt - from >= delayMillis(delay)
}

/** A transition is known, its operations are not read yet. */
export const awaitsOperations = ({
  transitionAt,
  operationsReadAt,
}: Pick<ComputeEntry, 'transitionAt' | 'operationsReadAt'>): boolean =>
  transitionAt !== undefined && (operationsReadAt === undefined || operationsReadAt < transitionAt)
