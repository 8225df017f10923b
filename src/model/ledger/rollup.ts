// What is kept of the looks and readings of one compute: sums over fixed stretches of time.
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
} from '../units.ts'

/** Steps of a day's load. Doubled, half the rows, and a burst of five minutes is lost among its neighbours. */
export const FINE_STEP: Seconds = seconds(300)
/** Steps of a season. */
export const COARSE_STEP: Seconds = seconds(3600)

/** Samples of one quantity: their mean is `sum / count`; `count` is at least 1. */
export type SampleSummary<Value extends number> = {
  readonly count: number
  readonly sum: number
  readonly min: Value
  readonly max: Value
}

/** The mean is `sum` by the number of samples. */
export type SumAndPeak = { readonly sum: number; readonly max: number }

/** Client connections over the readings that could count them, `count` of them, at least 1. */
export type ConnectionPeaks = {
  readonly count: number
  /** Of all states together: its peak is not the sum of theirs. */
  readonly all: SumAndPeak
  readonly active: SumAndPeak
  readonly idle: SumAndPeak
  readonly idleInTransaction: SumAndPeak
  readonly other: SumAndPeak
}

/** Sums over a stretch of time; what no look and no reading could tell is undefined. */
export type RollupSums = {
  /** A whole multiple of the length since 1970, UTC. */
  readonly from: Instant
  /** Time seen in each state: between looks that agree, or up to a change that the record dates. Nobody saw the rest of the stretch. */
  readonly time: Readonly<Record<ComputeState, Millis>>
  /** Readings that read something. */
  readonly readings: number
  /** The size while awake: `fixed` as the record says, at each look; `estimated` from the limit of the file cache, at each reading. */
  readonly size: (SampleSummary<Cu> & { readonly source: 'fixed' | 'estimated' }) | undefined
  readonly connections: ConnectionPeaks | undefined
  /** What the cache's counters grew by within one incarnation, and over how long: that may reach back before the stretch. */
  readonly cache: { readonly hits: number; readonly misses: number; readonly over: Millis } | undefined
  /** The most that was in use at a reading. */
  readonly cacheUsed: Bytes | undefined
  /** The most that was touched within the longest window a reading tells of. */
  readonly workingSet: Bytes | undefined
  /**
   * New sessions and time in statements of others, as their counters grew by within one incarnation, and over how long.
   * `activeTime / over` is the average of active sessions.
   */
  readonly use: { readonly arrivals: number; readonly activeTime: Millis; readonly over: Millis } | undefined
  /** The oldest transaction of a client at a reading. */
  readonly longestTransaction: Seconds | undefined
}

/** A stretch that is over. One in which nothing but sleep was seen is not kept: awake intervals say when a compute slept. */
export type Rollup = RollupSums & {
  readonly ref: ComputeRef
  /** `FINE_STEP` or `COARSE_STEP`. */
  readonly length: Seconds
  /** Who held the compute awake when readings saw it, the most first, at most five. */
  readonly culprits: readonly CulpritShare[]
}

/** A `culpritKey`, and its share of the readings that saw anybody, to a thousandth. */
export type CulpritShare = { readonly culprit: string; readonly share: Ratio }

/** A stretch that goes on. */
export type OpenRollup = RollupSums & {
  /** Each reading weighs the same. */
  readonly attribution: Attribution
}

/** What is remembered between two looks: it is part of the compute's account, so that a crash loses nothing. */
export type RollupState = {
  readonly fine: OpenRollup | undefined
  readonly coarse: OpenRollup | undefined
  /** The last stretch in which looks showed it asleep without a break; undefined once it was seen awake. */
  readonly asleep: { readonly from: Instant; readonly to: Instant } | undefined
  /** The counters of the last reading that told them. */
  readonly cache: CacheBaseline | undefined
}

/** Counters of the file cache at an instant of the compute's clock. */
export type CacheBaseline = {
  /** The start of the server process they belong to. */
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

/**
 * The time between two activities that a suspension separated. It lies somewhere in `[low, high]`: an edge seen between two
 * looks is known no better.
 */
export type SuspensionGap = { readonly low: Millis; readonly high: Millis }
