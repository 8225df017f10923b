// The texts of which windows are written: days, times of day, and both together.
import { failed, ok, type Result } from '../model/result.ts'
import { DAY, parseTime } from './wall.ts'

/** When a window opens and shuts, each week. */
export type Weekly = {
  /** 0 is Sunday. Never empty. */
  readonly days: ReadonlySet<number>
} & Times

/** Milliseconds after midnight: see `Rule`. */
export type Times = { readonly from: number; readonly to: number }

const NAMES = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const EVERY_DAY = NAMES.map((_, index) => index)

const EXPECTED = 'expected days and times such as Mon-Fri 08:00-19:00, or times alone such as 22:00-06:00'

/** `Mon-Fri 08:00-19:00`, `Sat,Sun 00:00-24:00`, `22:00-06:00` for every day. */
export function parseWeekly(text: string): Result<Weekly, string> {
  const parts = text
    .trim()
    .replaceAll(/\s*([-,])\s*/g, '$1')
    .split(/\s+/)
  const [times = '', days] = parts.toReversed()
  const [from = '', to = '', ...more] = times.split('-')
  if (parts.length > 2 || more.length > 0 || !/^\d.*-./.test(times)) return failed(EXPECTED)
  const parsedTimes = parseTimes(from, to)
  const parsedDays = days === undefined ? ok(new Set(EVERY_DAY)) : parseDays(days)
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
      return failed(
        `${part.trim() === '' ? 'an empty day' : part.trim()}: expected days such as Mon, Mon-Fri or Sat,Sun`,
      )
    for (let day = from; ; day = (day + 1) % 7) {
      days.add(day)
      if (day === to) break
    }
  }
  return ok(days)
}

function dayOf(name: string): number | undefined {
  const index = NAMES.findIndex((known) => known.toLowerCase() === name.toLowerCase())
  return index === -1 ? undefined : index
}

/** Two times of day; the second may be `24:00`, and on the next day when it is not after the first. */
export function parseTimes(from: string, to: string): Result<Times, string> {
  const [begin, end] = [parseTime(from), parseTime(to)]
  if (begin === undefined || begin === DAY) return failed(`${from}: expected a time from 00:00 to 23:59`)
  if (end === undefined) return failed(`${to}: expected a time from 00:00 to 24:00`)
  if (begin === end)
    return failed(`${from}-${to} is empty: expected two different times, or 00:00-24:00 for the whole day`)
  return ok({ from: begin, to: end })
}
