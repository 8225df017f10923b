import type { CuMillis, Micros } from '../units.ts'

/** A value that is known to lie within `[low, high]`. */
export type Bounds<Value extends number> = Readonly<{
  low: Value
  likely: Value
  high: Value
}>

/** A value for each bound. */
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
): Bounds<Value> => eachBound((bound) => unit(a[bound] + b[bound]))

/** Each bound times `factor`; -1 makes the bounds that undo an addition. */
export const scaleBounds = <Value extends number>(
  bounds: Bounds<Value>,
  factor: number,
  unit: (value: number) => Value,
): Bounds<Value> => mapBounds(bounds, (value) => unit(factor * value))

export const mapBounds = <Value extends number>(
  bounds: Bounds<number>,
  convert: (value: number) => Value,
): Bounds<Value> => eachBound((bound) => convert(bounds[bound]))

/** CU-time by price: micros per CU-hour, as text → CU·ms. */
export type CuTimeByPrice = Readonly<Record<string, Bounds<CuMillis>>>

export type Spend = Bounds<Micros>
