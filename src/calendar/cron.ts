// Cron text, read on the wall clock: which times of day it names. What they are as instants is up to a zone.
import { Cron as Croner } from 'croner'
import { failed, ok, type Result } from '../std/result.ts'
import { DAY_MS, dayNumberOf, localDateTime, localDateTimeOf, type LocalDateTime } from './local-time.ts'

export type Cron = {
  readonly text: string
  /** The first time named after `time`; undefined when there is none before the year 10000. */
  readonly next: (time: LocalDateTime) => LocalDateTime | undefined
  /** The last time named before `time`; undefined when there is none. */
  readonly previous: (time: LocalDateTime) => LocalDateTime | undefined
}

/** Nobody writes a longer one by hand, and a text is read in time that grows with its length. */
const LONGEST = 100

const FIELDS = [
  ['minute', '0-59'],
  ['hour', '0-23'],
  ['day of month', '1-31, L for the last or 15W for the weekday nearest the 15th'],
  ['month', '1-12 or JAN-DEC'],
  ['day of week', '0-7 or SUN-SAT, 5L for the last Friday or WED#2 for the second Wednesday'],
] as const

const EXPECTED = 'expected five fields: minute, hour, day of month, month, day of week, such as 0 8 * * MON'

/**
 * Five fields, or a nickname such as `@daily`. Days of month and of week that are both given add up, as in every cron.
 *
 * @returns what is wrong with each field and what is allowed there; also of a text that is right and names no time at all
 */
export function parseCron(text: string): Result<Cron, string> {
  const trimmed = text.trim()
  if (trimmed.length > LONGEST)
    return failed(`cron text of ${trimmed.length} characters: expected at most ${LONGEST}`)
  const fields = trimmed.split(/\s+/)
  const nickname = /^@(hourly|daily|weekly|monthly|yearly)$/.test(trimmed)
  if (!nickname && fields.length !== FIELDS.length) return failed(EXPECTED)
  const problems = nickname ? [] : fields.flatMap(problemOf)
  if (problems.length > 0) return failed(problems.join('; '))
  const cron = cronOf(trimmed)
  return cron.next(SOME_TIME) === undefined ? failed(`${trimmed} never occurs`) : ok(cron)
}

/** Any will do: what occurs at all occurs again within the next centuries. */
const SOME_TIME = localDateTime(0)

function problemOf(field: string, index: number): string[] {
  const [name, allowed] = FIELDS[index] ?? []
  const alone = FIELDS.map((_, other) => (other === index ? field : '*')).join(' ')
  // croner takes ? for *, which other crons read in another way
  if (!field.includes('?') && isTaken(alone)) return []
  return [`${name} ${field}: expected ${allowed}, *, a list, a range or a step such as */2`]
}

function isTaken(text: string): boolean {
  try {
    croner(text)
    return true
  } catch {
    return false
  }
}

/** In UTC a date stands for what a wall clock shows: no day of it is longer than another. Made without a function, it starts no timer. */
const croner = (text: string): Croner => new Croner(text, { timezone: 'UTC', mode: '5-part', paused: true })

function cronOf(text: string): Cron {
  const job = croner(text)
  return {
    text,
    next: (time) => wallOfDate(job.nextRun(new Date(time))),
    previous: (time) => wallOfDate(job.previousRuns(1, new Date(time))[0]),
  }
}

const wallOfDate = (date: Date | null | undefined): LocalDateTime | undefined =>
  date ? localDateTime(date.getTime()) : undefined

/** How many times the text names on a day on which it names any, at most `most`. */
export function timesPerDay(cron: Cron, most: number): number {
  const first = cron.next(SOME_TIME)
  if (first === undefined) return 0
  const midnight = localDateTimeOf(dayNumberOf(first))
  let count = 0
  let time = cron.next(localDateTime(midnight - 1))
  while (time !== undefined && time < midnight + DAY_MS && count < most) {
    count += 1
    time = cron.next(time)
  }
  return count
}
