// What an account amounts to at an instant after its last fold.
import { largestCu } from '../model/compute.ts'
import type { ComputeAccount, CuTimeByPrice, Totals } from '../model/ledger.ts'
import type { Prices } from '../model/price.ts'
import { cuMillis, latest, millis, type Instant } from '../model/units.ts'
import { NO_CU_TIME } from './cu-time.ts'
import { priceAt } from './slices.ts'

/** A compute that was awake may have been so ever since: no less than is known, and no more than all of the time. */
export function totalsAt(
  account: ComputeAccount,
  { prices, now }: { readonly prices: Prices; readonly now: Instant },
): Pick<Totals, 'awake' | 'cuTime'> {
  const { totals, open, foldedAt, compute } = account
  const since = open && now - latest(foldedAt, open.knownUntil)
  if (since === undefined || since <= 0) return totals
  const price = String(priceAt(prices, now))
  const known = totals.cuTime[price] ?? NO_CU_TIME
  const most = cuMillis(known.high + since * largestCu(compute.sizing))
  const cuTime: CuTimeByPrice = { ...totals.cuTime, [price]: { ...known, high: most } }
  return { awake: { ...totals.awake, high: millis(totals.awake.high + since) }, cuTime }
}
