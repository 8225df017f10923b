// Awake timelines of displayed computes: settled intervals from the store, provisional ones from ledger entries.
import { provisionalIntervals } from '../../ledger/settle/settle.ts'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import type { LikelyAwakeInterval, ComputeEntry } from '../../model/ledger/ledger.ts'
import type { History } from '../../model/ports/history.ts'
import type { ComputeView } from '../../model/output/snapshot.ts'
import { DAY, earliest, instant, latest, millis, type Instant, type Interval } from '../../model/units.ts'
import type { AwakeTimeline } from '../../outputs/charts/timeline-cells.ts'

export type TimelinesRequest = Readonly<{
  span: Interval
  views: readonly ComputeView[]
  knownFrom: ReadonlyMap<string, Instant>
  /** Account → its last sweep: until then a compute in an unknown state is known. */
  sweptAt: ReadonlyMap<string, Instant>
}>

type TimelineSources = Readonly<{
  history: Pick<History, 'awakeTimes'>
  entryOf: (ref: ComputeRef) => ComputeEntry | undefined
}>

/** Computes with settled intervals in memory, some pages of them: about 10 MB where they wake often. */
const MAX_CACHED = 1000

type CachedTimes = Readonly<{
  /** Watermark of the entry at the read. */
  until: Instant
  from: Instant
  intervals: readonly LikelyAwakeInterval[]
}>

/** Timelines by `computeKey`. */
export function createAwakeTimelines({ history, entryOf }: TimelineSources) {
  const cache = new Map<string, CachedTimes>()
  const readMissing = async (account: string, span: Interval, missing: readonly Missing[]) => {
    const read = new Map(missing.map(({ ref }) => [computeKey(ref), [] as LikelyAwakeInterval[]]))
    const computes = missing.map(({ ref }) => ref)
    const from = earliest(span.to, ...missing.map((compute) => compute.from))
    for await (const { ref, times } of history.awakeTimes(account, { from, to: span.to, computes }))
      read.get(computeKey(ref))?.push(...times)
    for (const { ref, until, before } of missing) {
      const key = computeKey(ref)
      cache.set(key, { until, ...extend(before, read.get(key) ?? [], span) })
    }
  }
  return async (request: TimelinesRequest): Promise<ReadonlyMap<string, AwakeTimeline>> => {
    const { span, views } = request
    for (const [account, accountViews] of Map.groupBy(views, ({ identity: { ref } }) => ref.account)) {
      const missing = accountViews.flatMap(({ identity: { ref } }) =>
        missingOf(ref, cache.get(computeKey(ref)), { span, entry: entryOf(ref) }),
      )
      for (const part of [missing.filter(({ before }) => !before), missing.filter(({ before }) => before)])
        // oxlint-disable-next-line no-await-in-loop -- there is one store
        if (part.length > 0) await readMissing(account, span, part)
    }
    evictOldest(cache, views)
    const timelines = views.map((view) => {
      const { ref } = view.identity
      const settled = cache.get(computeKey(ref))?.intervals ?? []
      return [computeKey(ref), timelineOf(view, request, { settled, entry: entryOf(ref) })] as const
    })
    return new Map(timelines)
  }
}

/** Marks `views` as used last, and drops the computes not used for longest. */
function evictOldest(cache: Map<string, CachedTimes>, views: readonly ComputeView[]) {
  for (const { identity } of views) {
    const key = computeKey(identity.ref)
    const cached = cache.get(key)
    if (cached && cache.delete(key)) cache.set(key, cached)
  }
  for (const key of cache.keys()) {
    if (cache.size <= MAX_CACHED) break
    cache.delete(key)
  }
}

/** To read: intervals that ended after `from`. */
type Missing = Readonly<{
  ref: ComputeRef
  until: Instant
  from: Instant
  before: CachedTimes | undefined
}>

/** Settled intervals never change: only those settled since the last read are missing. */
function missingOf(
  ref: ComputeRef,
  cached: CachedTimes | undefined,
  { span, entry }: Readonly<{ span: Interval; entry: ComputeEntry | undefined }>,
): readonly Missing[] {
  if (!entry) return []
  const until = entry.settledUntil
  const before = cached && cached.from <= span.from ? cached : undefined
  if (before?.until === until) return []
  return [{ ref, until, before, from: before ? lastKnown(before) : span.from }]
}

const lastKnown = ({ from, intervals }: CachedTimes) => intervals.at(-1)?.to ?? from

/** Length of the timelines that tables show at most, ms: what is kept of each compute. */
const KEPT_LENGTH = 7 * DAY

/** Adds intervals settled since, drops those out of reach of every timeline. */
function extend(before: CachedTimes | undefined, added: readonly LikelyAwakeInterval[], span: Interval) {
  if (!before) return { from: span.from, intervals: added }
  const from = latest(before.from, earliest(span.from, instant(span.to - KEPT_LENGTH)))
  const intervals = [...before.intervals, ...added.filter(({ to }) => to > lastKnown(before))]
  return { from, intervals: intervals.filter(({ to }) => to > from) }
}

type KnownTimes = Readonly<{ settled: readonly LikelyAwakeInterval[]; entry: ComputeEntry | undefined }>

function timelineOf(
  view: ComputeView,
  { span, knownFrom, sweptAt }: TimelinesRequest,
  { settled, entry }: KnownTimes,
): AwakeTimeline {
  const { ref, compute } = view.identity
  const knownUntil = view.state.shown === 'unknown' ? (sweptAt.get(ref.account) ?? span.from) : span.to
  const intervals = settled.filter(({ to }) => to > span.from)
  if (entry) intervals.push(...provisionalTimes(view, entry, knownUntil))
  // days are stored whole, so the timeline begins at the creation of the compute on its first day
  const counted = latest(knownFrom.get(ref.account) ?? span.to, compute.createdAt)
  const first = earliest(intervals[0]?.from ?? span.to, counted)
  const existsFrom = earliest(first, compute.createdAt)
  return {
    span,
    ...(existsFrom > span.from && { existsFrom }),
    knownFrom: latest(span.from, first),
    knownUntil,
    intervals,
  }
}

/** Times that are not settled. An interval in progress ends where its state was last known; its idle tail begins where the awake reason says. */
function provisionalTimes({ state: { delay, reason } }: ComputeView, entry: ComputeEntry, until: Instant) {
  return provisionalIntervals(entry, delay, until).map(({ interval: { from, to, restart }, idleTail }) => {
    const isInTail = !to && reason.because === 'idle-tail'
    const tail = isInTail ? millis(Math.max(0, until - reason.since)) : idleTail
    return { from: from.likely, to: to?.likely ?? until, tail, restart }
  })
}
