// The sections `calendars` and `windows`: every form of a window; `buildWindows` resolves names of calendars.
import { z } from 'zod'
import { parseCron, type Cron } from '../../calendar/cron.ts'
import { oneOffRecurrence, type DateSet, type Recurrence } from '../../calendar/window.ts'
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

/** Name that other sections refer to. */
export const nameSchema = z
  .string()
  .regex(/^[a-z0-9_-]{1,40}$/, 'expected a name of 1 to 40 of the characters a-z 0-9 - _')

/** Text as `parse` reads it; its error becomes the problem. */
const parsedBy = <Value>(parse: (text: string) => Result<Value, string>, expected: string) =>
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
  .describe('Calendars on whose dates the window does not open.')

const inZone = zoneSchema.optional().describe('The time zone, in place of timezone.')

const weekly = z
  .strictObject({
    days: z
      .union([z.string(), z.array(z.string())], 'expected days such as Mon-Fri or [Mon, Wed]')
      .transform((days) => [days].flat().join(','))
      .pipe(parsedBy(parseDays, ''))
      .optional()
      .describe('Mon-Fri, or a list; by default every day.'),
    from: parsedBy(parseOpeningTime, 'expected a time from 00:00 to 23:59').describe('When it opens.'),
    to: parsedBy(parseClosingTime, 'expected a time from 00:00 to 24:00').describe(
      'When it closes; on the next day if not after from.',
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

/** Openings of a window a day, 12: people plan with windows, and finding the end of a pattern with hardly a gap takes time by openings. */
const MAX_OPENINGS = 12

const cron = z
  .strictObject({
    cron: parsedBy(parseCron, 'expected cron text such as 0 3 * * SUN')
      .refine(({ timesOfDay }) => timesOfDay.length <= MAX_OPENINGS, {
        error: `begins more than ${MAX_OPENINGS} times a day: expected at most that many`,
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

const NO_LOCAL_TIME = 'expected a date and time such as 2026-11-26T00:00'

const dated = z.string(NO_LOCAL_TIME).transform((text, context): LocalDateTime => {
  const time = parseLocalDateTime(text)
  if (time !== undefined) return time
  context.addIssue(NO_LOCAL_TIME)
  return z.NEVER
})

const fromTo = z
  .strictObject({
    from: dated.describe('When it opens, once.'),
    to: dated.describe('When it closes, once.'),
    zone: inZone,
  })
  .refine(({ from, to }) => from < to, 'expected from before to')
  .transform(({ zone: own, ...times }): Entry => ({ kind: 'once', times, zone: own }))

const text = parsedBy(parseWeekly, EXPECTED).transform((parsed): Entry => ({
  kind: 'weekly',
  weekly: parsed,
  except: [],
  zone: undefined,
}))

/** A rule of a window as the file has it: names of calendars not resolved. */
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

/** Error of a value that is neither text nor keys; problems within a form keep their own error. */
const formError = ({ input }: { readonly input?: unknown }): string | undefined =>
  typeof input === 'string' || (typeof input === 'object' && input !== null) ? undefined : EXPECTED

const rule = z.union([text, weekly, cron, fromTo], { error: formError })

export const windowsSchema = z.record(
  nameSchema,
  z.union([...rule.options, z.array(rule).min(1, EXPECTED)], { error: formError }),
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

/** The windows by name, and the problems of their rules. */
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

type WindowContext = { readonly dates: ReadonlyMap<string, DateSet>; readonly timezone: Zone }

function problemsOf(
  entry: Entry,
  { path, dates, timezone }: WindowContext & { readonly path: string },
): string[] {
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

function ruleOf(entry: Entry, { dates, timezone }: WindowContext): Recurrence {
  const zone = entry.zone ?? timezone
  if (entry.kind === 'once') return oneOffRecurrence(zone, entry.times)
  const dateSet = new Set(entry.except.flatMap((name) => [...(dates.get(name) ?? [])]))
  if (entry.kind === 'weekly') return { kind: 'weekly', ...entry.weekly, except: dateSet, zone }
  return { kind: 'cron', cron: entry.cron, duration: entry.duration, except: dateSet, zone }
}
