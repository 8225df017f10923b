// What is usual at this time of the week: spend by hour of the week, on the wall clock of the budget.
import type { Budget, Seasonality } from '../../model/policy/budget.ts'
import type { Span } from '../../model/ledger/slice.ts'
import { instant, type Instant } from '../../model/units.ts'

const HOUR = 3_600_000
const HOURS = 168
const WEEK = HOURS * HOUR
/** What a week counts beside the next one: half after two weeks. Doubled to four, a new way of working is news for twice as long. */
const FADES = Math.SQRT1_2
/** Each hour of the week has come once by then, and most of them twice. Doubled, a new budget goes by its mean for a month. */
const LEARNING = 14 * 24 * HOUR

/** Likely spend of a span, evenly. */
export type SpentSpan = { readonly span: Span; readonly amount: number }

type WallAt = Budget['wallAt']

export const newSeasonality = (from: Instant, wallAt: WallAt): Seasonality => ({
  from,
  until: from,
  week: weekOf(wallAt(from)),
  spent: NO_HOURS,
  time: NO_HOURS,
})

const NO_HOURS: readonly number[] = Array.from({ length: HOURS }, () => 0)

const weekOf = (shown: number): number => Math.floor(shown / WEEK)

/** `season` with what was spent, and with the time up to `until`. In whatever order spend comes, the season is the same. */
export function addSpend(
  season: Seasonality,
  { spent, until }: { readonly spent: readonly SpentSpan[]; readonly until: Instant },
  wallAt: WallAt,
): Seasonality {
  if (spent.length === 0 && until <= season.until) return season
  const week = Math.max(season.week, weekOf(wallAt(until)))
  const faded = FADES ** (week - season.week)
  const open = {
    week,
    spent: season.spent.map((one) => one * faded),
    time: season.time.map((one) => one * faded),
  }
  addTime(open, [season.until, until], wallAt)
  for (const { span, amount } of spent) {
    const rate = amount / (span[1] - span[0])
    for (const { hour, length, shown } of hoursOf(span, wallAt))
      add(open.spent, hour, length * rate * weightOf(shown, week))
  }
  return {
    ...season,
    until: instant(Math.max(season.until, until)),
    week,
    spent: open.spent.map(Math.round),
    time: open.time.map(Math.round),
  }
}

/** `season` where all was counted from an earlier instant on. */
export function seasonalityKnownSince(season: Seasonality, since: Instant, wallAt: WallAt): Seasonality {
  if (since >= season.from) return season
  const time = [...season.time]
  addTime({ week: season.week, time }, [since, season.from], wallAt)
  return { ...season, from: since, time: time.map(Math.round) }
}

function addTime(
  { week, time }: { readonly week: number; readonly time: number[] },
  span: Span,
  wallAt: WallAt,
): void {
  for (const { hour, length, shown } of hoursOf(span, wallAt)) add(time, hour, length * weightOf(shown, week))
}

const add = (hours: number[], hour: number, value: number): void => {
  hours[hour] = (hours[hour] ?? 0) + value
}

const weightOf = (shown: number, week: number): number => FADES ** (week - weekOf(shown))

/** A part that lies in one hour of the wall clock. */
type Part = { readonly shown: number; readonly length: number; readonly hour: number }

/** The parts of a span by hour of the week: an hour that the clock shows twice comes twice, one that it skips does not come. */
function hoursOf([from, to]: Span, wallAt: WallAt): readonly Part[] {
  const parts: Part[] = []
  for (let at: number = from; at < to;) {
    const shown = wallAt(instant(at))
    const next = Math.min(to, at + HOUR - (shown % HOUR))
    parts.push({ shown, length: next - at, hour: Math.floor(shown / HOUR) % HOURS })
    at = next
  }
  return parts
}

/** What is usually spent in a span; undefined while that is being learned. An hour that never came is as all are on average. */
export function expectedSpendIn(season: Seasonality, [from, to]: Span, wallAt: WallAt): number | undefined {
  if (to - season.from < LEARNING) return undefined
  const mean = rateOf(sum(season.spent), sum(season.time), 0)
  let usual = 0
  for (const { hour, length } of hoursOf([from, to], wallAt))
    usual += length * rateOf(season.spent[hour] ?? 0, season.time[hour] ?? 0, mean)
  return usual
}

const sum = (hours: readonly number[]): number => hours.reduce((all, one) => all + one, 0)

const rateOf = (spent: number, time: number, otherwise: number): number =>
  time === 0 ? otherwise : spent / time
