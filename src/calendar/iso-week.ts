// ISO 8601 weeks: they begin on Monday, and the first week of a year has its first Thursday.
import { DAY, type Instant, type Interval } from '../model/units.ts'
import { dateText, dayNumber, addDays, localDateTimeOf, weekdayOf, type DayNumber } from './local-time.ts'
import type { Zone } from './zone.ts'

/** Id of an ISO week, such as `2026-W47`. */
export function isoWeekIdOf(at: Instant, zone: Zone): string {
  const thursday = addDays(mondayOf(zone.dayOf(at).number), 3)
  const year = dateText(thursday).slice(0, 4)
  const week = 1 + Math.floor((thursday - dayNumber(Date.UTC(Number(year), 0, 1) / DAY)) / 7)
  return `${year}-W${String(week).padStart(2, '0')}`
}

/** 167 to 169 hours; undefined for a text that is no id and for week 53 of a short year. */
export function isoWeekInterval(id: string, zone: Zone): Interval | undefined {
  const [, year, week] = /^(\d{4})-W(\d\d)$/.exec(id) ?? []
  if (year === undefined || week === undefined) return undefined
  const first = mondayOf(dayNumber(Date.UTC(Number(year), 0, 4) / DAY))
  const monday = addDays(first, 7 * (Number(week) - 1))
  const interval = { from: beginOf(monday, zone), to: beginOf(addDays(monday, 7), zone) }
  return isoWeekIdOf(interval.from, zone) === id ? interval : undefined
}

/** The `count` weeks before the one that begins at `from`, newest first. */
export function isoWeeksBefore(from: Instant, count: number, zone: Zone): readonly Interval[] {
  const monday = zone.dayOf(from).number
  return Array.from({ length: count }, (_, index) => ({
    from: beginOf(addDays(monday, -7 * (index + 1)), zone),
    to: beginOf(addDays(monday, -7 * index), zone),
  }))
}

const mondayOf = (day: DayNumber) => addDays(day, -((weekdayOf(day) + 6) % 7))
const beginOf = (day: DayNumber, zone: Zone) => zone.beginAt(localDateTimeOf(day))
