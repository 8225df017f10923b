// Awake time cut where size or price changes, for sums by day, budget and window.
import type { ComputeRef } from '../service/compute.ts'
import type { Bounds } from './quantities.ts'
import type { Interval } from '../time.ts'
import type { Cu } from '../units.ts'

/** Part of one compute's awake time with one size and one price. */
export type AwakeSlice = {
  readonly ref: ComputeRef
  /** Shortest, likely and longest time that the slice may cover. */
  readonly low: Interval
  readonly likely: Interval
  readonly high: Interval
  readonly size: Bounds<Cu>
  /** The service scales the compute within `size`, so the current size may have changed during the slice. */
  readonly moves?: true
  /** Micros per CU-hour, as text: the key of `CuTimeByPrice`. */
  readonly price: string
  /** Whether no fact dates an edge of its interval. */
  readonly assumed: boolean
}
