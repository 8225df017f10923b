// Counters of readings, accumulated over restarts of the compute.
import type { Instant, Millis, Ratio } from '../units.ts'

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
    | {
        readonly span: Millis
        readonly arrivals: number
        /** Statements running at a time, on average. */
        readonly averageActive: number
      }
    | undefined
}>
