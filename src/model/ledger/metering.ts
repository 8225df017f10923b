// The service's own metering of a project, and what it says about sizes.
import type { CuMillis, Instant, Ratio, Seconds, Interval } from '../units.ts'

/** True of an earlier time (metering lag). */
export type MeterReading = Readonly<{ at: Instant; cuTime: CuMillis }>

/** Average position of a project's computes in their size ranges: 0 smallest, 1 largest. */
export type RangeUtilisation = Interval & { readonly share: Ratio }

/** CU-time above the smallest sizes of the ranges: used, and possible at the largest sizes. */
export type Utilisation = Readonly<{ used: CuMillis; capacity: CuMillis }>

/** From here on metered CU-time is distributed over the computes. */
export type MeterBaseline = Readonly<{
  until: Instant
  /** Metered. */
  cuTime: CuMillis
  /** Likely, of all existing computes in the ledger. */
  ledger: CuMillis
  /** The meter did not move around `until`: the metering lag does not matter. */
  still: boolean
}>

/** From here on metering is compared with the ledger. */
export type ComparisonStart = Readonly<{
  at: Instant
  cuTime: CuMillis
  /** Bounds of the ledger. */
  low: CuMillis
  high: CuMillis
  still: boolean
  /** Endpoint ids of the computes in the bounds, in order. */
  computes: string
}>

/** Metered CU-time beside the ledger's bounds. */
export type Reconciliation = Interval &
  Readonly<{
    metered: CuMillis
    low: CuMillis
    high: CuMillis
    /** Distance from the bounds as a share of the larger value; negative when the service meters less. */
    outside: Ratio
    /** This comparison and the one before exceed the tolerance. */
    diverges: boolean
  }>

export type ProjectMetering = Readonly<{
  /** Newest reading that differs from the one before. */
  last: MeterReading
  /** Undefined until the meter has moved, and after an implausible reading. */
  base: MeterBaseline | undefined
  /** Utilisation of recent hours, ascending; the last one may still change. */
  shares: readonly RangeUtilisation[]
  /** Since `base`. */
  current: Utilisation
  /** Before `base`, older time with less weight. */
  utilisation: Utilisation
  /** Metering lag as last measured. */
  lag: Readonly<{ atLeast: Seconds; atMost: Seconds }> | undefined
  /** Readings below the one before, or above the possible use. */
  ignored: number
  comparison?: ComparisonStart | undefined
  /** Last comparison; undefined before an hour was metered. */
  reconciliation?: Reconciliation | undefined
}>
