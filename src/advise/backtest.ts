// What a delay would have cost over recorded gaps: awake time and wakes, and gaps in groups from which anybody can compute both again.
import type { Bounds } from '../model/ledger/quantities.ts'
import { mapBounds } from '../model/ledger/quantities.ts'
import type { GapGroup } from '../model/policy/recommendation.ts'
import type { AutosuspendDelay } from '../model/service/compute.ts'
import { seconds, type Instant, type Interval, type Seconds } from '../model/units.ts'
import { sumOf } from '../std/sum.ts'
import { hiOf, binOf, stepsOf } from './delay/bins.ts'

/** A gap as money and wakes are computed from it: each length in `[low, high]` is as likely. */
export type BacktestGap = Readonly<{
  from: Instant
  length: Bounds<Seconds>
  /** Whether the gap ended with the deletion of the compute, not with a client. */
  isLast?: true
}>

export type DelayChange = Readonly<{ from: AutosuspendDelay; to: AutosuspendDelay }>

type LengthRange = Readonly<{ low: number; high: number }>

/** Share of the lengths in `(from, to]`. */
export function shareWithin(
  { low, high }: LengthRange,
  { from, to }: Readonly<Record<'from' | 'to', number>>,
) {
  if (low === high) return Number(low > from && low <= to)
  return Math.max(0, Math.min(high, to) - Math.max(low, from)) / (high - low)
}

/** Time awake in a gap under `delay`: the first seconds of it. Likely is the mean over the bounds. */
export const awakeInGap = ({ low, high }: LengthRange, delay: AutosuspendDelay): Bounds<number> => ({
  low: awakeIn(low, delay),
  likely: meanAwakeIn({ low, high }, delay),
  high: awakeIn(high, delay),
})

const awakeIn = (length: number, delay: AutosuspendDelay): number =>
  delay === 'never' ? length : Math.min(length, delay)

/** Lengths up to the delay have their own mean. */
function meanAwakeIn({ low, high }: LengthRange, delay: AutosuspendDelay): number {
  if (delay === 'never' || high <= delay) return (low + high) / 2
  if (low >= delay) return delay
  const longer = (high - delay) / (high - low)
  return longer * delay + (1 - longer) * ((low + delay) / 2)
}

/** Awake seconds that a change of delay saves over the gaps; negative where it adds some. */
export function savedTime(gaps: readonly BacktestGap[], { from, to }: DelayChange): Bounds<number> {
  const sum = { low: 0, likely: 0, high: 0 }
  for (const { length } of gaps) {
    sum.low += awakeIn(length.low, from) - awakeIn(length.low, to)
    sum.likely += meanAwakeIn(length, from) - meanAwakeIn(length, to)
    sum.high += awakeIn(length.high, from) - awakeIn(length.high, to)
  }
  return { ...sum, low: Math.min(sum.low, sum.high), high: Math.max(sum.low, sum.high) }
}

/** Awake time that a change of delay saves in one gap, inside `within`, seconds. */
export function savedTimeIn(gap: BacktestGap, { from, to }: DelayChange, within: Interval): number {
  const [before, after] = [meanAwakeIn(gap.length, from), meanAwakeIn(gap.length, to)]
  const begin = Math.max(within.from, gap.from + Math.min(before, after) * 1000)
  const end = Math.min(within.to, gap.from + Math.max(before, after) * 1000)
  return (Math.max(0, end - begin) / 1000) * Math.sign(before - after)
}

/**
 * Gaps that the compute would sleep in, by their probability, each of which ends with a wake; the gap in progress will, one that the deletion of
 * the compute ended did not.
 */
export const wakesUnder = (gaps: readonly BacktestGap[], delay: AutosuspendDelay): number =>
  delay === 'never'
    ? 0
    : sumOf(gaps, ({ length, isLast }) => (isLast ? 0 : shareWithin(length, { from: delay, to: Infinity })))

/**
 * Groups by length. A gap with bounds on both sides of a bin's edge or of one of `delays` counts in parts, by the share of its bounds on each
 * side. So no group has lengths on both sides, and the sums of `min(middle, delay)` and of the groups above `delay` are exact for all of these.
 */
export function gapGroups(
  gaps: readonly BacktestGap[],
  delays: readonly AutosuspendDelay[],
  grid: Seconds,
): readonly GapGroup[] {
  const splits = delays.filter((delay) => delay !== 'never').toSorted((a, b) => a - b)
  const edgeAt = (length: number) =>
    Math.min(hiOf(binOf(stepsOf(length, grid))) * grid, splits.find((delay) => delay >= length) ?? Infinity)
  const edgeAfter = (length: number) =>
    Math.min(
      hiOf(binOf(Math.floor(length / grid) + 1)) * grid,
      splits.find((delay) => delay > length) ?? Infinity,
    )
  // by the edge that the lengths reach at most
  const groups = new Map<number, { low: number; high: number; count: number }>()
  const add = (low: number, high: number, share: number) => {
    const edge = edgeAt(high)
    const sum = groups.get(edge) ?? { low: 0, high: 0, count: 0 }
    groups.set(edge, { low: sum.low + share * low, high: sum.high + share * high, count: sum.count + share })
  }
  for (const { length } of gaps) {
    if (length.low === length.high) add(length.low, length.high, 1)
    for (let from: number = length.low; from < length.high;) {
      const to = Math.min(length.high, edgeAfter(from))
      add(from, to, shareWithin(length, { from, to }))
      from = to
    }
  }
  return [...groups]
    .toSorted(([a], [b]) => a - b)
    .map(([, { low, high, count }]) => ({ low: seconds(low / count), high: seconds(high / count), count }))
}

/** Bounds of a length of which the ends are known. */
export const lengthBounds = ({ low, high }: Readonly<{ low: Seconds; high: Seconds }>): Bounds<Seconds> =>
  mapBounds({ low, likely: (low + high) / 2, high }, seconds)
