// Usage of one compute on one day, as stored.
import type { ComputeRef } from '../service/compute.ts'
import type { Bounds, CuTimeByPrice } from './quantities.ts'
import type { Interval } from '../time.ts'
import type { Millis } from '../units.ts'

/** Usage of a compute on a day of the account's zone. The rows of all days add up to the compute's totals, to the millisecond. */
export type DayRow = Interval & {
  readonly ref: ComputeRef
  /** `2026-11-20`; the day is `[from, to)`. */
  readonly date: string
  readonly awake: Bounds<Millis>
  readonly cuTime: CuTimeByPrice
  /** Awake time after the last activity, of intervals that ended. */
  readonly idleTail: Millis
  /** Awake time added by our own readings, on the day on which it was measured. */
  readonly observerOverhead: Millis
  /** Wakes whose interval began on this day, restarts excluded. */
  readonly wakes: number
  /** 0 while the day is in progress, 1 when first published afterwards, one more for each restatement. */
  readonly version: number
}
