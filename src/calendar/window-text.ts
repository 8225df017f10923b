import { DAY } from '../model/units.ts'
import { failed, ok, type Result } from '../std/result.ts'
import { parseTime } from './local-time.ts'

/** Milliseconds after midnight: `from` below 24 h, `to` at most 24 h, never equal; on the next day when before `from`. */
type TimesOfDay = Readonly<{ from: number; to: number }>

/** `days`: 0 is Sunday, never empty. */
export type WeeklyOpening = TimesOfDay & { readonly days: ReadonlySet<number> }

const NAMES = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
export const EVERY_DAY: ReadonlySet<number> = new Set(NAMES.map((_, index) => index))
const EXPECTED = 'expected days and times such as Mon-Fri 08:00-19:00, or times alone such as 22:00-06:00'

/** `Mon-Fri 08:00-19:00`, `Sat,Sun 00:00-24:00`, `22:00-06:00` for every day. */
export function parseWeekly(text: string): Result<WeeklyOpening, string> {
  const compact = text.trim().replaceAll(/\s*([-,])\s*/g, '$1')
  const parts = compact.split(/\s+/)
  const [times = '', days] = parts.toReversed()
  const [from = '', to = '', ...more] = times.split('-')
  if (parts.length > 2 || more.length > 0 || !/^\d.*-./.test(times)) return failed(EXPECTED)
  const parsedTimes = parseTimes(from, to)
  const parsedDays = days === undefined ? ok(EVERY_DAY) : parseDays(days)
  if (!parsedDays.ok) return parsedDays
  return parsedTimes.ok ? ok({ days: parsedDays.value, ...parsedTimes.value }) : parsedTimes
}

/** `Mon`, `Mon-Fri`, `Sat-Mon`, `Mon,Wed,Fri`, `Mon-Wed,Sat`. */
export function parseDays(text: string): Result<ReadonlySet<number>, string> {
  const days = new Set<number>()
  for (const part of text.split(',')) {
    const [first = '', last = first, ...more] = part.split('-').map((name) => name.trim())
    const [from, to] = [dayOf(first), dayOf(last)]
    if (from === undefined || to === undefined || more.length > 0)
      return failed(`${dayText(part.trim())}: expected days such as Mon, Mon-Fri or Sat,Sun`)
    for (let day = from; ; day = (day + 1) % 7) {
      days.add(day)
      if (day === to) break
    }
  }
  return ok(days)
}

function dayOf(name: string) {
  const index = NAMES.findIndex((weekday) => weekday.toLowerCase() === name.toLowerCase())
  return index === -1 ? undefined : index
}

function parseTimes(from: string, to: string): Result<TimesOfDay, string> {
  const [begin, end] = [parseOpeningTime(from), parseClosingTime(to)]
  if (!begin.ok) return failed(`${from}: ${begin.error}`)
  if (!end.ok) return failed(`${to}: ${end.error}`)
  return begin.value === end.value
    ? failed(`${from}-${to} ${EMPTY_WINDOW_TEXT}`)
    : ok({ from: begin.value, to: end.value })
}

export const EMPTY_WINDOW_TEXT = 'is empty: expected two different times, or 00:00-24:00 for the whole day'

/** Milliseconds after midnight. */
export function parseOpeningTime(text: string): Result<number, string> {
  const time = parseTime(text)
  return time === undefined || time === DAY ? failed('expected a time from 00:00 to 23:59') : ok(time)
}

/** Milliseconds after midnight; `24:00` is the end of the day. */
export function parseClosingTime(text: string): Result<number, string> {
  const time = parseTime(text)
  return time === undefined ? failed('expected a time from 00:00 to 24:00') : ok(time)
}

/** A misspelt day, but no longer text: that may be a secret in the wrong place. */
const dayText = (day: string) =>
  day === '' ? 'an empty day' : /^[\p{L}-]{1,12}$/u.test(day) ? day : 'a text'
