// When computes were awake, for those that are shown: what is settled out of the store, the rest out of their accounts.
import { provisionalIntervals } from '../../ledger/settle/provisional-intervals.ts'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import type { LikelyAwakeInterval, ComputeEntry } from '../../model/ledger/ledger.ts'
import type { AwakeInterval } from '../../model/ledger/evidence.ts'
import type { History } from '../../model/ports/history.ts'
import type { ComputeView } from '../../model/output/snapshot.ts'
import type { Interval } from '../../model/time.ts'
import { earliest, instant, millis, type Instant, type Millis } from '../../model/units.ts'
import type { AwakeTimeline } from '../../outputs/charts/timeline.ts'

export type TimelineSources = {
  readonly history: Pick<History, 'awakeTimes'>
  readonly entryOf: (ref: ComputeRef) => ComputeEntry | undefined
}

export type TimelinesRequest = {
  readonly span: Interval
  readonly views: readonly ComputeView[]
  readonly knownFrom: ReadonlyMap<string, Instant>
  /** Account → when it was last swept: what cannot be asked for long is known until then. */
  readonly sweptAt: ReadonlyMap<string, Instant>
}

/** `computeKey` → strip. */
export type AwakeTimelines = (asked: TimelinesRequest) => Promise<ReadonlyMap<string, AwakeTimeline>>

/** Computes whose settled stretches are kept: those of some pages. Doubled, some ten megabytes more of chatty ones. */
const KEPT = 1000

type Settled = {
  /** Of its account, when it was read. */
  readonly until: Instant
  readonly from: Instant
  readonly stretches: readonly LikelyAwakeInterval[]
}

export function createAwakeTimelines({ history, entryOf }: TimelineSources): AwakeTimelines {
  const kept = new Map<string, Settled>()
  const read = async (account: string, span: Interval, missing: readonly Missing[]): Promise<void> => {
    const found = new Map(missing.map(({ ref }) => [computeKey(ref), [] as LikelyAwakeInterval[]]))
    const computes = missing.map(({ ref }) => ref)
    const from = earliest(span.to, ...missing.map((one) => one.from))
    for await (const { ref, times } of history.awakeTimes(account, { from, to: span.to, computes }))
      found.get(computeKey(ref))?.push(...times)
    for (const { ref, until, before } of missing) {
      const key = computeKey(ref)
      kept.set(key, { until, ...grown(before, found.get(key) ?? [], span) })
    }
  }
  const load = async (span: Interval, views: readonly ComputeView[]): Promise<void> => {
    for (const [account, some] of Map.groupBy(views, ({ ref }) => ref.account)) {
      const missing = some.flatMap(({ ref }) => missingOf(ref, kept, { span, account: entryOf(ref) }))
      for (const part of [missing.filter(({ before }) => !before), missing.filter(({ before }) => before)])
        // oxlint-disable-next-line no-await-in-loop -- one after the other: there is one store
        if (part.length > 0) await read(account, span, part)
    }
    keepNewest(kept, views)
  }
  return async (asked) => {
    const { span, views } = asked
    await load(span, views)
    return new Map(
      views.map((view) => {
        const key = computeKey(view.ref)
        const settled = kept.get(key)?.stretches.filter(({ to }) => to > span.from) ?? []
        const until = knownUntil(view, asked)
        const stretches = [...settled, ...openStretches(view, entryOf(view.ref), until)]
        const knownFrom = knownSince(view, asked, stretches)
        return [key, { span, knownFrom, knownUntil: until, intervals: stretches }]
      }),
    )
  }
}

/** Those of `views` last, and no more than are to be kept. */
function keepNewest(kept: Map<string, Settled>, views: readonly ComputeView[]): void {
  for (const { ref } of views) {
    const key = computeKey(ref)
    const settled = kept.get(key)
    if (settled && kept.delete(key)) kept.set(key, settled)
  }
  for (const key of kept.keys()) {
    if (kept.size <= KEPT) break
    kept.delete(key)
  }
}

/** What is to be read of one compute: what ended after `from`. */
type Missing = {
  readonly ref: ComputeRef
  readonly until: Instant
  readonly from: Instant
  readonly before: Settled | undefined
}

/** What is settled stays as it is: only what was settled since is read. */
function missingOf(
  ref: ComputeRef,
  kept: ReadonlyMap<string, Settled>,
  { span, account }: { readonly span: Interval; readonly account: ComputeEntry | undefined },
): readonly Missing[] {
  if (!account) return []
  const { settledUntil: until } = account
  const known = kept.get(computeKey(ref))
  const before = known && known.from <= span.from ? known : undefined
  if (before?.until === until) return []
  return [{ ref, until, before, from: before ? (before.stretches.at(-1)?.to ?? before.from) : span.from }]
}

/** The longest strip, ms. */
const LONGEST = 7 * 86_400_000

/** With what was settled since, without what no strip reaches any more. */
function grown(
  before: Settled | undefined,
  found: readonly LikelyAwakeInterval[],
  span: Interval,
): Pick<Settled, 'from' | 'stretches'> {
  if (!before) return { from: span.from, stretches: found }
  const from = instant(Math.max(before.from, span.to - LONGEST))
  const last = before.stretches.at(-1)?.to ?? before.from
  const stretches = [...before.stretches, ...found.filter(({ to }) => to > last)]
  return { from, stretches: stretches.filter(({ to }) => to > from) }
}

/** Days are counted whole, also the one on which a compute was created: before that it was not asleep. */
function knownSince(
  { ref, compute }: ComputeView,
  { span, knownFrom }: TimelinesRequest,
  [first]: readonly LikelyAwakeInterval[],
): Instant {
  const counted = Math.max(knownFrom.get(ref.account) ?? span.to, compute.createdAt)
  return instant(Math.max(span.from, Math.min(first?.from ?? span.to, counted)))
}

const knownUntil = ({ ref, state }: ComputeView, { span, sweptAt }: TimelinesRequest): Instant =>
  state === 'unknown' ? (sweptAt.get(ref.account) ?? span.from) : span.to

/** What goes on is drawn as going on as long as its state is known; its tail begins where `why` says. */
function openStretches(
  view: ComputeView,
  account: ComputeEntry | undefined,
  until: Instant,
): readonly LikelyAwakeInterval[] {
  if (!account) return []
  return provisionalIntervals(account, view.delay, until).map(({ interval, idleTail }) => {
    const stretch = stretchOf(interval, idleTail, until)
    if (interval.to || view.why.because !== 'idle-tail') return stretch
    return { ...stretch, tail: millis(Math.max(0, until - view.why.since)) }
  })
}

const stretchOf = (
  { from, to, restart }: AwakeInterval,
  tail: Millis,
  now: Instant,
): LikelyAwakeInterval => ({
  from: from.likely,
  to: to?.likely ?? now,
  tail,
  restart,
})
