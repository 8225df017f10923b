// What is kept of the looks and readings of one compute: sums over fixed stretches of time.
import type { ComputeRef, ComputeState } from './compute.ts'
import { seconds, type Bytes, type Cu, type Instant, type Millis, type Ratio, type Seconds } from './units.ts'

/** Steps of a day's load. Doubled, half the rows, and a burst of five minutes is lost among its neighbours. */
export const FINE: Seconds = seconds(300)
/** Steps of a season. */
export const COARSE: Seconds = seconds(3600)

/** Samples of one quantity: their mean is `sum / count`; `count` is at least 1. */
export type Spread<Value extends number = number> = {
  readonly count: number
  readonly sum: number
  readonly min: Value
  readonly max: Value
}

/** Client connections by state, over the readings that could count them. */
export type ConnectionSpread = {
  readonly active: Spread
  readonly idle: Spread
  readonly idleInTransaction: Spread
  readonly other: Spread
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
  readonly size: (Spread<Cu> & { readonly source: 'fixed' | 'estimated' }) | undefined
  readonly connections: ConnectionSpread | undefined
  /** What the cache's counters grew by within one incarnation, and over how long: that may reach back before the stretch. */
  readonly cache: { readonly hits: number; readonly misses: number; readonly over: Millis } | undefined
  /** The most that was in use at a reading. */
  readonly cacheUsed: Bytes | undefined
}

/** A stretch that is over. One in which nothing but sleep was seen is not kept: awake intervals say when a compute slept. */
export type Rollup = RollupSums & {
  readonly ref: ComputeRef
  /** `FINE` or `COARSE`. */
  readonly length: Seconds
  /** Who held sessions, the most first, at most five. */
  readonly culprits: readonly Culprit[]
}

/** The share is of the sessions of all names that were remembered. */
export type Culprit = { readonly name: string; readonly share: Ratio }

/** A stretch that goes on. */
export type OpenRollup = RollupSums & {
  /** Name → sessions, summed over the readings. */
  readonly sessions: Readonly<Record<string, number>>
}

/** What is remembered between two looks: it is part of the compute's account, so that a crash loses nothing. */
export type RollupState = {
  readonly fine: OpenRollup | undefined
  readonly coarse: OpenRollup | undefined
  /** The last stretch in which looks showed it asleep without a break; undefined once it was seen awake. */
  readonly asleep: { readonly from: Instant; readonly to: Instant } | undefined
  /** The counters of the last reading that told them. */
  readonly cache: CountedCache | undefined
}

/** Counters of the file cache at an instant of the compute's clock. */
export type CountedCache = {
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
export type Gap = { readonly low: Millis; readonly high: Millis }
