// Lengths of time in days of a budget. A part of a day counts by the spend that is usual in it, of the time that the budget counts: a day whose
// window is over is over, and a morning before work is hardly a part of the day.
import type { CalendarDay } from '../../calendar/zone.ts'
import type { Budget } from '../../model/policy/budget.ts'
import { earliest, instant, type Instant, type Interval } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import type { WeightedPart } from '../budgets/seasonality.ts'
import { duration } from '../interval-math.ts'

/** Days of the zone, and the time in them in which spend counts. */
export type CountedDays = Pick<Budget, 'countedIn'> &
  Readonly<{
    dayOf: (at: Instant) => CalendarDay
    /** By default every time weighs the same. */
    weightsIn?: (span: Interval) => readonly WeightedPart[]
  }>

type DayParts = Pick<CountedDays, 'countedIn' | 'weightsIn'>

/** Milliseconds. */
export const countedTime = ({ from, to }: Interval, { countedIn }: DayParts): number =>
  from < to ? sumOf(countedIn(from, to), duration) : 0

/** Counted time in order, each part of the same weight all through. */
function partsOf({ from, to }: Interval, { countedIn, weightsIn }: DayParts): readonly WeightedPart[] {
  const counted = from < to ? countedIn(from, to).filter((part) => duration(part) > 0) : []
  return weightsIn ? counted.flatMap(weightsIn) : counted.map((part) => ({ ...part, weight: duration(part) }))
}

const weightOf = (parts: readonly WeightedPart[]): number => sumOf(parts, ({ weight }) => weight)

/** Share of a day's weight that is in `part` of it. Of a day without counted time, that of its length. */
export function dayShare({ from, to }: Interval, part: Interval, days: DayParts): number {
  const whole = weightOf(partsOf({ from, to }, days))
  return whole > 0 ? weightOf(partsOf(part, days)) / whole : duration(part) / (to - from)
}

/** Days from `now` until `to`, each by its real length: half of a day of 25 hours is half a day. */
export function daysUntil(to: Instant, now: Instant, days: CountedDays): number {
  let sum = 0
  for (let at = now; at < to;) {
    const day = days.dayOf(at)
    const until = earliest(day.to, to)
    sum += dayShare(day, { from: at, to: until }, days)
    at = until
  }
  return sum
}

/** Inverse of `daysUntil`, to the millisecond. */
export function daysLater(count: number, now: Instant, days: CountedDays): Instant {
  let left = count
  for (let at = now; ;) {
    const day = days.dayOf(at)
    const rest = { from: at, to: day.to }
    const share = dayShare(day, rest, days)
    if (left <= share) return instantInside(rest, share === 0 ? 0 : left / share, days)
    left -= share
    at = day.to
  }
}

/** Where `share` of the weight of a part of a day is over. */
function instantInside({ from, to }: Interval, share: number, days: DayParts): Instant {
  const parts = partsOf({ from, to }, days)
  let left = share * weightOf(parts)
  for (const part of parts) {
    if (left <= part.weight) return instant(Math.round(part.from + (duration(part) * left) / part.weight))
    left -= part.weight
  }
  return instant(Math.round(from + share * (to - from)))
}
