// Wake latency as samples.
import {
  countUpTo,
  WAKE_LATENCY_BUCKETS,
  type DurationHistogram,
} from '../../../model/ledger/duration-histogram.ts'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import { MAX_REGIONS } from '../../../model/ledger/counters.ts'
import { boundText } from '../exposition/format.ts'
import type { AddSample } from '../exposition/samples.ts'

/** Every region with a compute or a wake gets a histogram, also at 0: the first increase of a series that starts above 0 is invisible. */
export function putWakeLatency({ accounts, computes }: Snapshot, put: AddSample): void {
  const counters = accounts.flatMap(({ wakeLatency }) => wakeLatency)
  const regions = new Set(counters.map(({ regionId }) => regionId))
  for (const { compute } of computes) if (regions.size < MAX_REGIONS) regions.add(compute.regionId)
  for (const region of regions)
    putHistogram(
      counters.filter(({ regionId }) => regionId === region),
      region,
      put,
    )
}

function putHistogram(histograms: readonly DurationHistogram[], region: string, put: AddSample): void {
  const total = (of: (histogram: DurationHistogram) => number): number =>
    histograms.reduce((sum, histogram) => sum + of(histogram), 0)
  for (const bound of WAKE_LATENCY_BUCKETS)
    put(
      'wakeLatency',
      [region, boundText(bound / 1000)],
      total((histogram) => countUpTo(histogram, bound)),
    )
  const count = total((histogram) => histogram.count)
  put('wakeLatency', [region, boundText(Number.POSITIVE_INFINITY)], count)
  put('wakeLatency', [region, 'sum'], total(({ sum }) => sum) / 1000)
  put('wakeLatency', [region, 'count'], count)
}
