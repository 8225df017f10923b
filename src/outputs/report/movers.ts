import type { WeekSums } from './aggregate.ts'

/** Micros that add up to the difference exactly. */
type SpendDifference = Readonly<{ awake: number; size: number; price: number }>
type WeekUsage = Pick<WeekSums, 'awake' | 'cuTime' | 'spend'>

/**
 * Splits the difference in spend of one compute, in this order:
 * 1. `awake`: the change of awake time, at the size and price of before;
 * 2. `size`: the change of size, at the price of before;
 * 3. `price`: the rest.
 *
 * Without spend in one of the two weeks all of it is `awake`.
 */
export function splitSpendDifference(now: WeekUsage, before: WeekUsage): SpendDifference {
  const difference = now.spend.likely - before.spend.likely
  if (now.cuTime === 0 || before.cuTime === 0 || now.awake.likely === 0 || before.awake.likely === 0)
    return { awake: difference, size: 0, price: 0 }
  const price = before.spend.likely / before.cuTime
  const size = before.cuTime / before.awake.likely
  const awake = Math.round((now.awake.likely - before.awake.likely) * size * price)
  const withSize = Math.round(now.cuTime * price) - before.spend.likely
  return { awake, size: withSize - awake, price: difference - withSize }
}
