// CU-time of slices by price, with bounds, and the money it comes to.
import { addBounds, type Bounds, type CuTimeByPrice } from '../../model/ledger/quantities.ts'
import type { AwakeSlice } from '../../model/ledger/slice.ts'
import { cuMillis, HOUR, micros, millis, type CuMillis, type Micros, type Millis } from '../../model/units.ts'
import { duration } from '../interval-math.ts'

export const NO_CU_TIME: Bounds<CuMillis> = { low: cuMillis(0), likely: cuMillis(0), high: cuMillis(0) }
export const NO_TIME: Bounds<Millis> = { low: millis(0), likely: millis(0), high: millis(0) }

/** Low: the certain part at the smallest size; high: the longest possible part at the largest size. */
export function cuTimeOf(slices: readonly AwakeSlice[]): CuTimeByPrice {
  const byPrice: Record<string, Bounds<CuMillis>> = {}
  for (const { low, likely, high, size, price } of slices) {
    const time = {
      low: cuMillis(duration(low) * size.low),
      likely: cuMillis(duration(likely) * size.likely),
      high: cuMillis(duration(high) * size.high),
    }
    byPrice[price] = addBounds(byPrice[price] ?? NO_CU_TIME, time, cuMillis)
  }
  return byPrice
}

export const awakeBounds = (slices: readonly AwakeSlice[]): Bounds<Millis> =>
  slices.reduce((sum, { low, likely, high }) => {
    const time = { low: duration(low), likely: duration(likely), high: duration(high) }
    return addBounds<number>(sum, time, millis) as Bounds<Millis>
  }, NO_TIME)

export function addCuTime(a: CuTimeByPrice, b: CuTimeByPrice): CuTimeByPrice {
  const sum: Record<string, Bounds<CuMillis>> = { ...a }
  for (const [price, time] of Object.entries(b))
    sum[price] = addBounds(sum[price] ?? NO_CU_TIME, time, cuMillis)
  return sum
}

export const cuTimeSum = (cuTime: CuTimeByPrice): Bounds<CuMillis> =>
  Object.values(cuTime).reduce((sum, time) => addBounds(sum, time, cuMillis), NO_CU_TIME)

/** Spend, computed once from whole CU·ms, so that no rounding adds up. */
export function spendOf(cuTime: CuTimeByPrice): Bounds<Micros> {
  const cost = (pick: keyof Bounds<CuMillis>): Micros =>
    micros(priced(Object.entries(cuTime).map(([price, time]) => [price, time[pick]])))
  return { low: cost('low'), likely: cost('likely'), high: cost('high') }
}

const priced = (times: readonly (readonly [price: string, time: CuMillis])[]): number =>
  times.reduce((sum, [price, time]) => sum + (time * Number(price)) / HOUR, 0)
