// The service's own metering of a project, and what it implies about the sizes of the computes.
import type { CuMillis, Instant, Ratio, Seconds, Interval } from '../units.ts'

/** Metered CU-time as read at an instant; true of an earlier time (metering lag). */
export type MeterReading = Readonly<{ at: Instant; cuTime: CuMillis }>

/** Average position of a project's computes within their size ranges over `[from, to)`: 0 smallest, 1 largest. */
export type RangeUtilisation = Interval & { readonly share: Ratio }

/** CU-time above the smallest sizes of the ranges: used, and possible at the largest sizes. */
export type Utilisation = Readonly<{ used: CuMillis; capacity: CuMillis }>

/** Start of the interval for which metered CU-time is distributed over the computes. */
export type MeterBaseline = Readonly<{
  until: Instant
  /** Metered CU-time at `until`. */
  cuTime: CuMillis
  /** Likely CU-time of all existing computes in the ledger at `until`. */
  ledger: CuMillis
  /** Whether the meter did not move around `until`, so that its value does not depend on the metering lag. */
  still: boolean
}>

/** Start of the interval in which metering is compared with the ledger. */
export type ComparisonStart = Readonly<{
  at: Instant
  cuTime: CuMillis
  /** Bounds of the ledger's CU-time at `at`. */
  low: CuMillis
  high: CuMillis
  still: boolean
  /** Endpoint ids of the computes in the bounds, in order. */
  computes: string
}>

/** Metered CU-time of `[from, to)` beside the ledger's bounds. */
export type Reconciliation = Interval &
  Readonly<{
    metered: CuMillis
    low: CuMillis
    high: CuMillis
    /** Distance from the bounds, as a share of the larger value; 0 inside, negative when the service meters less than the ledger. */
    outside: Ratio
    /** Whether this comparison and the one before exceed the tolerance. */
    diverges: boolean
  }>

export type ProjectMetering = Readonly<{
  /** Newest reading that differs from the one before. */
  last: MeterReading
  /** Undefined until the meter has moved, and after an implausible reading. */
  base: MeterBaseline | undefined
  /** Ascending, limited to recent hours; the last one may still change. */
  shares: readonly RangeUtilisation[]
  /** Utilisation since `base`. */
  current: Utilisation
  /** Utilisation before `base`, older time with less weight. */
  utilisation: Utilisation
  /** Metering lag as last measured; undefined before the first measurement. */
  lag: Readonly<{ atLeast: Seconds; atMost: Seconds }> | undefined
  /** Number of readings below the one before, or above the possible use. */
  ignored: number
  comparison?: ComparisonStart | undefined
  /** Last comparison; undefined before an hour was metered. */
  reconciliation?: Reconciliation | undefined
}>
