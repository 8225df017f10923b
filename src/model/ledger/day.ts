// What a compute cost on one day, as it is kept for good.
import type { ComputeRef } from '../service/compute.ts'
import type { Bounds, CuTimeByPrice } from './quantities.ts'
import type { Instant, Millis } from '../units.ts'

/** One compute on one day of the account's zone. The rows of all days add up to the compute's totals, to the millisecond. */
export type DayRow = {
  readonly ref: ComputeRef
  /** `2026-11-20`; the day is `[from, to)`. */
  readonly date: string
  readonly from: Instant
  readonly to: Instant
  readonly awake: Bounds<Millis>
  readonly cuTime: CuTimeByPrice
  /** Awake after the last activity, of intervals that ended. */
  readonly idleTail: Millis
  /** Awake time that our own readings added; counted on the day on which it was told. */
  readonly observerOverhead: Millis
  /** Wakes whose interval began on this day; restarts are none. */
  readonly wakes: number
  /** 0 while the day is not over; 1 as it was first told afterwards; one more for each time that later facts restated it. */
  readonly version: number
}
