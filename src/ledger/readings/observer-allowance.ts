import type { AutosuspendDelay } from '../../model/service/compute.ts'
import type { ReadingState } from '../../model/ledger/reading-state.ts'
import { seconds, type Seconds } from '../../model/units.ts'

/** What a fold tells of the observer's budget of one compute, seconds. */
export type ObserverSpending = {
  /** Time awake since the fold before. */
  readonly awake: Seconds
  readonly overhead: number
  readonly delay: AutosuspendDelay
  /** What new readings are expected to cost. */
  readonly expected: Seconds
  /** What readings turned out to have added since the fold before. */
  readonly added: Seconds
  /** Whether the true cost of all readings before these is known. */
  readonly settled: boolean
}

/**
 * The observer's budget: awake time earns it, at most one delay in all. A reading reserves what it is expected to cost
 * until its true cost is known, and that is paid in its place.
 */
export function updateObserverAllowance(
  { allowance, reserved }: Pick<ReadingState, 'allowance' | 'reserved'>,
  { awake, overhead, delay, expected, added, settled }: ObserverSpending,
): Pick<ReadingState, 'allowance' | 'reserved'> {
  const most = delay === 'never' ? Number.POSITIVE_INFINITY : delay
  const freed = settled ? reserved : 0
  const earned = Math.min(most, allowance + Math.max(0, awake) * overhead + freed)
  return { allowance: seconds(earned - added - expected), reserved: seconds(reserved - freed + expected) }
}
