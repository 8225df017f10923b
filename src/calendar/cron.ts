// Cron text on the wall clock: which local dates and times it names; a zone makes instants of them. node-cron reads the fields; the
// grammars below refuse what it takes beyond them. It combines day of month and day of week with AND where cron means OR: so each is matched
// alone. L, W and # it matches in UTC, where every day has 24 hours; numbers need no date, and so not Intl, whose first use takes 20 ms.
import { MINUTE } from '../model/units.ts'
import { createTask, parse, validateDetailed } from 'node-cron'
import { failed, ok, type Result } from '../std/result.ts'
import {
  addDays,
  dayNumberOf,
  firstDayOf,
  localDateTime,
  localDateTimeOf,
  monthOf,
  weekdayOf,
  type DayNumber,
  type LocalDateTime,
} from './local-time.ts'

export type Cron = Readonly<{
  text: string
  /** Milliseconds after midnight, ascending, never empty. */
  timesOfDay: readonly number[]
  /** The first time named after `time`, if any. */
  next: (time: LocalDateTime) => LocalDateTime | undefined
  /** The last time named before `time`, if any. */
  previous: (time: LocalDateTime) => LocalDateTime | undefined
}>

/** Characters: nobody writes a longer text by hand, and reading takes time by length. */
const MAX_LENGTH = 100

const NICKNAMES: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@weekly', '0 0 * * SUN'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
])

const NUMBER = String.raw`\d\d?`
const MONTH = `(${NUMBER}|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)`
const WEEKDAY = `(${NUMBER}|SUN|MON|TUE|WED|THU|FRI|SAT)`

/** `count`: how many values the field has; no step is larger. */
const FIELDS = [
  { name: 'minute', allowed: '0-59', count: 60, grammar: listOf(NUMBER) },
  { name: 'hour', allowed: '0-23', count: 24, grammar: listOf(NUMBER) },
  {
    name: 'day of month',
    allowed: '1-31, L for the last or 15W for the weekday nearest the 15th',
    count: 31,
    grammar: listOf(NUMBER, 'L', 'LW', `${NUMBER}W`),
  },
  { name: 'month', allowed: '1-12 or JAN-DEC', count: 12, grammar: listOf(MONTH) },
  {
    name: 'day of week',
    allowed: '0-7 or SUN-SAT, 5L for the last Friday or WED#2 for the second Wednesday',
    count: 7,
    grammar: listOf(WEEKDAY, `${WEEKDAY}L`, `${WEEKDAY}#[1-5]`),
  },
] as const

/** A list of `*`, values, ranges, their steps, and the `special` values of the field. */
function listOf(value: string, ...special: readonly string[]): RegExp {
  const item = [String.raw`(\*|${value}-${value})(/\d+)?`, value, ...special].join('|')
  return new RegExp(`^(${item})(,(${item}))*$`, 'i')
}

const EXPECTED = 'expected five fields: minute, hour, day of month, month, day of week, such as 0 8 * * MON'

/** Five fields, or a nickname such as `@daily`. @returns what is wrong with each field; also of a text that never occurs */
export function parseCron(text: string): Result<Cron, string> {
  const trimmed = text.trim()
  if (trimmed.length > MAX_LENGTH)
    return failed(`cron text of ${trimmed.length} characters: expected at most ${MAX_LENGTH}`)
  const fields = (NICKNAMES.get(trimmed) ?? trimmed).split(/\s+/)
  if (fields.length !== FIELDS.length) return failed(EXPECTED)
  const problems = fields.flatMap(problemsOf)
  if (problems.length > 0) return failed(problems.join('; '))
  const cron = createCron(trimmed, fields)
  return cron.next(localDateTime(0)) === undefined ? failed(`${trimmed} never occurs`) : ok(cron)
}

function problemsOf(field: string, index: number) {
  const rule = FIELDS[index]
  if (!rule || (rule.grammar.test(field) && hasValidNumbers(field, index, rule.count))) return []
  return [`${rule.name} ${field}: expected ${rule.allowed}, *, a list, a range or a step such as */2`]
}

function hasValidNumbers(field: string, index: number, count: number) {
  // node-cron checks neither the ends of a range that wraps around nor the size of a step
  const ends = field.replaceAll(/\/\d+/g, '').replaceAll('-', ',')
  const steps = Array.from(field.matchAll(/\/(\d+)/g), ([, step]) => Number(step))
  const isValid = (alone: string) =>
    validateDetailed(FIELDS.map((_, other) => (other === index ? alone : '*')).join(' ')).valid
  return isValid(field) && isValid(ends) && steps.every((step) => step <= count)
}

/** Months after which dates and weekdays repeat: 400 years. */
const CALENDAR_CYCLE = 400 * 12

function createCron(text: string, fields: readonly string[]): Cron {
  const [minute, hour, dayOfMonth = '*', monthOfYear, dayOfWeek = '*'] = fields
  const parsed = parse(`${minute} ${hour} * ${monthOfYear} *`)
  const times = parsed.hour.flatMap((hours) => parsed.minute.map((minutes) => hours * 60 + minutes))
  const timesOfDay = [...new Set(times)].toSorted((a, b) => a - b).map((minutes) => minutes * MINUTE)
  const daysIn = createDayLookup(parsed.month, dayOfMonth, dayOfWeek)
  const search = (time: LocalDateTime, step: 1 | -1) => {
    const today = dayNumberOf(time)
    for (let distance = 0; distance <= CALENDAR_CYCLE; distance += 1) {
      const days = daysIn(monthOf(today) + step * distance)
      for (const day of step === 1 ? days : days.toReversed()) {
        if ((day - today) * step < 0) continue
        const isBeyond = (ofDay: number) => (localDateTimeOf(day, ofDay) - time) * step > 0
        const ofDay = step === 1 ? timesOfDay.find(isBeyond) : timesOfDay.findLast(isBeyond)
        if (ofDay !== undefined) return localDateTimeOf(day, ofDay)
      }
    }
    return undefined
  }
  return { text, timesOfDay, next: (time) => search(time, 1), previous: (time) => search(time, -1) }
}

/** Days named in a month since January 1970. A search may visit 4,800 months of 28 shapes: each shape is matched once. */
function createDayLookup(monthsOfYear: readonly number[], dayOfMonth: string, dayOfWeek: string) {
  const fields: readonly DayField[] = [
    { name: 'dayOfMonth', text: `0 0 ${dayOfMonth} * *`, valueOf: (day, first) => day - first + 1 },
    { name: 'dayOfWeek', text: `0 0 * * ${dayOfWeek}`, valueOf: weekdayOf },
  ]
  const limiting = fields.filter(({ text }) => text !== EVERY_DAY)
  const byShape = new Map<string, readonly number[]>()
  return (month: number): readonly DayNumber[] => {
    if (!monthsOfYear.includes((((month % 12) + 12) % 12) + 1)) return []
    const first = firstDayOf(month)
    const length = firstDayOf(month + 1) - first
    const shape = `${length} ${weekdayOf(first)}`
    const offsets = byShape.get(shape) ?? matchDays(limiting, first, length)
    byShape.set(shape, offsets)
    return offsets.map((offset) => addDays(first, offset))
  }
}

type DayField = Readonly<{
  name: 'dayOfMonth' | 'dayOfWeek'
  text: string
  valueOf: (day: DayNumber, first: DayNumber) => number
}>

const EVERY_DAY = '0 0 * * *'

/** Offsets of the days from `first` on that at least one field names; of all days without fields. */
function matchDays(fields: readonly DayField[], first: DayNumber, length: number) {
  const offsets = Array.from({ length }, (_, offset) => offset)
  if (fields.length === 0) return offsets
  const days = offsets.map((offset) => addDays(first, offset))
  const named = new Set(fields.flatMap((field) => daysOf(field, days, first)))
  return offsets.filter((offset) => named.has(addDays(first, offset)))
}

function daysOf({ name, text, valueOf }: DayField, days: readonly DayNumber[], first: DayNumber) {
  const values: readonly unknown[] = parse(text)[name]
  if (values.every(Number.isInteger)) return days.filter((day) => values.includes(valueOf(day, first)))
  // L, W and #. The task is never started, so without a timer; `destroy` takes it from node-cron's registry
  const task = createTask(text, () => undefined, { timezone: 'UTC' })
  const named = days.filter((day) => task.match(new Date(localDateTimeOf(day))))
  void task.destroy()
  return named
}
