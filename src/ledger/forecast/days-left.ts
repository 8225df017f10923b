// Lengths of time in days of a budget. A part of a day counts by the time in it that the budget counts, so a day whose window is over is over.
import type { CalendarDay } from '../../calendar/zone.ts'
import type { Budget } from '../../model/policy/budget.ts'
import { earliest, instant, type Instant, type Interval } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { duration } from '../interval-math.ts'

/** Days of the zone, and the time in them in which spend counts. */
export type CountedDays = Pick<Budget, 'countedIn'> & Readonly<{ dayOf: (at: Instant) => CalendarDay }>

/** Milliseconds. */
export const countedTime = ({ from, to }: Interval, { countedIn }: Pick<CountedDays, 'countedIn'>): number =>
  from < to ? sumOf(countedIn(from, to), duration) : 0

/** Share of a day's counted time that is in `part` of it. Of a day without counted time, that of its length. */
export function dayShare(
  { from, to }: Interval,
  part: Interval,
  days: Pick<CountedDays, 'countedIn'>,
): number {
  const whole = countedTime({ from, to }, days)
  return whole > 0 ? countedTime(part, days) / whole : duration(part) / (to - from)
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

/** Where `share` of the counted time in a part of a day is over. */
function instantInside({ from, to }: Interval, share: number, { countedIn }: CountedDays): Instant {
  const parts = countedIn(from, to).filter((part) => duration(part) > 0)
  let left = share * sumOf(parts, duration)
  for (const part of parts) {
    if (left <= duration(part)) return instant(Math.round(part.from + left))
    left -= duration(part)
  }
  return instant(Math.round(from + share * (to - from)))
}
