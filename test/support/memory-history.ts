// The history of the driver in memory.
import type { ObservedSetting } from '../../src/model/ledger/gap.ts'
import type { LikelyAwakeInterval, SettledInterval } from '../../src/model/ledger/ledger.ts'
import { endOfLife } from '../../src/model/policy/recommendation.ts'
import type { History, HistorySpan } from '../../src/model/ports/history.ts'
import { computeKey, targetKey, type TargetRef } from '../../src/model/service/compute.ts'
import { instant, type Interval } from '../../src/model/units.ts'
import { compare } from './memory-outbox.ts'
import type { RowsByAccount } from './memory-store.ts'

type Times<Item> = Readonly<{ from: (item: Item) => number; to: (item: Item) => number }>

/** Items that overlap the span, compute by compute, each in order of time. */
function overlapping<Item extends { readonly ref: TargetRef }>(
  items: Iterable<Item>,
  span: Interval & { readonly computes?: readonly TargetRef[] },
  times: Times<Item>,
): readonly Item[] {
  const isWanted = wantedBy(span.computes)
  const found: Item[] = []
  for (const item of items)
    if (isWanted(item.ref) && times.from(item) < span.to && times.to(item) > span.from) found.push(item)
  return found.toSorted(
    (one, other) =>
      compareRefs(one.ref, other.ref) ||
      times.from(one) - times.from(other) ||
      times.to(one) - times.to(other),
  )
}

function wantedBy(computes: readonly TargetRef[] | undefined): (ref: TargetRef) => boolean {
  if (!computes) return () => true
  const keys = new Set(computes.map(targetKey))
  // most items are of other computes: their keys need not be made
  const endpoints = new Set(computes.map(({ endpointId }) => endpointId))
  return (ref) => endpoints.has(ref.endpointId) && keys.has(targetKey(ref))
}

export function historyOf(rows: RowsByAccount): History {
  const intervals = (account: string, span: HistorySpan): readonly SettledInterval[] =>
    overlapping(rows(account).intervals.values(), span, {
      from: ({ interval }) => interval.from.likely,
      to: ({ interval }) => interval.to?.likely ?? Infinity,
    })
  return {
    statistics: (refs) =>
      Promise.resolve(
        new Map(
          refs.flatMap((ref) => {
            const found = rows(ref.account).statistics.get(computeKey(ref))
            return found ? [[computeKey(ref), found]] : []
          }),
        ),
      ),
    days: (account, span) =>
      streamed(
        overlapping(rows(account).days.values(), span, { from: ({ from }) => from, to: ({ to }) => to }),
      ),
    intervals: (account, span) => streamed(intervals(account, span)),
    awakeTimes: (account, span) =>
      streamed(
        intervals(account, span).map((interval) => ({ ref: interval.ref, times: [awakeTime(interval)] })),
      ),
    rollups: (account, { length, ...span }) =>
      streamed(
        overlapping(
          rows(account)
            .rollups.values()
            .filter((rollup) => rollup.length === length),
          span,
          { from: ({ from }) => from, to: ({ from }) => from + length * 1000 },
        ),
      ),
    gaps: (account, span) =>
      streamed(
        overlapping(rows(account).gaps.values(), span, {
          from: ({ from }) => from,
          to: ({ from, high }) => from + high * 1000,
        }),
      ),
    settings: (account, span) => {
      const isWanted = wantedBy(span.computes)
      const all = [...rows(account).settings.values()]
        .filter(({ ref }) => isWanted(ref))
        .toSorted((one, other) => one.since - other.since)
      const ends = new Map<ObservedSetting, number>()
      for (const later of Map.groupBy(all, ({ ref }) => computeKey(ref)).values())
        later.forEach((one, index) => ends.set(one, later[index + 1]?.since ?? Infinity))
      return streamed(
        overlapping(all, span, { from: ({ since }) => since, to: (one) => ends.get(one) ?? Infinity }),
      )
    },
    recommendations: (account, { states, since = 0, targets }) =>
      streamed(
        overlapping(
          [...rows(account).recommendations.values()].filter(
            ({ life }) => (states?.includes(life.state) ?? true) && (endOfLife(life) ?? Infinity) >= since,
          ),
          { ...ALL_TIME, ...(targets && { computes: targets }) },
          { from: ({ openedAt }) => openedAt, to: () => Infinity },
        ),
      ),
    advice: (account, { targets }) =>
      streamed(
        overlapping(
          rows(account).advice.values(),
          { ...ALL_TIME, ...(targets && { computes: targets }) },
          { from: ({ evaluatedAt }) => evaluatedAt, to: () => Infinity },
        ),
      ),
  }
}

const ALL_TIME = { from: instant(-Infinity), to: instant(Infinity) }

const awakeTime = ({ interval: { from, to, restart }, idleTail }: SettledInterval): LikelyAwakeInterval => ({
  from: from.likely,
  to: to?.likely ?? from.likely,
  tail: idleTail,
  restart,
})

const compareRefs = (a: TargetRef, b: TargetRef): number =>
  compare(a.projectId, b.projectId) || compare(a.endpointId ?? '', b.endpointId ?? '')

/** Not a generator, which takes several steps for each item. */
const streamed = <Item>(items: readonly Item[]): AsyncIterable<Item> => ({
  [Symbol.asyncIterator]: () => {
    const rest = items.values()
    return { next: () => Promise.resolve(rest.next()) }
  },
})
