// Awake time as what is counted by period counts it: by day, by budget, by window.
import type { ComputeRef } from '../service/compute.ts'
import type { Bounds } from './quantities.ts'
import type { Cu, Instant } from '../units.ts'

/** `[from, to)`; never negative. */
export type Span = readonly [from: Instant, to: Instant]

/** A stretch of one compute's awake time in which one size and one price hold. */
export type AwakeSlice = {
  readonly ref: ComputeRef
  /** The shortest, the likely and the longest time that it may cover. */
  readonly low: Span
  readonly likely: Span
  readonly high: Span
  readonly size: Bounds<Cu>
  /** The compute may have had any size between them, and moved: the service sizes it by itself. */
  readonly moves?: true
  /** Micros per CU-hour, as text: the key of `CuTimeByPrice`. */
  readonly price: string
  /** Whether an end of its interval was dated by no fact. */
  readonly assumed: boolean
}
