// Rollups: looks and readings of one compute, summed over fixed buckets of time.
import type { ComputeRef, ComputeState } from '../service/compute.ts'
import type { Attribution } from './evidence.ts'
import type { Interval } from '../time.ts'
import {
  seconds,
  type Bytes,
  type Cu,
  type Instant,
  type Millis,
  type Ratio,
  type Seconds,
} from '../units.ts'

/** Length of a fine bucket, 5 minutes: short enough to show a burst of five minutes in a day's load. */
export const FINE_STEP: Seconds = seconds(300)
/** Length of a coarse bucket, one hour: fine enough to show daily and weekly patterns over a season. */
export const COARSE_STEP: Seconds = seconds(3600)

/** Samples of one quantity: their mean is `sum / count`; `count` is at least 1. */
export type SampleSummary<Value extends number> = {
  readonly count: number
  readonly sum: number
  readonly min: Value
  readonly max: Value
}

/** The mean is `sum` divided by the number of samples. */
export type SumAndPeak = { readonly sum: number; readonly max: number }

/** Client connections over the `count` readings that could count them; `count` is at least 1. */
export type ConnectionPeaks = {
  readonly count: number
  /** Connections in any state: the peak is not the sum of the peaks by state. */
  readonly all: SumAndPeak
  readonly active: SumAndPeak
  readonly idle: SumAndPeak
  readonly idleInTransaction: SumAndPeak
  readonly other: SumAndPeak
}

/** Sums over a bucket; undefined where no look or reading had a value. */
export type RollupSums = {
  /** Start: a whole multiple of the bucket length since 1970, UTC. */
  readonly from: Instant
  /** Observed time by state: between looks that agree, or up to a transition that the record dates. The rest of the bucket is unobserved. */
  readonly time: Readonly<Record<ComputeState, Millis>>
  /** Successful readings. */
  readonly readings: number
  /** Size while awake: `fixed` from the record at each look, `estimated` from the file cache limit at each reading. */
  readonly size: (SampleSummary<Cu> & { readonly source: 'fixed' | 'estimated' }) | undefined
  readonly connections: ConnectionPeaks | undefined
  /** Growth of the cache counters within one incarnation, and its length, which may start before the bucket. */
  readonly cache: { readonly hits: number; readonly misses: number; readonly over: Millis } | undefined
  /** Largest use at a reading. */
  readonly cacheUsed: Bytes | undefined
  /** Largest working set at a reading, for the longest period it covers. */
  readonly workingSet: Bytes | undefined
  /**
   * Growth of client sessions and client statement time within one incarnation, and its length. `activeTime / over` is the
   * average number of active sessions.
   */
  readonly use: { readonly arrivals: number; readonly activeTime: Millis; readonly over: Millis } | undefined
  /** Age of the oldest client transaction at a reading. */
  readonly longestTransaction: Seconds | undefined
}

/** Finished bucket. Buckets with sleep alone are not stored: awake intervals already show it. */
export type Rollup = RollupSums & {
  readonly ref: ComputeRef
  /** `FINE_STEP` or `COARSE_STEP`. */
  readonly length: Seconds
  /** Culprits seen by readings, largest share first, at most five. */
  readonly culprits: readonly CulpritShare[]
}

/** A `culpritKey`, and its share of the readings that found a culprit, to a thousandth. */
export type CulpritShare = { readonly culprit: string; readonly share: Ratio }

/** Bucket in progress. */
export type OpenRollup = RollupSums & {
  /** Every reading has the same weight. */
  readonly attribution: Attribution
}

/** Rollups in progress. Part of the compute's ledger entry, so that a crash loses nothing. */
export type RollupState = {
  readonly fine: OpenRollup | undefined
  readonly coarse: OpenRollup | undefined
  /** Latest interval in which all looks showed the compute asleep; undefined after a look that showed it awake. */
  readonly asleep: Interval | undefined
  /** Counters of the last reading with cache statistics. */
  readonly cache: CacheBaseline | undefined
}

/** File cache counters at an instant of the compute's clock. */
export type CacheBaseline = {
  /** Start of the server process that the counters belong to. */
  readonly incarnation: Instant
  readonly at: Instant
  readonly hits: number
  readonly misses: number
}

export const NO_ROLLUPS: RollupState = {
  fine: undefined,
  coarse: undefined,
  asleep: undefined,
  cache: undefined,
}
