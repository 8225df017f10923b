// Usage in numbers: bounds, prices, slices of awake time, days.
import type { ComputeRef } from '../service/compute.ts'
import type { Cu, CuMillis, Instant, Interval, Micros, Millis } from '../units.ts'

/** A value that is known to lie within `[low, high]`. */
export type Bounds<Value extends number> = Readonly<{ low: Value; likely: Value; high: Value }>

export const eachBound = <Value>(
  of: (bound: keyof Bounds<number>) => Value,
): Readonly<Record<keyof Bounds<number>, Value>> => ({
  low: of('low'),
  likely: of('likely'),
  high: of('high'),
})

export const addBounds = <Value extends number>(
  a: Bounds<Value>,
  b: Bounds<Value>,
  unit: (value: number) => Value,
): Bounds<Value> => ({
  low: unit(a.low + b.low),
  likely: unit(a.likely + b.likely),
  high: unit(a.high + b.high),
})

/** Each bound times `factor`; -1 makes the bounds that undo an addition. */
export const scaleBounds = <Value extends number>(
  bounds: Bounds<Value>,
  factor: number,
  unit: (value: number) => Value,
): Bounds<Value> => mapBounds(bounds, (value) => unit(factor * value))

export const mapBounds = <Value extends number>(
  bounds: Bounds<number>,
  convert: (value: number) => Value,
): Bounds<Value> => ({
  low: convert(bounds.low),
  likely: convert(bounds.likely),
  high: convert(bounds.high),
})

/** CU-time by price: micros per CU-hour, as text → CU·ms. */
export type CuTimeByPrice = Readonly<Record<string, Bounds<CuMillis>>>

export type Spend = Bounds<Micros>

/** Price of a CU-hour over time. */
export type Prices = Readonly<{
  /** A label, such as `USD`. */
  currency: string
  /** Ascending by `from`; the first holds for all time before it. Never empty. */
  periods: readonly Readonly<{ from: Instant; perCuHour: Micros }>[]
}>

/** Awake time of one compute with one size and one price. */
export type AwakeSlice = Readonly<{
  ref: ComputeRef
  /** Shortest, likely and longest time. */
  low: Interval
  likely: Interval
  high: Interval
  size: Bounds<Cu>
  /**
   * Branches it may have been used on, the likely one first. Absent where the compute never moved: the branch of its record.
   */
  branches?: readonly string[]
  /** The service scales the compute within `size`. */
  moves?: true
  /** Micros per CU-hour, as text: the key of `CuTimeByPrice`. */
  price: string
  /** No fact dates an edge of its interval. */
  assumed: boolean
}>

/** A compute's day in the account's zone. The rows of all days add up to the compute's totals, to the millisecond. */
export type DayRow = Interval &
  Readonly<{
    ref: ComputeRef
    /** `2026-11-20`; the day is `[from, to)`. */
    date: string
    awake: Bounds<Millis>
    cuTime: CuTimeByPrice
    /** Awake time after the last activity, of intervals that ended. */
    idleTail: Millis
    /** Added by our readings, on the day on which it was measured. */
    observerOverhead: Millis
    /** Intervals that began on this day, without restarts. */
    wakes: number
    /** 0 while in progress, 1 when first published afterwards, one more for each restatement. */
    version: number
  }>
