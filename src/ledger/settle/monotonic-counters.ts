import type { PublishedCounters, Totals } from '../../model/ledger/ledger.ts'
import { cuMillis, micros, millis, type Micros } from '../../model/units.ts'
import { cuTimeSum, spendOf } from './totals.ts'
import { updateUnproductive } from './unproductive.ts'

const HOUR = 3_600_000

/**
 * The published counters never fall, also when a late fact makes a total smaller or the price table changes. What
 * observing added is priced at the compute's mean size and at today's price.
 */
export function raiseCounters(
  before: PublishedCounters,
  totals: Totals,
  priceNow: Micros,
): PublishedCounters {
  const extension = millis(Math.max(before.observerOverhead, totals.observerOverhead))
  const cuTime = cuMillis(Math.max(before.cuTime, cuTimeSum(totals.cuTime).likely))
  const awake = millis(Math.max(before.awake, totals.awake.likely))
  const size = awake === 0 ? 0 : cuTime / awake
  const spend = micros(Math.max(before.spend, spendOf(totals.cuTime).likely))
  return {
    awake,
    cuTime,
    spend,
    idleTail: millis(Math.max(before.idleTail, totals.idleTail)),
    observerOverhead: extension,
    observerSpend: micros(
      before.observerSpend + ((extension - before.observerOverhead) * size * priceNow) / HOUR,
    ),
    wakes: Math.max(before.wakes, totals.wakes),
    suspends: Math.max(before.suspends, totals.suspends),
    restarts: Math.max(before.restarts, totals.restarts),
    wakesCaused: Math.max(before.wakesCaused, totals.wakesCaused),
    unproductive: updateUnproductive(before.unproductive ?? {}, totals, spend),
  }
}
