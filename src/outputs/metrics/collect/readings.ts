import type { AccumulatedCache } from '../../../model/ledger/reading-state.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import type { Seconds } from '../../../model/units.ts'
import { appendLabel, flag, inSeconds, type ComputeLabels, type AddSample } from '../exposition/samples.ts'

export function putReading({ state, reading }: ComputeView, labels: ComputeLabels, put: AddSample): void {
  const { id } = labels
  const { cache, connections, presetMismatch } = reading
  if (cache) {
    put('compute_file_cache_hits_total', id, cache.totalHits)
    put('compute_file_cache_misses_total', id, cache.totalMisses)
    put('compute_file_cache_writes_total', id, cache.totalWrites)
    // the counters behind it end with the start: asleep there is no ratio
    if (state.shown === 'active') put('compute_file_cache_lifetime_hit_ratio', id, lifetimeRatio(cache))
  }
  put('compute_file_cache_used_bytes', id, reading.cacheUsed)
  put('compute_file_cache_size_bytes', id, reading.cacheLimit)
  put('compute_connections', appendLabel(labels, 'active'), connections?.active)
  put('compute_connections', appendLabel(labels, 'idle'), connections?.idle)
  put('compute_connections', appendLabel(labels, 'idle_in_transaction'), connections?.idleInTransaction)
  put('compute_connections', appendLabel(labels, 'other'), connections?.other)
  put('compute_max_connections', id, reading.maxConnections)
  put('compute_reserved_connections', id, reading.reservedConnections)
  put('compute_preset_mismatch', appendLabel(labels, 'max_connections'), flag(presetMismatch?.maxConnections))
  put('compute_preset_mismatch', appendLabel(labels, 'file_cache'), flag(presetMismatch?.fileCache))
  put('current_size_unknown_total', id, reading.sizeUnknown)
  put('compute_reading_success', id, flag(reading.succeeded))
  for (const { window, size } of reading.workingSet)
    put('compute_working_set_bytes', appendLabel(labels, spanText(window)), size)
  put('compute_average_active_sessions', id, reading.averageActive)
  put('compute_longest_transaction_seconds', id, reading.longestTransaction)
  put('compute_reading_timestamp_seconds', id, inSeconds(reading.at))
}

/** Undefined before the first page was read. */
const lifetimeRatio = ({ hits, misses }: AccumulatedCache) =>
  hits + misses === 0 ? undefined : hits / (hits + misses)

const spanText = (span: Seconds) => (span < 3600 ? `${span / 60}m` : `${span / 3600}h`)

export function putAges({ computes, takenAt }: Snapshot, put: AddSample): void {
  const active = computes.filter(({ state }) => state.shown === 'active')
  // a typed array sorts as numbers: a hundred thousand within milliseconds
  const sorted = Float64Array.from(active, ({ state }) => (takenAt - state.observedAt) / 1000).toSorted()
  put('record_age_seconds', ['50'], sorted[Math.floor((sorted.length - 1) / 2)])
  put('record_age_seconds', ['100'], sorted.at(-1))
}
