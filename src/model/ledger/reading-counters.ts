// Counters of readings, accumulated over restarts of the compute.
import type { Instant, Millis, Ratio } from '../units.ts'

/** Cache counters over restarts of the compute, and the last hit ratio. */
export type AccumulatedCache = {
  /** Start of the server process that the next three counters belong to. */
  readonly incarnation: Instant
  readonly hits: number
  readonly misses: number
  readonly writes: number
  readonly totalHits: number
  readonly totalMisses: number
  readonly totalWrites: number
  /** Hit ratio between the last two readings of one incarnation with cache reads between them, or since its start at the first reading. */
  readonly hitRatio: Ratio | undefined
}

/** Growth of the usage counters between readings of one incarnation, without our own sessions. */
export type AccumulatedUsage = {
  readonly arrivals: number
  readonly activeTime: Millis
  /** Usage between the last two readings of one incarnation; undefined before there are two. */
  readonly last:
    | {
        readonly span: Millis
        readonly arrivals: number
        /** Statements running at a time, on average. */
        readonly averageActive: number
      }
    | undefined
}
