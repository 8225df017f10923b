// Prices that took the place of others.
import type { Prices } from '../../model/ledger/price.ts'
import { instant, type Instant } from '../../model/units.ts'
import { priceAt } from './slices.ts'

/** What was before `at` keeps its price, whatever the new ones say of it; the same object where nothing is another. */
export function replacePricesFrom(at: Instant, before: Prices, next: Prices): Prices {
  const periods = spliced(at, before, next)
  const isSame = JSON.stringify(periods) === JSON.stringify(spliced(at, before, before))
  return isSame && next.currency === before.currency ? before : { currency: next.currency, periods }
}

/** Where the price stays no new period begins. */
function spliced(at: Instant, before: Prices, next: Prices): Prices['periods'] {
  const past = before.periods.filter(({ from }) => from < at)
  const first = { from: instant(0), perCuHour: priceAt(before, instant(at - 1)) }
  return [
    ...(past.length === 0 ? [first] : past),
    { from: at, perCuHour: priceAt(next, at) },
    ...next.periods.filter(({ from }) => from > at),
  ].filter(({ perCuHour }, index, all) => perCuHour !== all[index - 1]?.perCuHour)
}
