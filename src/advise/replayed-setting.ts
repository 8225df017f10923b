// Another setting replayed over the gaps and the awake time that came, less what was paid.
//
// 1. Delay: in each gap the compute would have been awake for the old delay, and was awake as the ledger shows. It had the size of the time
//    at which the delay changed: what a later size saves is not the delay's.
// 2. Sizing: each awake interval had a mean size; the old sizing would have kept it inside its own limits.
// 3. While a schedule had another delay in force nothing counts as saved: that is neither the new setting nor somebody else's value.
// 4. Both in the prices that held. Bounds come from those of the gaps and of the sizes.
import { duration, intersect, overlap } from '../ledger/interval-math.ts'
import { addCuTime, cuTimeSum, spendOf } from '../ledger/settle/cu-time.ts'
import { priceAt } from '../ledger/settle/slices.ts'
import {
  addBounds,
  eachBound,
  mapBounds,
  type Bounds,
  type CuTimeByPrice,
} from '../model/ledger/quantities.ts'
import type { Setting } from '../model/policy/recommendation.ts'
import { largestCu, smallestCu, type AutosuspendDelay, type Sizing } from '../model/service/compute.ts'
import {
  cu,
  HOUR,
  instant,
  micros,
  SECOND,
  type Cu,
  type Instant,
  type Interval,
  type Micros,
} from '../model/units.ts'
import { sumOf } from '../std/sum.ts'
import { awakeIntervals, type CostedInterval } from './awake-time.ts'
import { awakeInGap, type BacktestGap } from './backtest.ts'
import { everyGap, followedGaps, observedGaps } from './delay/observed-gaps.ts'
import { HISTORY_READ, type AdviseInput } from './input.ts'
import { moneyOf } from './interval.ts'

export type SettingChange = Readonly<{
  from: Setting
  to: Setting
  /** When it took effect. */
  at: Instant
}>

export type ReplayedSetting = Readonly<{
  /** Milliseconds of the period whose history is known well enough. */
  covered: number
  /** Money that the new setting saved in them, times a factor; negative where it cost more. */
  moneyTimes: (factor: number) => Bounds<Micros>
}>

/** Undefined for settings whose saving nothing can measure. */
export function replaySetting(
  input: AdviseInput,
  period: Interval,
  { from, to, at }: SettingChange,
): ReplayedSetting | undefined {
  const isDelay = from.delay !== undefined && to.delay !== undefined
  // time that the old delay would have added would have had the size when the delay changed
  const sizing = from.sizing ?? sizingAt(input, at)
  const delay = isDelay ? delayReplay(input, period, { from: from.delay, to: to.delay, sizing }) : undefined
  const size = from.sizing && sizingReplay(input, period, from.sizing)
  return delay && size ? bothOf(delay, size) : (delay ?? size)
}

const sizingAt = ({ settings, entry }: AdviseInput, at: Instant): Sizing =>
  settings.findLast(({ since }) => since <= at)?.sizing ?? entry.compute.sizing

const bothOf = (one: ReplayedSetting, other: ReplayedSetting): ReplayedSetting => ({
  covered: Math.min(one.covered, other.covered),
  moneyTimes: (factor) => addBounds(one.moneyTimes(factor), other.moneyTimes(factor), micros),
})

type DelayReplay = Readonly<{ from: AutosuspendDelay; to: AutosuspendDelay; sizing: Sizing }>

function delayReplay(input: AdviseInput, period: Interval, change: DelayReplay): ReplayedSetting {
  const all = observedGaps(input)
  // a shorter delay replayed needs the gaps that the longer one hides
  const isShorter = change.to === 'never' || (change.from !== 'never' && change.from < change.to)
  const { gaps, observed } = isShorter ? followedGaps(all) : everyGap(all)
  const awake = awakeIntervals(input)
  const inSpans = spansWith(change.to, input, period).map((span) =>
    savedSeconds({ gaps, awake, period: span }, change.from),
  )
  const saved = eachBound((bound) => sumOf(inSpans, (span) => span[bound]))
  const { size, perCuHour } = rateIn(awake, period, { input, sizing: change.sizing })
  return {
    covered: sumOf(observed, (span) => overlap(span, period)),
    moneyTimes: (factor) =>
      ordered(
        moneyOf(
          mapBounds(saved, (time) => time * factor),
          size,
          perCuHour,
        ),
      ),
  }
}

/** Spans of `period` in which no schedule had another delay in force, in order. */
function spansWith(
  delay: AutosuspendDelay,
  { settings, scheduled = [] }: Pick<AdviseInput, 'settings' | 'scheduled'>,
  period: Interval,
): readonly Interval[] {
  const later = settings.filter(({ since }) => since > period.from && since < period.to)
  const before = settings.findLast(({ since }) => since <= period.from)?.delay
  // where a change has just set the delay, the look that shows it comes later
  const first = before !== undefined && scheduled.includes(before) ? before : delay
  return [{ since: period.from, delay: first }, ...later].flatMap((setting, index) =>
    setting.delay === delay ? [{ from: setting.since, to: later[index]?.since ?? period.to }] : [],
  )
}

type Replay = Readonly<{
  gaps: readonly BacktestGap[]
  awake: readonly CostedInterval[]
  period: Interval
}>

/** Awake time of the old delay in the gaps, less the time that was paid. Both are of one compute, in order. */
export function savedSeconds({ gaps, awake, period }: Replay, old: AutosuspendDelay): Bounds<number> {
  const saved = withAwake(gaps, awake).map(({ gap: { from, length }, near }) =>
    eachBound((bound) => {
      const gap = intersect(spanOf(from, length[bound]), period)
      const replayed = overlap(spanOf(from, awakeInGap(length, old)[bound]), period)
      return (replayed - sumOf(near, (interval) => overlap(interval, gap))) / SECOND
    }),
  )
  return ordered(eachBound((bound) => sumOf(saved, (gap) => gap[bound])))
}

/** Each gap with the intervals that it may overlap. Both are in order: one walk suffices. */
function withAwake(gaps: Replay['gaps'], awake: Replay['awake']) {
  let first = 0
  return gaps.map((gap) => {
    const end = gap.from + gap.length.high * SECOND
    while ((awake[first]?.to ?? Infinity) <= gap.from) first += 1
    let next = first
    while ((awake[next]?.from ?? Infinity) < end) next += 1
    return { gap, near: awake.slice(first, next) }
  })
}

const spanOf = (from: Interval['from'], length: number): Interval => ({
  from,
  to: instant(from + length * SECOND),
})

export const ordered = <Value extends number>({ low, likely, high }: Bounds<Value>): Bounds<Value> => ({
  low: low < high ? low : high,
  likely,
  high: low < high ? high : low,
})

/** Mean size in `sizing`, and price, of the awake time in `period`; without any all that `sizing` allows, at the price now. */
function rateIn(
  awake: readonly CostedInterval[],
  period: Interval,
  { input: { prices, now }, sizing }: Readonly<{ input: AdviseInput; sizing: Sizing }>,
): MeanRate {
  const [least, most] = [smallestCu(sizing), largestCu(sizing)]
  const mean = meanRate(awake, period)
  if (!mean) return { size: { low: least, likely: least, high: most }, perCuHour: priceAt(prices, now) }
  return { ...mean, size: mapBounds(mean.size, (size) => withinSizing(size, sizing)) }
}

type MeanRate = Readonly<{ size: Bounds<Cu>; perCuHour: Micros }>

/** Mean of the intervals that overlap `period`; undefined without awake time. */
export function meanRate(awake: readonly CostedInterval[], period: Interval): MeanRate | undefined {
  const inside = awake.filter((interval) => overlap(interval, period) > 0)
  const cuTime = inside.map((interval) => interval.cuTime).reduce<CuTimeByPrice>(addCuTime, {})
  const time = sumOf(inside, duration)
  const metered = cuTimeSum(cuTime)
  if (time === 0 || metered.likely === 0) return undefined
  return {
    size: mapBounds(metered, (sum) => cu(sum / time)),
    perCuHour: micros((spendOf(cuTime).likely * HOUR) / metered.likely),
  }
}

export const withinSizing = (size: number, sizing: Sizing): Cu =>
  cu(Math.min(largestCu(sizing), Math.max(smallestCu(sizing), size)))

const sizingReplay = (input: AdviseInput, period: Interval, old: Sizing): ReplayedSetting => ({
  covered: coveredTime(input, period),
  moneyTimes: resizedMoney(awakeIntervals(input), period, old),
})

/** Money that the sizes which came saved beside the old sizing. */
export function resizedMoney(
  awake: readonly CostedInterval[],
  period: Interval,
  old: Sizing,
): ReplayedSetting['moneyTimes'] {
  const saved = awake.map((interval) => {
    const part = overlap(interval, period)
    const metered = cuTimeSum(interval.cuTime)
    if (part === 0 || metered.likely === 0) return eachBound(() => 0)
    const perCuMs = spendOf(interval.cuTime).likely / metered.likely
    const sizes = mapBounds(metered, (sum) => sum / duration(interval))
    return mapBounds(sizes, (size) => part * (withinSizing(size, old) - size) * perCuMs)
  })
  return (factor) => ordered(eachBound((bound) => micros(sumOf(saved, (one) => one[bound]) * factor)))
}

/** Milliseconds of `period` in the history that is read. */
function coveredTime({ intervals, settings, now }: AdviseInput, { from, to }: Interval): number {
  const known = Math.min(settings[0]?.since ?? now, intervals[0]?.interval.from.likely ?? now)
  return Math.max(0, to - Math.max(from, known, now - HISTORY_READ))
}
