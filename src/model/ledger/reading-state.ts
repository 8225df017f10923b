// Readings of one compute, as its ledger entry holds them.
import type { AccumulatedCache, AccumulatedUsage } from './reading-counters.ts'
import type { Reading } from '../observation.ts'
import type { Instant, Millis, Seconds } from '../units.ts'

/** Measured delay between an activity seen by a reading and its appearance in the service's record: in `[atLeast, atMost]`. */
export type ActivityLagSample = { readonly atLeast: Seconds; readonly atMost: Seconds }

/** Activity seen by a reading and not yet shown by a look. */
export type PendingActivity = { readonly at: Instant; readonly atLeast: Seconds }

/** State of the readings of one compute. */
export type ReadingState = Readonly<{
  attempts: number
  /** Last successful reading. */
  last: (Reading & { readonly at: Instant }) | undefined
  lastAttemptAt: Instant | undefined
  lastSucceeded: boolean
  atLimit: boolean
  /** Failed attempts since the last success. */
  failures: number
  /** Time of the last reading with a hit ratio. */
  cacheReadAt: Instant | undefined
  cache: AccumulatedCache | undefined
  /** Readings with a file cache limit that fits no size of the range; absent where there are none. */
  sizeUnknown?: number
  usage: AccumulatedUsage
  /** Observer allowance: awake seconds that readings may still add; earned by awake time, spent by readings. */
  allowance: Seconds
  /** Part of the spent allowance that rests on expected costs, because the real cost is not known yet. */
  reserved: Seconds
  /** Newest last. */
  lags: readonly ActivityLagSample[]
  pendingActivity: PendingActivity | undefined
  /** Compute's clock minus ours at the last reading; undefined before the first. */
  clockOffset: Millis | undefined
  /** Why the last reading failed, or what it could not read. */
  problem: string | undefined
}>
