// Looks and readings of one compute, summed over fixed buckets of time.
import type { ComputeRef, ComputeState } from '../service/compute.ts'
import type { Attribution } from './evidence.ts'
import {
  seconds,
  type Bytes,
  type Cu,
  type Instant,
  type Millis,
  type Ratio,
  type Seconds,
  type Interval,
} from '../units.ts'

/** Length of a fine bucket, 5 minutes: short enough to show a burst of five minutes in a day's load. */
export const FINE_STEP: Seconds = seconds(300)
/** Length of a coarse bucket, one hour: fine enough to show daily and weekly patterns over a season. */
export const COARSE_STEP: Seconds = seconds(3600)

/** The mean is `sum / count`; `count` is at least 1. */
export type SampleSummary<Value extends number> = Readonly<{
  count: number
  sum: number
  min: Value
  max: Value
}>

/** The mean is `sum` divided by the number of samples. */
export type SumAndPeak = Readonly<{ sum: number; max: number }>

/** Over the `count` readings that could count clients, at least 1. */
export type ConnectionPeaks = Readonly<{
  count: number
  /** In any state: not the sum of the peaks by state. */
  all: SumAndPeak
  active: SumAndPeak
  idle: SumAndPeak
  idleInTransaction: SumAndPeak
  other: SumAndPeak
}>

/** Sums over a bucket; undefined where no look or reading had a value. */
export type RollupSums = Readonly<{
  /** Start: a whole multiple of the bucket length since 1970, UTC. */
  from: Instant
  /** Between looks that agree, or up to a transition that the record dates. The rest of the bucket is unobserved. */
  time: Readonly<Record<ComputeState, Millis>>
  /**
   * Part of the awake time in which activity was followed: looks or project lists at most 120 s apart showed it. Without a gap a busy compute was followed,
   * too; a day counts as followed by this share of its awake time. While asleep nothing has to be followed.
   */
  followed: Millis
  /** Successful readings. */
  readings: number
  /** While awake: `fixed` by the record at each look, `estimated` by the file cache limit at each reading. */
  size: (SampleSummary<Cu> & { readonly source: 'fixed' | 'estimated' }) | undefined
  connections: ConnectionPeaks | undefined
  /** Connections that clients could have, the fewest at a reading. */
  connectionLimit: number | undefined
  /** At the last reading before each suspension in the bucket. */
  idleAtSuspension: (SumAndPeak & { readonly count: number }) | undefined
  /** Growth within one incarnation, and its length, which may start before the bucket. */
  cache: CacheGrowth | undefined
  /** Largest use at a reading. */
  cacheUsed: Bytes | undefined
  /** At the reading with the largest use. */
  cacheLimit: Bytes | undefined
  /** Largest at a reading, for the longest period it covers. */
  workingSet: Bytes | undefined
  /** Growth within one incarnation, and its length: `activeTime / over` is the average number of active sessions. */
  use: Readonly<{ arrivals: number; activeTime: Millis; over: Millis }> | undefined
  /** Age of the oldest client transaction at a reading. */
  longestTransaction: Seconds | undefined
}>

export type CacheGrowth = Readonly<{
  hits: number
  misses: number
  /** Part of the hits and misses that were counted after the server's warm-up. */
  warmHits: number
  warmMisses: number
  over: Millis
}>

/** Finished. Buckets with sleep alone are not stored: awake intervals show it. */
export type Rollup = RollupSums &
  Readonly<{
    ref: ComputeRef
    /** `FINE_STEP` or `COARSE_STEP`. */
    length: Seconds
    /** Largest share first, at most five. */
    culprits: readonly CulpritShare[]
  }>

/** A `culpritKey` with its share of the readings that found one, to a thousandth. */
export type CulpritShare = Readonly<{ culprit: string; share: Ratio }>

/** In progress. */
export type OpenRollup = RollupSums & {
  /** Every reading has the same weight. */
  readonly attribution: Attribution
}

/** In progress, in the compute's ledger entry: a crash loses nothing. */
export type RollupState = Readonly<{
  fine: OpenRollup | undefined
  coarse: OpenRollup | undefined
  /** Latest time in which all looks showed the compute asleep. */
  asleep: Interval | undefined
  /** Counters of the last reading with cache statistics. */
  cache: CacheBaseline | undefined
}>

/** At an instant of the compute's clock. */
export type CacheBaseline = Readonly<{
  /** Start of the server that the counters belong to. */
  incarnation: Instant
  at: Instant
  hits: number
  misses: number
}>

export const NO_ROLLUPS: RollupState = {
  fine: undefined,
  coarse: undefined,
  asleep: undefined,
  cache: undefined,
}
