// Awake timelines of displayed computes: settled intervals from the store, provisional ones from their ledger entries.
import { provisionalIntervals } from '../../ledger/settle/settle.ts'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import type { LikelyAwakeInterval, ComputeEntry } from '../../model/ledger/ledger.ts'
import type { AwakeInterval } from '../../model/ledger/evidence.ts'
import type { History } from '../../model/ports/history.ts'
import type { ComputeView, IdentityView } from '../../model/output/snapshot.ts'
import type { Interval } from '../../model/time.ts'
import { DAY, earliest, instant, millis, type Instant, type Millis } from '../../model/units.ts'
import type { AwakeTimeline } from '../../outputs/charts/timeline.ts'

export type TimelineSources = {
  readonly history: Pick<History, 'awakeTimes'>
  readonly entryOf: (ref: ComputeRef) => ComputeEntry | undefined
}

export type TimelinesRequest = {
  readonly span: Interval
  readonly views: readonly ComputeView[]
  readonly knownFrom: ReadonlyMap<string, Instant>
  /** Account → its last sweep: a compute in an unknown state is known until then. */
  readonly sweptAt: ReadonlyMap<string, Instant>
}

/** `computeKey` → timeline. */
export type AwakeTimelines = (request: TimelinesRequest) => Promise<ReadonlyMap<string, AwakeTimeline>>

/** Computes whose settled intervals stay in memory, some pages of them: about ten megabytes where they wake often. */
const MAX_CACHED = 1000

type CachedTimes = {
  /** Watermark of the entry when its intervals were read. */
  readonly until: Instant
  readonly from: Instant
  readonly intervals: readonly LikelyAwakeInterval[]
}

export function createAwakeTimelines({ history, entryOf }: TimelineSources): AwakeTimelines {
  const cache = new Map<string, CachedTimes>()
  const readMissing = async (account: string, span: Interval, missing: readonly Missing[]): Promise<void> => {
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
  const load = async (span: Interval, views: readonly ComputeView[]): Promise<void> => {
    for (const [account, accountViews] of Map.groupBy(views, ({ identity: { ref } }) => ref.account)) {
      const missing = accountViews.flatMap(({ identity: { ref } }) =>
        missingOf(ref, cache, { span, entry: entryOf(ref) }),
      )
      for (const part of [missing.filter(({ before }) => !before), missing.filter(({ before }) => before)])
        // oxlint-disable-next-line no-await-in-loop -- one after the other: there is one store
        if (part.length > 0) await readMissing(account, span, part)
    }
    evictOldest(cache, views)
  }
  return async (request) => {
    const { span, views } = request
    await load(span, views)
    return new Map(
      views.map((view) => {
        const key = computeKey(view.identity.ref)
        const settled = cache.get(key)?.intervals.filter(({ to }) => to > span.from) ?? []
        const until = knownUntil(view, request)
        const intervals = [...settled, ...provisionalTimes(view, entryOf(view.identity.ref), until)]
        return [
          key,
          { span, knownFrom: knownSince(view.identity, request, intervals), knownUntil: until, intervals },
        ]
      }),
    )
  }
}

/** Marks `views` as used last, and drops the computes not used for longest. */
function evictOldest(cache: Map<string, CachedTimes>, views: readonly ComputeView[]): void {
  for (const {
    identity: { ref },
  } of views) {
    const key = computeKey(ref)
    const cached = cache.get(key)
    if (cached && cache.delete(key)) cache.set(key, cached)
  }
  for (const key of cache.keys()) {
    if (cache.size <= MAX_CACHED) break
    cache.delete(key)
  }
}

/** Intervals of one compute to read: those that ended after `from`. */
type Missing = {
  readonly ref: ComputeRef
  readonly until: Instant
  readonly from: Instant
  readonly before: CachedTimes | undefined
}

/** Settled intervals never change: only those settled since the last read are missing. */
function missingOf(
  ref: ComputeRef,
  cache: ReadonlyMap<string, CachedTimes>,
  { span, entry }: { readonly span: Interval; readonly entry: ComputeEntry | undefined },
): readonly Missing[] {
  if (!entry) return []
  const { settledUntil: until } = entry
  const cached = cache.get(computeKey(ref))
  const before = cached && cached.from <= span.from ? cached : undefined
  if (before?.until === until) return []
  return [{ ref, until, before, from: before ? (before.intervals.at(-1)?.to ?? before.from) : span.from }]
}

/** Longest timeline, ms. */
const MAX_LENGTH = 7 * DAY

/** Adds intervals settled since, drops those that no timeline reaches any more. */
function extend(
  before: CachedTimes | undefined,
  added: readonly LikelyAwakeInterval[],
  span: Interval,
): Pick<CachedTimes, 'from' | 'intervals'> {
  if (!before) return { from: span.from, intervals: added }
  const from = instant(Math.max(before.from, span.to - MAX_LENGTH))
  const last = before.intervals.at(-1)?.to ?? before.from
  const intervals = [...before.intervals, ...added.filter(({ to }) => to > last)]
  return { from, intervals: intervals.filter(({ to }) => to > from) }
}

/** Days are stored whole, so the timeline begins at the creation of the compute on its first day. */
function knownSince(
  { ref, compute }: IdentityView,
  { span, knownFrom }: TimelinesRequest,
  [first]: readonly LikelyAwakeInterval[],
): Instant {
  const counted = Math.max(knownFrom.get(ref.account) ?? span.to, compute.createdAt)
  return instant(Math.max(span.from, Math.min(first?.from ?? span.to, counted)))
}

const knownUntil = (
  { identity: { ref }, state: { shown: state } }: ComputeView,
  { span, sweptAt }: TimelinesRequest,
): Instant => (state === 'unknown' ? (sweptAt.get(ref.account) ?? span.from) : span.to)

/** Intervals that are not settled. One in progress ends where its state was last known; its idle tail begins where the awake reason says. */
function provisionalTimes(
  view: ComputeView,
  entry: ComputeEntry | undefined,
  until: Instant,
): readonly LikelyAwakeInterval[] {
  if (!entry) return []
  return provisionalIntervals(entry, view.state.delay, until).map(({ interval, idleTail }) => {
    const times = likelyTimes(interval, idleTail, until)
    if (interval.to || view.state.reason.because !== 'idle-tail') return times
    return { ...times, tail: millis(Math.max(0, until - view.state.reason.since)) }
  })
}

const likelyTimes = (
  { from, to, restart }: AwakeInterval,
  tail: Millis,
  now: Instant,
): LikelyAwakeInterval => ({
  from: from.likely,
  to: to?.likely ?? now,
  tail,
  restart,
})
