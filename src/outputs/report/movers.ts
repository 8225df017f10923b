// What a difference in spend is due to.
import type { WeekSums } from './aggregate.ts'

/** In micros; together exactly the difference. */
export type SpendDifference = { readonly awake: number; readonly size: number; readonly price: number }

type Use = Pick<WeekSums, 'awake' | 'cuTime' | 'spend'>

/**
 * The difference in spend of one compute from `before` to `now`, split: more time awake at the size and price of before; then
 * another size at the price of before; then another price. Where there was no spend before, or is none now, all is time awake.
 */
export function splitSpendDifference(now: Use, before: Use): SpendDifference {
  const difference = now.spend.likely - before.spend.likely
  if (now.cuTime === 0 || before.cuTime === 0 || now.awake.likely === 0 || before.awake.likely === 0)
    return { awake: difference, size: 0, price: 0 }
  const price = before.spend.likely / before.cuTime
  const size = before.cuTime / before.awake.likely
  const awake = Math.round((now.awake.likely - before.awake.likely) * size * price)
  const withSize = Math.round(now.cuTime * price) - before.spend.likely
  return { awake, size: withSize - awake, price: difference - withSize }
}
