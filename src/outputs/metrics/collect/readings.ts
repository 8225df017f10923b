// Readings of a compute, and the age of the looks at awake computes, as samples.
import type { AccumulatedCache } from '../../../model/ledger/reading-counters.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import type { Seconds } from '../../../model/units.ts'
import { appendLabel, inSeconds, type ComputeLabels, type AddSample } from '../exposition/samples.ts'

export function putReading(view: ComputeView, labels: ComputeLabels, put: AddSample): void {
  const { id } = labels
  const {
    reading: { connections },
  } = view
  putCache(view, id, put)
  put('connections', appendLabel(labels, 'active'), connections?.active)
  put('connections', appendLabel(labels, 'idle'), connections?.idle)
  put('connections', appendLabel(labels, 'idle_in_transaction'), connections?.idleInTransaction)
  put('connections', appendLabel(labels, 'other'), connections?.other)
  put('maxConnections', id, view.reading.maxConnections)
  put('reservedConnections', id, view.reading.reservedConnections)
  put(
    'presetMismatch',
    appendLabel(labels, 'max_connections'),
    flag(view.reading.presetMismatch?.maxConnections),
  )
  put('presetMismatch', appendLabel(labels, 'file_cache'), flag(view.reading.presetMismatch?.fileCache))
  put('sizeUnknown', id, view.reading.sizeUnknown)
  put('readingSuccess', id, flag(view.reading.succeeded))
  for (const { window, size } of view.reading.workingSet)
    put('workingSet', appendLabel(labels, spanText(window)), size)
  put('averageActive', id, view.reading.averageActive)
  put('longestTransaction', id, view.reading.longestTransaction)
  put('readingTimestamp', id, inSeconds(view.reading.at))
}

function putCache(
  { state: { shown: state }, reading: { cache, cacheUsed, cacheLimit } }: ComputeView,
  id: ComputeLabels['id'],
  put: AddSample,
): void {
  put('cacheHits', id, cache?.totalHits)
  put('cacheMisses', id, cache?.totalMisses)
  put('cacheWrites', id, cache?.totalWrites)
  // the counters behind it end with the start: asleep there is no ratio
  put('cacheLifetimeRatio', id, state === 'active' && cache ? lifetimeRatio(cache) : undefined)
  put('cacheUsed', id, cacheUsed)
  put('cacheSize', id, cacheLimit)
}

/** Undefined before the first page was read. */
const lifetimeRatio = ({ hits, misses }: AccumulatedCache): number | undefined =>
  hits + misses === 0 ? undefined : hits / (hits + misses)

const flag = (value: boolean | undefined): number | undefined =>
  value === undefined ? undefined : Number(value)
const spanText = (span: Seconds): string => (span < 3600 ? `${span / 60}m` : `${span / 3600}h`)

export function putAges({ computes, takenAt }: Snapshot, put: AddSample): void {
  const ages = computes.flatMap(({ state: { shown: state, observedAt: seenAt } }) =>
    state === 'active' ? [(takenAt - seenAt) / 1000] : [],
  )
  // a typed array sorts as numbers: a hundred thousand within milliseconds
  const sorted = Float64Array.from(ages).toSorted()
  put('recordAge', ['50'], sorted[Math.floor((sorted.length - 1) / 2)])
  put('recordAge', ['100'], sorted.at(-1))
}
