// The sections `calendars` and `windows`: what each text and each form stands for. `buildWindows` resolves their names.
import { z } from 'zod'
import { parseCron, timesPerDay, type Cron } from '../../calendar/cron.ts'
import { oneOffRecurrence, type DateSet, type Recurrence } from '../../calendar/recurrence.ts'
import {
  parseDate,
  parseLocalDateTime,
  type DayNumber,
  type LocalDateTime,
} from '../../calendar/local-time.ts'
import { createWindow, type Window } from '../../calendar/window.ts'
import {
  EMPTY_WINDOW_TEXT,
  EVERY_DAY,
  parseDays,
  parseOpeningTime,
  parseClosingTime,
  parseWeekly,
  type WeeklyOpening,
} from '../../calendar/window-text.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { Result } from '../../std/result.ts'
import { millis, type Millis } from '../../model/units.ts'
import { durationSchema } from '../units.ts'
import { unknownNameText } from '../suggestions.ts'
import { zoneSchema } from './zone.ts'

const EXPECTED =
  'expected a text such as Mon-Fri 08:00-19:00, keys with days, from and to, with cron and duration, or with from and to, or a list of these'

/** The name of something that other sections refer to. */
export const nameSchema = z
  .string()
  .regex(/^[a-z0-9_-]{1,40}$/, 'expected a name of 1 to 40 of the characters a-z 0-9 - _')

/** Text as `parse` reads it; what is wrong with it becomes the problem. */
const read = <Value>(parse: (text: string) => Result<Value, string>, expected: string) =>
  z.string(expected).transform((text, context): Value => {
    const parsed = parse(text)
    if (parsed.ok) return parsed.value
    context.addIssue(parsed.error)
    return z.NEVER
  })

const NO_DATE = 'expected a date such as 2026-12-25'

const date = z.string(NO_DATE).transform((text, context): DayNumber => {
  const day = parseDate(text)
  if (day !== undefined) return day
  context.addIssue(NO_DATE)
  return z.NEVER
})

export const calendarsSchema = z.record(
  nameSchema,
  z.strictObject({ dates: z.array(date, 'expected a list of dates').describe('Days, such as 2026-12-25.') }),
)

const except = z
  .array(z.string('expected the name of a calendar'), 'expected a list of calendars')
  .optional()
  .describe('Calendars on whose dates it does not begin.')

const inZone = zoneSchema.optional().describe('In place of timezone.')

const weekly = z
  .strictObject({
    days: z
      .union([z.string(), z.array(z.string())], 'expected days such as Mon-Fri or [Mon, Wed]')
      .transform((days) => [days].flat().join(','))
      .pipe(read(parseDays, ''))
      .optional()
      .describe('Mon-Fri, or a list; every day when absent.'),
    from: read(parseOpeningTime, 'expected a time from 00:00 to 23:59').describe('When it opens.'),
    to: read(parseClosingTime, 'expected a time from 00:00 to 24:00').describe(
      'When it shuts; on the next day when that is not after from.',
    ),
    except,
    zone: inZone,
  })
  .refine(({ from, to }) => from !== to, EMPTY_WINDOW_TEXT)
  .transform(({ days = EVERY_DAY, from, to, except: calendars = [], zone: own }): Entry => ({
    kind: 'weekly',
    weekly: { days, from, to },
    except: calendars,
    zone: own,
  }))

/** A window is something people plan with. Doubled, it takes twice as long to find where a pattern without gaps ends: 0.3 s. */
const MOST_OPENINGS = 12

const cron = z
  .strictObject({
    cron: read(parseCron, 'expected cron text such as 0 3 * * SUN')
      .refine((parsed) => timesPerDay(parsed, MOST_OPENINGS + 1) <= MOST_OPENINGS, {
        error: `begins more than ${MOST_OPENINGS} times a day: expected at most that many`,
      })
      .describe('When it opens, as five fields of cron.'),
    duration: durationSchema({ min: '1m', max: '7d' }).describe('How long it stays open.'),
    except,
    zone: inZone,
  })
  .transform(({ cron: parsed, duration: span, except: calendars = [], zone: own }): Entry => ({
    kind: 'cron',
    cron: parsed,
    duration: millis(span * 1000),
    except: calendars,
    zone: own,
  }))

const NO_WALL = 'expected a date and time such as 2026-11-26T00:00'

const dated = z.string(NO_WALL).transform((text, context): LocalDateTime => {
  const time = parseLocalDateTime(text)
  if (time !== undefined) return time
  context.addIssue(NO_WALL)
  return z.NEVER
})

const fromTo = z
  .strictObject({
    from: dated.describe('When it opens, once.'),
    to: dated.describe('When it shuts for good.'),
    zone: inZone,
  })
  .refine(({ from, to }) => from < to, 'expected from before to')
  .transform(({ zone: own, ...times }): Entry => ({ kind: 'once', times, zone: own }))

const text = read(parseWeekly, EXPECTED).transform((parsed): Entry => ({
  kind: 'weekly',
  weekly: parsed,
  except: [],
  zone: undefined,
}))

/** One rule of a window as the file has it: names are not resolved. */
type Entry = { readonly zone: Zone | undefined } & (
  | { readonly kind: 'weekly'; readonly weekly: WeeklyOpening; readonly except: readonly string[] }
  | {
      readonly kind: 'cron'
      readonly cron: Cron
      readonly duration: Millis
      readonly except: readonly string[]
    }
  | { readonly kind: 'once'; readonly times: { readonly from: LocalDateTime; readonly to: LocalDateTime } }
)

/** Of what has none of the forms at all; problems within a form are told as they are. */
const formless = ({ input }: { readonly input?: unknown }): string | undefined =>
  typeof input === 'string' || (typeof input === 'object' && input !== null) ? undefined : EXPECTED

const one = z.union([text, weekly, cron, fromTo], { error: formless })

export const windowsSchema = z.record(
  nameSchema,
  z.union([...one.options, z.array(one).min(1, EXPECTED)], { error: formless }),
)

type Sections = {
  readonly timezone: Zone
  readonly calendars: z.output<typeof calendarsSchema>
  readonly windows: z.output<typeof windowsSchema>
}

export type BuiltWindows = {
  readonly windows: ReadonlyMap<string, Window>
  readonly problems: readonly string[]
}

/** The windows by name, and what is wrong with those that cannot be made. */
export function buildWindows({ timezone, calendars, windows: entries }: Sections): BuiltWindows {
  const dates = new Map(Object.entries(calendars).map(([name, calendar]) => [name, new Set(calendar.dates)]))
  const windows = new Map<string, Window>()
  const problems: string[] = []
  for (const [name, window] of Object.entries(entries)) {
    const rules = [window].flat().map((entry, index) => {
      const path = `windows.${name}${Array.isArray(window) ? `[${index}]` : ''}`
      problems.push(...problemsOf(entry, { path, dates, timezone }))
      return ruleOf(entry, { dates, timezone })
    })
    windows.set(name, createWindow(rules))
  }
  return { windows, problems }
}

type Known = { readonly dates: ReadonlyMap<string, DateSet>; readonly timezone: Zone }

function problemsOf(entry: Entry, { path, dates, timezone }: Known & { readonly path: string }): string[] {
  if (entry.kind === 'once') {
    const { from, to } = oneOffRecurrence(entry.zone ?? timezone, entry.times)
    return from < to
      ? []
      : [`${path}: from and to lie in one hour that the clocks skip, so it does not occur`]
  }
  return entry.except.flatMap((name, index) =>
    dates.has(name)
      ? []
      : [`${path}.except[${index}]: ${unknownNameText('calendar', name, [...dates.keys()])}`],
  )
}

function ruleOf(entry: Entry, { dates, timezone }: Known): Recurrence {
  const inside = entry.zone ?? timezone
  if (entry.kind === 'once') return oneOffRecurrence(inside, entry.times)
  const days = new Set(entry.except.flatMap((name) => [...(dates.get(name) ?? [])]))
  if (entry.kind === 'weekly') return { kind: 'weekly', ...entry.weekly, except: days, zone: inside }
  return { kind: 'cron', cron: entry.cron, duration: entry.duration, except: days, zone: inside }
}
