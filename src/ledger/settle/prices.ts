import type { Prices } from '../../model/ledger/quantities.ts'
import { instant, type Instant } from '../../model/units.ts'
import { priceAt } from './slices.ts'

/** Earlier time keeps its price. The same object where nothing changes. */
export function replacePricesFrom(at: Instant, before: Prices, next: Prices): Prices {
  const periods = splicePeriods(at, before, next)
  const isSame = JSON.stringify(periods) === JSON.stringify(splicePeriods(at, before, before))
  return isSame && next.currency === before.currency ? before : { currency: next.currency, periods }
}

/** Periods before and after `at`, without those that do not change the price. */
function splicePeriods(at: Instant, before: Prices, next: Prices): Prices['periods'] {
  const past = before.periods.filter(({ from }) => from < at)
  const first = { from: instant(0), perCuHour: priceAt(before, instant(at - 1)) }
  return [
    ...(past.length === 0 ? [first] : past),
    { from: at, perCuHour: priceAt(next, at) },
    ...next.periods.filter(({ from }) => from > at),
  ].filter(({ perCuHour }, index, all) => perCuHour !== all[index - 1]?.perCuHour)
}
