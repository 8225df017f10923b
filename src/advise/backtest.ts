// What a delay would have cost over recorded gaps: awake time and wakes, and gaps in groups from which anybody can compute both again.
import type { Bounds } from '../model/ledger/quantities.ts'
import { mapBounds } from '../model/ledger/quantities.ts'
import type { GapGroup } from '../model/policy/recommendation.ts'
import type { AutosuspendDelay } from '../model/service/compute.ts'
import { seconds, type Instant, type Interval, type Seconds } from '../model/units.ts'
import { sumOf } from '../std/sum.ts'
import { hiOf, binOf, stepsOf } from './delay/bins.ts'

/** A gap as money and wakes are computed from it. */
export type BacktestGap = Readonly<{ from: Instant; length: Bounds<Seconds> }>

export type DelayChange = Readonly<{ from: AutosuspendDelay; to: AutosuspendDelay }>

/** Time awake in a gap under `delay`: the first seconds of it. */
export const awakeInGap = (length: number, delay: AutosuspendDelay): number =>
  delay === 'never' ? length : Math.min(length, delay)

/** Awake seconds that a change of delay saves over the gaps; negative where it adds some. */
export function savedTime(gaps: readonly BacktestGap[], { from, to }: DelayChange): Bounds<number> {
  const saved = (bound: keyof Bounds<number>) =>
    sumOf(gaps, ({ length }) => awakeInGap(length[bound], from) - awakeInGap(length[bound], to))
  const ends = [saved('low'), saved('high')]
  return { low: Math.min(...ends), likely: saved('likely'), high: Math.max(...ends) }
}

/** Awake time that a change of delay saves in one gap, inside `within`, seconds. */
export function savedTimeIn(gap: BacktestGap, { from, to }: DelayChange, within: Interval): number {
  const [before, after] = [awakeInGap(gap.length.likely, from), awakeInGap(gap.length.likely, to)]
  const begin = Math.max(within.from, gap.from + Math.min(before, after) * 1000)
  const end = Math.min(within.to, gap.from + Math.max(before, after) * 1000)
  return (Math.max(0, end - begin) / 1000) * Math.sign(before - after)
}

/** Gaps that the compute would sleep in, each of which ends with a wake; the gap in progress will. */
export const wakesUnder = (gaps: readonly BacktestGap[], delay: AutosuspendDelay): number =>
  delay === 'never' ? 0 : sumOf(gaps, ({ length }) => Number(length.likely > delay))

/**
 * Groups by the middle of the bounds. No group has lengths on both sides of a bin's edge or of one of `delays`, so the sum of
 * `min(length, delay)` over the groups is exact for all of these.
 */
export function gapGroups(
  gaps: readonly BacktestGap[],
  delays: readonly AutosuspendDelay[],
  grid: Seconds,
): readonly GapGroup[] {
  const splits = delays.filter((delay) => delay !== 'never').toSorted((a, b) => a - b)
  const groups = new Map<number, { low: number; high: number; count: number }>()
  for (const { length } of gaps) {
    const edge = hiOf(binOf(stepsOf(length.likely, grid))) * grid
    const key = Math.min(edge, splits.find((delay) => delay >= length.likely) ?? Infinity)
    const { low, high, count } = groups.get(key) ?? { low: 0, high: 0, count: 0 }
    groups.set(key, { low: low + length.low, high: high + length.high, count: count + 1 })
  }
  return [...groups]
    .toSorted(([a], [b]) => a - b)
    .map(([, { low, high, count }]) => ({ low: seconds(low / count), high: seconds(high / count), count }))
}

/** Bounds of a length of which the ends are known: the middle is likely. */
export const lengthBounds = ({ low, high }: Readonly<{ low: Seconds; high: Seconds }>): Bounds<Seconds> =>
  mapBounds({ low, likely: (low + high) / 2, high }, seconds)
