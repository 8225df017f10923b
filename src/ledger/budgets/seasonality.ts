// Usual spend by hour of the week, on the wall clock of the budget.
import type { Budget, Seasonality } from '../../model/policy/budget.ts'
import { HOUR, instant, type Instant, type Interval } from '../../model/units.ts'

const HOURS = 168
const WEEK = HOURS * HOUR
/** Weight of a week beside the next one: a half after two weeks, so that new habits of work soon become usual. */
const WEEKLY_DECAY = Math.SQRT1_2
/** Time until the usual spend is known, ms: each hour of the week has come twice. */
const LEARNING_TIME = 14 * 24 * HOUR

/** Likely spend, distributed evenly over a span. */
export type SpentSpan = Interval & { readonly amount: number }
type WallAt = Budget['wallAt']

export const newSeasonality = (from: Instant, wallAt: WallAt): Seasonality => ({
  from,
  until: from,
  week: weekOf(wallAt(from)),
  spent: NO_HOURS,
  time: NO_HOURS,
})

const NO_HOURS: readonly number[] = Array.from({ length: HOURS }, () => 0)
const weekOf = (wallTime: number) => Math.floor(wallTime / WEEK)

/** Adds spend, and the time up to `until`. The order in which spend comes does not matter. */
export function addSpend(
  before: Seasonality,
  { spent, until }: { spent: readonly SpentSpan[]; until: Instant },
  wallAt: WallAt,
): Seasonality {
  if (spent.length === 0 && until <= before.until) return before
  const week = Math.max(before.week, weekOf(wallAt(until)))
  const decay = WEEKLY_DECAY ** (week - before.week)
  const sums = {
    week,
    spent: before.spent.map((amount) => amount * decay),
    time: before.time.map((time) => time * decay),
  }
  addTime(sums, { from: before.until, to: until }, wallAt)
  for (const span of spent) {
    const rate = span.amount / (span.to - span.from)
    for (const { hour, length, wallTime } of hoursOf(span, wallAt))
      addToHour(sums.spent, hour, length * rate * weightOf(wallTime, week))
  }
  return {
    ...before,
    until: instant(Math.max(before.until, until)),
    week,
    spent: sums.spent.map(Math.round),
    time: sums.time.map(Math.round),
  }
}

/** The seasonality when spend is known since an earlier instant. */
export function seasonalityKnownSince(before: Seasonality, since: Instant, wallAt: WallAt): Seasonality {
  if (since >= before.from) return before
  const time = [...before.time]
  addTime({ week: before.week, time }, { from: since, to: before.from }, wallAt)
  return { ...before, from: since, time: time.map(Math.round) }
}

function addTime({ week, time }: { week: number; time: number[] }, span: Interval, wallAt: WallAt): void {
  for (const { hour, length, wallTime } of hoursOf(span, wallAt))
    addToHour(time, hour, length * weightOf(wallTime, week))
}

const addToHour = (hours: number[], hour: number, value: number) => {
  hours[hour] = (hours[hour] ?? 0) + value
}

const weightOf = (wallTime: number, week: number) => WEEKLY_DECAY ** (week - weekOf(wallTime))

/** Part of a span within one hour of the wall clock. */
type HourPart = Readonly<{ wallTime: number; length: number; hour: number }>

/** By hour of the week. An hour that the clock shows twice comes twice, one that it skips is missing. */
function hoursOf({ from, to }: Interval, wallAt: WallAt): readonly HourPart[] {
  const parts: HourPart[] = []
  for (let at: number = from; at < to;) {
    const wallTime = wallAt(instant(at))
    const next = Math.min(to, at + HOUR - (wallTime % HOUR))
    parts.push({ wallTime, length: next - at, hour: Math.floor(wallTime / HOUR) % HOURS })
    at = next
  }
  return parts
}

/** Undefined while it is being learned. An hour that never came counts as the average hour. */
export function expectedSpendIn(
  seasonality: Seasonality,
  { from, to }: Interval,
  wallAt: WallAt,
): number | undefined {
  if (to - seasonality.from < LEARNING_TIME) return undefined
  const mean = rateOf(sum(seasonality.spent), sum(seasonality.time), 0)
  let usual = 0
  for (const { hour, length } of hoursOf({ from, to }, wallAt))
    usual += length * rateOf(seasonality.spent[hour] ?? 0, seasonality.time[hour] ?? 0, mean)
  return usual
}

/** Part of a span with the same usual spend all through. */
export type WeightedPart = Interval & { readonly weight: number }

const HOURS_OF_DAY = 24
/** Days of even use that are assumed beside those known: an hour without spend on few days is no evidence, on a month of them it is. */
const EVEN_DAYS = 2

/**
 * Usual spend within the days, by the hour of the day: all days of the week together, as what is known of a single one is little. An average
 * hour weighs its length; without evidence every hour does.
 */
export function usualWeightsIn(
  { spent, time }: Seasonality,
  wallAt: WallAt,
): (span: Interval) => readonly WeightedPart[] {
  const mean = rateOf(sum(spent), sum(time), 0)
  const factors = Array.from({ length: HOURS_OF_DAY }, (_, hour) => {
    const days = sum(ofHour(time, hour)) / HOUR
    const usualDays = mean === 0 ? days : sum(ofHour(spent, hour)) / (mean * HOUR)
    return (usualDays + EVEN_DAYS) / (days + EVEN_DAYS)
  })
  return (span) => {
    let at: number = span.from
    return hoursOf(span, wallAt).map(({ hour, length }) => {
      const from = instant(at)
      at += length
      return { from, to: instant(at), weight: length * (factors[hour % HOURS_OF_DAY] ?? 1) }
    })
  }
}

const ofHour = (hours: readonly number[], hour: number) =>
  hours.filter((_, index) => index % HOURS_OF_DAY === hour)

const sum = (hours: readonly number[]) => hours.reduce((total, hour) => total + hour, 0)

const rateOf = (spent: number, time: number, fallback: number) => (time === 0 ? fallback : spent / time)
