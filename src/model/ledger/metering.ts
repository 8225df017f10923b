// What the project list counts of one project, and what that tells of the sizes its computes had.
import type { CuMillis, Instant, Ratio, Seconds } from '../units.ts'

/** The count as it was read: CU-time since whenever, of some time ago. */
export type MeterReading = { readonly at: Instant; readonly cuTime: CuMillis }

/** How far from the least to the largest size of their ranges all computes of a project were, on average of `[from, to)`. */
export type RangeUtilisation = { readonly from: Instant; readonly to: Instant; readonly share: Ratio }

/** What was used of the CU-time that ranges leave open: their least size is none of it, their largest is all of it. */
export type Utilisation = { readonly used: CuMillis; readonly capacity: CuMillis }

/** From where on the count is shared out. */
export type MeterBaseline = {
  readonly until: Instant
  /** What the service had counted then. */
  readonly cuTime: CuMillis
  /** What the ledger had: the likely value, of all computes that are there. */
  readonly ledger: CuMillis
  /** Whether the count stood still around it, so that it is of that instant however late the service counts. */
  readonly still: boolean
}

/** From where on the count is compared with the bounds of the ledger. */
export type ComparisonStart = {
  readonly at: Instant
  readonly cuTime: CuMillis
  /** The bounds of the ledger up to then. */
  readonly low: CuMillis
  readonly high: CuMillis
  readonly still: boolean
  /** Whose they are: the endpoint ids, in order. */
  readonly computes: string
}

/** The service's count of `[from, to)` beside what it may be if the ledger is right. */
export type Reconciliation = {
  readonly from: Instant
  readonly to: Instant
  readonly metered: CuMillis
  readonly low: CuMillis
  readonly high: CuMillis
  /** How far outside of the bounds the count is, as a share of the larger of the two; 0 inside. Below 0 the service counts less than we do. */
  readonly outside: Ratio
  /** Whether this comparison and the one before were further outside than is tolerated: worth an alert. */
  readonly diverges: boolean
}

export type ProjectMetering = {
  /** The newest reading that differs from the one before. */
  readonly last: MeterReading
  /** Undefined until the count has moved, and after one that made no sense. */
  readonly base: MeterBaseline | undefined
  /** Ascending; the last one may still change. Those of some hours and the newest are kept. */
  readonly shares: readonly RangeUtilisation[]
  /** Of the stretch since `base`. */
  readonly current: Utilisation
  /** Of all before it, the older the less. */
  readonly utilisation: Utilisation
  /** How late the service counts, as it was last measured; undefined until it was. */
  readonly lag: { readonly atLeast: Seconds; readonly atMost: Seconds } | undefined
  /** Readings that were less than the one before, or more than can have been used. */
  readonly ignored: number
  readonly comparison?: ComparisonStart | undefined
  /** As it was last compared; undefined before an hour was counted. */
  readonly reconciliation?: Reconciliation | undefined
}
