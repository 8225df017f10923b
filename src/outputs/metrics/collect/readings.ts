// What readings inside Postgres said of a compute, and how old what is known of awake computes is, as samples.
import type { AccumulatedCache } from '../../../model/ledger/reading-counters.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import { forEachYielding, type Cooperative } from '../../../std/cooperative.ts'
import type { Seconds } from '../../../model/units.ts'
import { appendLabel, type ComputeLabels, type AddSample } from '../exposition/samples.ts'

export function putReading(view: ComputeView, labels: ComputeLabels, put: AddSample): void {
  const { id } = labels
  const { connections } = view
  putCache(view, id, put)
  put('connections', appendLabel(labels, 'active'), connections?.active)
  put('connections', appendLabel(labels, 'idle'), connections?.idle)
  put('connections', appendLabel(labels, 'idle_in_transaction'), connections?.idleInTransaction)
  put('connections', appendLabel(labels, 'other'), connections?.other)
  put('maxConnections', id, view.maxConnections)
  put('reservedConnections', id, view.reservedConnections)
  put('presetMismatch', appendLabel(labels, 'max_connections'), flag(view.presetMismatch?.maxConnections))
  put('presetMismatch', appendLabel(labels, 'file_cache'), flag(view.presetMismatch?.fileCache))
  put('sizeUnknown', id, view.sizeUnknown)
  put('readingSuccess', id, flag(view.readingSucceeded))
  for (const { window, size } of view.workingSet)
    put('workingSet', appendLabel(labels, spanText(window)), size)
  put('averageActive', id, view.averageActive)
  put('longestTransaction', id, view.longestTransaction)
  put('readingTimestamp', id, view.readingAt === undefined ? undefined : view.readingAt / 1000)
}

function putCache(
  { state, cache, cacheUsed, cacheLimit }: ComputeView,
  id: ComputeLabels['id'],
  put: AddSample,
): void {
  put('cacheHits', id, cache?.totalHits)
  put('cacheMisses', id, cache?.totalMisses)
  put('cacheWrites', id, cache?.totalWrites)
  // asleep, the counters it is made of are gone: the next start begins at 0
  put('cacheLifetimeRatio', id, state === 'active' && cache ? lifetimeRatio(cache) : undefined)
  put('cacheUsed', id, cacheUsed)
  put('cacheSize', id, cacheLimit)
}

/** Undefined where nothing was read. */
const lifetimeRatio = ({ hits, misses }: AccumulatedCache): number | undefined =>
  hits + misses === 0 ? undefined : hits / (hits + misses)

const flag = (value: boolean | undefined): number | undefined =>
  value === undefined ? undefined : Number(value)
const spanText = (span: Seconds): string => (span < 3600 ? `${span / 60}m` : `${span / 3600}h`)

/** Computes of one step. Doubled, the event loop is held up for a few milliseconds more. */
const MANY = 1000

export function* putAges({ computes, takenAt }: Snapshot, put: AddSample): Cooperative<void> {
  const ages: number[] = []
  yield* forEachYielding(computes, MANY, ({ state, seenAt }) => {
    if (state === 'active') ages.push((takenAt - seenAt) / 1000)
  })
  // numbers of a typed array are sorted as numbers, a hundred thousand within milliseconds
  const sorted = Float64Array.from(ages).toSorted()
  put('recordAge', ['50'], sorted[Math.floor((sorted.length - 1) / 2)])
  put('recordAge', ['100'], sorted.at(-1))
}
