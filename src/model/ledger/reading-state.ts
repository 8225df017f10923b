// Readings of one compute, as its ledger entry holds them, and their counters.
import type { Reading } from '../observation.ts'
import type { Instant, Millis, Ratio, Seconds } from '../units.ts'

/** Measured delay between an activity seen by a reading and its appearance in the service's record: in `[atLeast, atMost]`. */
export type ActivityLagSample = Readonly<{ atLeast: Seconds; atMost: Seconds }>

/** Activity seen by a reading and not yet shown by a look. */
export type PendingActivity = Readonly<{ at: Instant; atLeast: Seconds }>

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

/** Cache counters over restarts of the compute, and the last hit ratio. */
export type AccumulatedCache = Readonly<{
  /** Start of the server process that the next three counters belong to. */
  incarnation: Instant
  hits: number
  misses: number
  writes: number
  totalHits: number
  totalMisses: number
  totalWrites: number
  /** Hit ratio between the last two readings of one incarnation with cache reads between them, or since its start at the first reading. */
  hitRatio: Ratio | undefined
}>

/** Growth of the usage counters between readings of one incarnation, without our own sessions. */
export type AccumulatedUsage = Readonly<{
  arrivals: number
  activeTime: Millis
  /** Usage between the last two readings of one incarnation; undefined before there are two. */
  last:
    | Readonly<{
        span: Millis
        arrivals: number
        /** Statements running at a time, on average. */
        averageActive: number
      }>
    | undefined
}>
