// Readings of one compute, as its ledger entry holds them.
import type { AccumulatedCache, AccumulatedUsage } from './reading-counters.ts'
import type { Reading } from '../observation.ts'
import type { Instant, Millis, Seconds } from '../units.ts'

/** How late the service showed an activity whose time a reading told: somewhere in `[atLeast, atMost]`. */
export type ActivityLagSample = { readonly atLeast: Seconds; readonly atMost: Seconds }

/** An activity whose time a reading told, and that no look has shown yet. */
export type PendingActivity = { readonly at: Instant; readonly atLeast: Seconds }

/** What is kept of the readings of one compute. */
export type ReadingState = {
  readonly attempts: number
  /** The last one that read something. */
  readonly last: (Reading & { readonly at: Instant }) | undefined
  readonly lastAttemptAt: Instant | undefined
  readonly lastSucceeded: boolean
  readonly atLimit: boolean
  /** Attempts after the last one that read something. */
  readonly failures: number
  /** When a reading last told a hit ratio. */
  readonly cacheReadAt: Instant | undefined
  readonly cache: AccumulatedCache | undefined
  /** Readings whose limit of the file cache fits no size of the range; absent where there is none. */
  readonly sizeUnknown?: number
  readonly usage: AccumulatedUsage
  /** Awake seconds the observer may still cost; earned by awake time, spent by readings. */
  readonly allowance: Seconds
  /** Of the credit spent: what readings were expected to cost whose true cost is not known yet. */
  readonly reserved: Seconds
  /** The newest last. */
  readonly lags: readonly ActivityLagSample[]
  readonly pendingActivity: PendingActivity | undefined
  /** Log2 of seconds, rounded down → how often others came back after so long; beside the suspensions it tells how likely silence is. */
  readonly gapCounts: readonly number[]
  /** What the compute's clock was ahead of ours at the last reading; undefined before the first. */
  readonly clockOffset: Millis | undefined
  /** Why the last reading failed, or what it could not see. */
  readonly problem: string | undefined
}
