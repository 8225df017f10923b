// The history of the driver in memory.
import type { ObservedSetting } from '../../src/model/ledger/gap.ts'
import type { LikelyAwakeInterval, SettledInterval } from '../../src/model/ledger/ledger.ts'
import { endOfLife } from '../../src/model/policy/recommendation.ts'
import type { History, HistorySpan } from '../../src/model/ports/history.ts'
import { computeKey, targetKey, type TargetRef } from '../../src/model/service/compute.ts'
import { instant, type Interval } from '../../src/model/units.ts'
import { compare } from './memory-outbox.ts'
import type { RowsByAccount } from './memory-store.ts'

/** Items that overlap the span, compute by compute, each in order of time. */
function overlapping<Item extends { readonly ref: TargetRef }>(
  items: Iterable<Item>,
  { from, to, computes }: Interval & { readonly computes?: readonly TargetRef[] },
  timesOf: (item: Item) => readonly [from: number, to: number],
): readonly Item[] {
  const isWanted = wantedBy(computes)
  const found: Readonly<{ item: Item; times: readonly [from: number, to: number] }>[] = []
  for (const item of items) {
    if (!isWanted(item.ref)) continue
    const times = timesOf(item)
    if (times[0] < to && times[1] > from) found.push({ item, times })
  }
  return found
    .toSorted(
      ({ item: one, times: [from1, to1] }, { item: other, times: [from2, to2] }) =>
        compareRefs(one.ref, other.ref) || from1 - from2 || to1 - to2,
    )
    .map(({ item }) => item)
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
    overlapping(rows(account).intervals.values(), span, ({ interval: { from, to } }) => [
      from.likely,
      to?.likely ?? Infinity,
    ])
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
      streamed(overlapping(rows(account).days.values(), span, ({ from, to }) => [from, to])),
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
          ({ from }) => [from, from + length * 1000],
        ),
      ),
    gaps: (account, span) =>
      streamed(
        overlapping(rows(account).gaps.values(), span, ({ from, high }) => [from, from + high * 1000]),
      ),
    settings: (account, span) => {
      const all = [...rows(account).settings.values()]
      const endOf = ({ ref, since }: ObservedSetting): number => {
        const key = computeKey(ref)
        const later = all.filter((other) => other.since > since && computeKey(other.ref) === key)
        return Math.min(...later.map((other) => other.since))
      }
      return streamed(overlapping(all, span, (one) => [one.since, endOf(one)]))
    },
    recommendations: (account, { states, since = 0, targets }) =>
      streamed(
        overlapping(
          [...rows(account).recommendations.values()].filter(
            ({ life }) => (states?.includes(life.state) ?? true) && (endOfLife(life) ?? Infinity) >= since,
          ),
          { ...ALL_TIME, ...(targets && { computes: targets }) },
          ({ openedAt }) => [openedAt, Infinity],
        ),
      ),
    advice: (account, { targets }) =>
      streamed(
        overlapping(
          rows(account).advice.values(),
          { ...ALL_TIME, ...(targets && { computes: targets }) },
          ({ evaluatedAt }) => [evaluatedAt, Infinity],
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

// oxlint-disable-next-line typescript/require-await -- the port streams
async function* streamed<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items
}
