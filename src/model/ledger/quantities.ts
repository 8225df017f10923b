import type { CuMillis, Micros } from '../units.ts'

/** A value that is known to lie within `[low, high]`. */
export type Bounds<Value extends number> = {
  readonly low: Value
  readonly likely: Value
  readonly high: Value
}

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
  { low, likely, high }: Bounds<Value>,
  factor: number,
  unit: (value: number) => Value,
): Bounds<Value> => ({ low: unit(factor * low), likely: unit(factor * likely), high: unit(factor * high) })

export const mapBounds = <Value extends number>(
  { low, likely, high }: Bounds<number>,
  convert: (value: number) => Value,
): Bounds<Value> => ({ low: convert(low), likely: convert(likely), high: convert(high) })

/** CU-time by price: micros per CU-hour, as text → CU·ms. */
export type CuTimeByPrice = Readonly<Record<string, Bounds<CuMillis>>>

export type Spend = Bounds<Micros>
