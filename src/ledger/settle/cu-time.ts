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
    const time = eachBound((bound) => cuMillis(duration(slice[bound]) * slice.size[bound]))
    byPrice[slice.price] = addBounds(byPrice[slice.price] ?? NO_CU_TIME, time, cuMillis)
  }
  return byPrice
}

export const awakeBounds = (slices: readonly AwakeSlice[]): Bounds<Millis> =>
  eachBound((bound) => millis(slices.reduce((sum, slice) => sum + duration(slice[bound]), 0)))

export function addCuTime(a: CuTimeByPrice, b: CuTimeByPrice): CuTimeByPrice {
  const sum: Record<string, Bounds<CuMillis>> = { ...a }
  for (const [price, time] of Object.entries(b))
    sum[price] = addBounds(sum[price] ?? NO_CU_TIME, time, cuMillis)
  return sum
}

export const mapCuTime = (
  cuTime: CuTimeByPrice,
  convert: (time: Bounds<CuMillis>) => Bounds<CuMillis>,
): CuTimeByPrice => Object.fromEntries(Object.entries(cuTime).map(([price, time]) => [price, convert(time)]))

export const cuTimeSum = (cuTime: CuTimeByPrice): Bounds<CuMillis> =>
  Object.values(cuTime).reduce((sum, time) => addBounds(sum, time, cuMillis), NO_CU_TIME)

/** Computed once from whole CU·ms, so that no rounding adds up. */
export const spendOf = (cuTime: CuTimeByPrice): Bounds<Micros> =>
  eachBound((bound) =>
    micros(
      Object.entries(cuTime).reduce((sum, [price, time]) => sum + (time[bound] * Number(price)) / HOUR, 0),
    ),
  )
