// CU-time of slices by price, with bounds, and the money it comes to.
import {
  addBounds,
  eachBound,
  type Bounds,
  type CuTimeByPrice,
  type AwakeSlice,
} from '../../model/ledger/quantities.ts'
import type { UsageAmounts } from '../../model/policy/budget.ts'
import { cuMillis, HOUR, micros, millis, type CuMillis, type Micros, type Millis } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { duration } from '../interval-math.ts'

export const NO_CU_TIME: Bounds<CuMillis> = eachBound(() => cuMillis(0))
export const NO_TIME: Bounds<Millis> = eachBound(() => millis(0))
export const NO_AMOUNTS: UsageAmounts = { awake: NO_TIME, cuTime: {} }

/** Whole CU·ms by price, so that roundings do not add up. */
export const addSliceAmounts = (sum: UsageAmounts, slices: readonly AwakeSlice[]): UsageAmounts => ({
  awake: addBounds(sum.awake, awakeBounds(slices), millis),
  cuTime: addCuTime(sum.cuTime, cuTimeOf(slices)),
})

/** Low: the certain part at the smallest size; high: the longest possible part at the largest size. */
export function cuTimeOf(slices: readonly AwakeSlice[]): CuTimeByPrice {
  const byPrice: Record<string, Bounds<CuMillis>> = {}
  for (const slice of slices) {
    const { low, likely, high, size } = slice
    const time = {
      low: cuMillis(duration(low) * size.low),
      likely: cuMillis(duration(likely) * size.likely),
      high: cuMillis(duration(high) * size.high),
    }
    byPrice[slice.price] = addBounds(byPrice[slice.price] ?? NO_CU_TIME, time, cuMillis)
  }
  return byPrice
}

export const awakeBounds = (slices: readonly AwakeSlice[]): Bounds<Millis> => ({
  low: millis(sumOf(slices, ({ low }) => duration(low))),
  likely: millis(sumOf(slices, ({ likely }) => duration(likely))),
  high: millis(sumOf(slices, ({ high }) => duration(high))),
})

export function addCuTime(a: CuTimeByPrice, b: CuTimeByPrice): CuTimeByPrice {
  if (isEmptyTime(b)) return a
  if (isEmptyTime(a)) return b
  const sum: Record<string, Bounds<CuMillis>> = { ...a }
  for (const [price, time] of Object.entries(b))
    sum[price] = addBounds(sum[price] ?? NO_CU_TIME, time, cuMillis)
  return sum
}

function isEmptyTime(time: CuTimeByPrice): boolean {
  for (const _ in time) return false
  return true
}

export const mapCuTime = (
  cuTime: CuTimeByPrice,
  convert: (time: Bounds<CuMillis>) => Bounds<CuMillis>,
): CuTimeByPrice => Object.fromEntries(Object.entries(cuTime).map(([price, time]) => [price, convert(time)]))

export const cuTimeSum = (cuTime: CuTimeByPrice): Bounds<CuMillis> =>
  Object.values(cuTime).reduce((sum, time) => addBounds(sum, time, cuMillis), NO_CU_TIME)

/** Computed once from whole CU·ms, so that no rounding adds up. */
export function spendOf(cuTime: CuTimeByPrice): Bounds<Micros> {
  const times = Object.entries(cuTime)
  const sum = (bound: keyof Bounds<number>) =>
    micros(sumOf(times, ([price, time]) => (time[bound] * Number(price)) / HOUR))
  return { low: sum('low'), likely: sum('likely'), high: sum('high') }
}
