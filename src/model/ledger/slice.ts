// Awake time cut where size or price changes, for sums by day, budget and window.
import type { ComputeRef } from '../service/compute.ts'
import type { Bounds } from './quantities.ts'
import type { Interval } from '../time.ts'
import type { Cu } from '../units.ts'

/** Part of one compute's awake time with one size and one price. */
export type AwakeSlice = Readonly<{
  ref: ComputeRef
  /** Shortest, likely and longest time that the slice may cover. */
  low: Interval
  likely: Interval
  high: Interval
  size: Bounds<Cu>
  /** The service scales the compute within `size`, so the current size may have changed during the slice. */
  moves?: true
  /** Micros per CU-hour, as text: the key of `CuTimeByPrice`. */
  price: string
  /** Whether no fact dates an edge of its interval. */
  assumed: boolean
}>
