// A change of sizing whose effect is known: what a day would have cost as its compute is sized now.
import type { UsageAmounts } from '../../model/policy/budget.ts'
import { largestCu, smallestCu, type Sizing } from '../../model/service/compute.ts'
import type { CuTimeByPrice } from '../../model/ledger/quantities.ts'
import { cuMillis } from '../../model/units.ts'
import { cuTimeSum } from '../settle/cu-time.ts'

/**
 * The same awake time at a size that `sizing` allows: of a fixed one exactly, of a range the average of the day where it
 * is inside.
 */
export function restateAtSizing({ awake, cuTime }: UsageAmounts, sizing: Sizing): UsageAmounts {
  const size = cuTimeSum(cuTime).likely / awake.likely
  if (!(size > 0 && size < Infinity)) return { awake, cuTime }
  const allowed = Math.min(largestCu(sizing), Math.max(smallestCu(sizing), size))
  return { awake, cuTime: scaled(cuTime, allowed / size) }
}

const scaled = (cuTime: CuTimeByPrice, factor: number): CuTimeByPrice =>
  Object.fromEntries(
    Object.entries(cuTime).map(([price, { low, likely, high }]) => [
      price,
      { low: cuMillis(factor * low), likely: cuMillis(factor * likely), high: cuMillis(factor * high) },
    ]),
  )
