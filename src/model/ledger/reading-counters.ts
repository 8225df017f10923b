// What the counters that readings see come to, over restarts of the compute.
import type { Instant, Millis, Ratio } from '../units.ts'

/** Cache counters carried over restarts of the compute, and the share of the last stretch. */
export type AccumulatedCache = {
  /** The start of the server process the counters below belong to. */
  readonly incarnation: Instant
  readonly hits: number
  readonly misses: number
  readonly writes: number
  readonly totalHits: number
  readonly totalMisses: number
  readonly totalWrites: number
  /** Between the last two readings of one incarnation, or between its start and the only one; of the last such time in which anything was read. */
  readonly hitRatio: Ratio | undefined
}

/** What the counters of use grew by, between readings of one incarnation, without our own sessions. */
export type AccumulatedUsage = {
  readonly arrivals: number
  readonly activeTime: Millis
  /** Over the stretch between the last two readings of one incarnation; undefined before there are two. */
  readonly last:
    | {
        readonly span: Millis
        readonly arrivals: number
        /** Statements running at a time, on average. */
        readonly averageActive: number
      }
    | undefined
}
