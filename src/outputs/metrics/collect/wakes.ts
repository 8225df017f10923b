// How long computes take to wake, as samples.
import {
  countUpTo,
  WAKE_LATENCY_BUCKETS,
  type DurationHistogram,
} from '../../../model/ledger/duration-histogram.ts'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import { forEachYielding, type Cooperative } from '../../../std/cooperative.ts'
import { MAX_REGIONS } from '../../../model/ledger/counters.ts'
import { boundText } from '../exposition/format.ts'
import type { AddSample } from '../exposition/samples.ts'

/** Computes of one step. Doubled, the event loop is held up for a few milliseconds more. */
const MANY = 1000

/** Of every region that has a compute, or had a wake: a histogram that is born above 0 tells of no increase. */
export function* putWakeLatency({ accounts, computes }: Snapshot, put: AddSample): Cooperative<void> {
  const tallies = accounts.flatMap(({ wakeLatency }) => wakeLatency)
  const regions = new Set(tallies.map(({ regionId }) => regionId))
  yield* forEachYielding(computes, MANY, ({ compute }) => {
    if (regions.size < MAX_REGIONS) regions.add(compute.regionId)
  })
  for (const region of regions)
    putDurations(
      tallies.filter(({ regionId }) => regionId === region),
      region,
      put,
    )
}

function putDurations(all: readonly DurationHistogram[], region: string, put: AddSample): void {
  const total = (of: (one: DurationHistogram) => number): number => all.reduce((sum, one) => sum + of(one), 0)
  for (const bound of WAKE_LATENCY_BUCKETS)
    put(
      'wakeLatency',
      [region, boundText(bound / 1000)],
      total((one) => countUpTo(one, bound)),
    )
  const count = total((one) => one.count)
  put('wakeLatency', [region, boundText(Number.POSITIVE_INFINITY)], count)
  put('wakeLatency', [region, 'sum'], total(({ sum }) => sum) / 1000)
  put('wakeLatency', [region, 'count'], count)
}
