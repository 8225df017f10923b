import { array, record, strictObject, string, union, type z } from 'zod'
import { parseCron } from '../../calendar/cron.ts'
import { parseDate, parseLocalDateTime } from '../../calendar/local-time.ts'
import { createWindow, oneOffRecurrence } from '../../calendar/window.ts'
import type { DateSet, Recurrence, Window } from '../../calendar/window.ts'
import {
  EMPTY_WINDOW_TEXT,
  EVERY_DAY,
  parseDays,
  parseOpeningTime,
  parseClosingTime,
  parseWeekly,
} from '../../calendar/window-text.ts'
import type { Zone } from '../../calendar/zone.ts'
import { SERVICE_WINDOW } from '../../model/policy/change-policy.ts'
import { millis } from '../../model/units.ts'
import { parsed, parsedOr, zoneSchema } from '../parts.ts'
import { durationSchema } from '../units.ts'
import { unknownNameText } from '../suggestions.ts'

const EXPECTED =
  'expected a text such as Mon-Fri 08:00-19:00, keys with days, from and to, with cron and duration, or with from and to, or a list of these'

const nameSchema = string().regex(
  /^[a-z0-9_-]{1,40}$/,
  'expected a name of 1 to 40 of the characters a-z 0-9 - _',
)

const NO_DATE = 'expected a date such as 2026-12-25'
const date = string(NO_DATE).transform(parsedOr(NO_DATE, parseDate))

export const calendarsSchema = record(
  nameSchema,
  strictObject({ dates: array(date, 'expected a list of dates').describe('Days, such as 2026-12-25.') }),
)

/** Names of calendars are not resolved. */
type Entry = Readonly<{
  except?: readonly string[] | undefined
  zone?: Zone | undefined
  recurrence: (zone: Zone, except: DateSet) => Recurrence
}>

const except = array(string('expected the name of a calendar'), 'expected a list of calendars')
  .optional()
  .describe('Calendars on whose dates the window does not open.')

const inZone = zoneSchema.optional().describe('The time zone, in place of timezone.')

const weekly = strictObject({
  days: union([string(), array(string())], 'expected days such as Mon-Fri or [Mon, Wed]')
    .transform((days) => [days].flat().join(','))
    .transform(parsed(parseDays))
    .optional()
    .describe('Mon-Fri, or a list; by default every day.'),
  from: string('expected a time from 00:00 to 23:59')
    .transform(parsed(parseOpeningTime))
    .describe('When it opens.'),
  to: string('expected a time from 00:00 to 24:00')
    .transform(parsed(parseClosingTime))
    .describe('When it closes; on the next day if not after from.'),
  except,
  zone: inZone,
})
  .refine(({ from, to }) => from !== to, EMPTY_WINDOW_TEXT)
  .transform(({ days = EVERY_DAY, from, to, ...rest }): Entry => ({
    ...rest,
    recurrence: (zone, dates) => ({ kind: 'weekly', days, from, to, except: dates, zone }),
  }))

/** Openings a day: people plan with windows, and finding the end of a pattern with hardly a gap takes time by openings. */
const MAX_OPENINGS = 12

const cron = strictObject({
  cron: string('expected cron text such as 0 3 * * SUN')
    .transform(parsed(parseCron))
    .refine(({ timesOfDay }) => timesOfDay.length <= MAX_OPENINGS, {
      error: `begins more than ${MAX_OPENINGS} times a day: expected at most that many`,
    })
    .describe('When it opens, as five fields of cron.'),
  duration: durationSchema({ min: '1m', max: '7d' }).describe('How long it stays open.'),
  except,
  zone: inZone,
}).transform(({ cron: pattern, duration: span, ...rest }): Entry => {
  const duration = millis(span * 1000)
  return {
    ...rest,
    recurrence: (zone, dates) => ({ kind: 'cron', cron: pattern, duration, except: dates, zone }),
  }
})

const NO_LOCAL_TIME = 'expected a date and time such as 2026-11-26T00:00'
const dated = string(NO_LOCAL_TIME).transform(parsedOr(NO_LOCAL_TIME, parseLocalDateTime))

const fromTo = strictObject({
  from: dated.describe('When it opens, once.'),
  to: dated.describe('When it closes, once.'),
  zone: inZone,
})
  .refine(({ from, to }) => from < to, 'expected from before to')
  .transform(({ zone: own, ...times }): Entry => ({
    zone: own,
    recurrence: (zone) => oneOffRecurrence(zone, times),
  }))

const text = string(EXPECTED)
  .transform(parsed(parseWeekly))
  .transform((opening): Entry => ({
    recurrence: (zone, dates) => ({ kind: 'weekly', ...opening, except: dates, zone }),
  }))

/** Only for a value that is neither text nor keys: problems within a form keep their own error. */
const formError = ({ input }: { readonly input?: unknown }): string | undefined =>
  typeof input === 'string' || (typeof input === 'object' && input !== null) ? undefined : EXPECTED

const form = union([text, weekly, cron, fromTo], { error: formError })

export const windowsSchema = record(
  nameSchema,
  union([...form.options, array(form).min(1, EXPECTED)], { error: formError }),
)

type Sections = Readonly<{
  timezone: Zone
  calendars: z.output<typeof calendarsSchema>
  windows: z.output<typeof windowsSchema>
}>

export function buildWindows({ timezone, calendars, windows: entries }: Sections) {
  const dates = new Map(Object.entries(calendars).map(([name, calendar]) => [name, calendar.dates]))
  const windows = new Map<string, Window>()
  const recurrences = new Map<string, readonly Recurrence[]>()
  const problems: string[] = []
  for (const [name, window] of Object.entries(entries)) {
    if (name === SERVICE_WINDOW)
      problems.push(`windows.${name}: is the update window of each project: expected another name`)
    const rules = [window].flat().map(({ except: names = [], zone = timezone, recurrence }, index) => {
      const path = `windows.${name}${Array.isArray(window) ? `[${index}]` : ''}`
      const rule = recurrence(zone, new Set(names.flatMap((calendar) => dates.get(calendar) ?? [])))
      if (rule.kind === 'once' && rule.from >= rule.to)
        problems.push(`${path}: from and to lie in one hour that the clocks skip, so it does not occur`)
      for (const [at, calendar] of names.entries())
        if (!dates.has(calendar))
          problems.push(`${path}.except[${at}]: ${unknownNameText('calendar', calendar, [...dates.keys()])}`)
      return rule
    })
    recurrences.set(name, rules)
    windows.set(name, createWindow(rules))
  }
  return { windows, recurrences, problems }
}
