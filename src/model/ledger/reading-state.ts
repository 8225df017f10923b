// Readings of one compute, as its ledger entry holds them, and their counters.
import type { Reading } from '../observation.ts'
import type { Instant, Millis, Ratio, Seconds } from '../units.ts'

/** Delay between an activity seen by a reading and its appearance in the record: in `[atLeast, atMost]`. */
export type ActivityLagSample = Readonly<{ atLeast: Seconds; atMost: Seconds }>

/** Seen by a reading, not yet shown by a look. */
export type PendingActivity = Readonly<{ at: Instant; atLeast: Seconds }>

export type ReadingState = Readonly<{
  attempts: number
  /** Last successful one. */
  last: (Reading & { readonly at: Instant }) | undefined
  lastAttemptAt: Instant | undefined
  lastSucceeded: boolean
  atLimit: boolean
  /** Since the last success. */
  failures: number
  /** Time of the last reading with a hit ratio. */
  cacheReadAt: Instant | undefined
  cache: AccumulatedCache | undefined
  /** Readings with a file cache limit that fits no size of the range. */
  sizeUnknown?: number
  usage: AccumulatedUsage
  /** Awake time that readings may still add; earned by awake time, spent by readings. */
  allowance: Seconds
  /** Spent by expected costs, because the real cost is not known yet. */
  reserved: Seconds
  /** Newest last. */
  lags: readonly ActivityLagSample[]
  pendingActivity: PendingActivity | undefined
  /** Compute's clock minus ours at the last reading. */
  clockOffset: Millis | undefined
  /** Why the last reading failed, or what it could not read. */
  problem: string | undefined
}>

/** Over restarts of the compute. */
export type AccumulatedCache = Readonly<{
  /** Start of the server that the next three belong to. */
  incarnation: Instant
  hits: number
  misses: number
  writes: number
  totalHits: number
  totalMisses: number
  totalWrites: number
  /** Between the last two readings of one incarnation with cache reads between them, or since its start at the first one. */
  hitRatio: Ratio | undefined
}>

/** Growth between readings of one incarnation, without our own sessions. */
export type AccumulatedUsage = Readonly<{
  arrivals: number
  activeTime: Millis
  /** Between the last two readings of one incarnation. */
  last:
    | Readonly<{
        span: Millis
        arrivals: number
        /** Statements running at a time, on average. */
        averageActive: number
      }>
    | undefined
}>
