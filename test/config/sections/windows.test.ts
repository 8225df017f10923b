import { parse } from 'yaml'
import { describe, expect, test } from 'vitest'
import { defaultYaml } from '../../../src/config/defaults.ts'
import { toIso } from '../../../src/model/time.ts'
import { at } from '../../support/zones.ts'
import { GOOD, load, problemsOf } from '../loading.ts'

const SECTIONS = `${GOOD}
timezone: Europe/Berlin
calendars: { holidays: { dates: [2026-12-25, 2026-12-26] } }
windows:
  office: Mon-Fri 08:00-19:00
  night: { days: [Mon, Tue-Fri], from: "22:00", to: "06:00", except: [holidays] }
  morning: { from: "06:00", to: "07:30", zone: America/New_York }
  maintenance: ["Sun 02:00-05:00", { cron: "0 3 * * WED#2", duration: 2h, zone: America/New_York, except: [holidays] }]
  freeze: { from: "2026-11-26T00:00", to: "2026-12-01T00:00" }
`

function next(name: string, now: string): string[] | undefined {
  const config = load(SECTIONS)
  const interval = config.ok ? config.value.windows.get(name)?.next(at(now)) : undefined
  return interval && [toIso(interval.from), toIso(interval.to)]
}

describe('a window of the configuration', () => {
  test.each([
    ['office', '2026-11-21T00:00:00Z', ['2026-11-23T07:00:00Z', '2026-11-23T18:00:00Z']],
    ['night', '2026-12-25T00:00:00Z', ['2026-12-28T21:00:00Z', '2026-12-29T05:00:00Z']],
    ['morning', '2026-11-21T00:00:00Z', ['2026-11-21T11:00:00Z', '2026-11-21T12:30:00Z']],
    ['maintenance', '2026-11-21T00:00:00Z', ['2026-11-22T01:00:00Z', '2026-11-22T04:00:00Z']],
    ['maintenance', '2026-12-08T00:00:00Z', ['2026-12-09T08:00:00Z', '2026-12-09T10:00:00Z']],
    ['freeze', '2026-11-21T00:00:00Z', ['2026-11-25T23:00:00Z', '2026-11-30T23:00:00Z']],
  ])('%s opens after %s', (name, now, interval) => {
    expect(next(name, now)).toEqual(interval)
  })

  test('is there by its name, in the order of the file', () => {
    const config = load(SECTIONS)
    expect(config.ok && [...config.value.windows.keys()]).toEqual([
      'office',
      'night',
      'morning',
      'maintenance',
      'freeze',
    ])
    expect(config.ok && config.value.timezone.name).toBe('Europe/Berlin')
  })
})

test('the examples of the default configuration can be loaded', () => {
  const shown = defaultYaml().replaceAll(/^# (calendars|windows|budgets):/gm, '$1:')
  expect(Object.keys(parse(shown).windows)).toHaveLength(3)
  expect(problemsOf(shown.replace('DORMOUSE_API_KEY', 'KEY'))).toEqual([])
})

const FORMS =
  'expected a text such as Mon-Fri 08:00-19:00, keys with days, from and to, with cron and duration, or with from and to, or a list of these'
const NAME = 'expected a name of 1 to 40 of the characters a-z 0-9 - _'

describe('what is wrong is told:', () => {
  test.each<[string, string, string[]]>([
    [
      'a zone by abbreviation',
      'timezone: EST',
      ['timezone: expected an IANA name, did you mean America/New_York or America/Panama?'],
    ],
    [
      'a zone with a letter missing',
      'timezone: Europe/Berln',
      ['timezone: expected an IANA name, did you mean Europe/Berlin?'],
    ],
    ['a zone nowhere', 'timezone: Mars/Olympus', ['timezone: expected an IANA name such as Europe/Berlin']],
    ['a zone that is a number', 'timezone: 1', ['timezone: expected an IANA name such as Europe/Berlin']],
    [
      'a date that is none',
      'calendars: { a: { dates: [2026-02-30] } }',
      ['calendars.a.dates[0]: expected a date such as 2026-12-25'],
    ],
    ['a calendar without dates', 'calendars: { a: {} }', ['calendars.a.dates: is missing']],
    ['a calendar as a list', 'calendars: { a: [2026-01-01] }', ['calendars.a: expected keys and values']],
    [
      'an unknown key of a calendar',
      'calendars: { a: { dates: [], days: 1 } }',
      ['calendars.a.days: unknown key, expected one of dates'],
    ],
    ['a name with spaces', 'windows: { "my office": Mon 08:00-19:00 }', [`windows["my office"]: ${NAME}`]],
    [
      'a text',
      'windows: { a: always }',
      ['windows.a: expected days and times such as Mon-Fri 08:00-19:00, or times alone such as 22:00-06:00'],
    ],
    ['a time', 'windows: { a: Mon 8:00-19:00 }', ['windows.a: 8:00: expected a time from 00:00 to 23:59']],
    ['a number', 'windows: { a: 7 }', [`windows.a: ${FORMS}`]],
    ['no rules', 'windows: { a: [] }', [`windows.a: ${FORMS}`]],
    [
      'days',
      'windows: { a: { days: [Mon, Tus], from: "08:00", to: "19:00" } }',
      ['windows.a.days: Tus: expected days such as Mon, Mon-Fri or Sat,Sun'],
    ],
    [
      'no days',
      'windows: { a: { days: [], from: "08:00", to: "19:00" } }',
      ['windows.a.days: an empty day: expected days such as Mon, Mon-Fri or Sat,Sun'],
    ],
    [
      'the window of each project',
      'windows: { service: "Sun 02:00-05:00" }',
      ['windows.service: is the update window of each project: expected another name'],
    ],
    [
      'an empty window',
      'windows: { a: { from: "08:00", to: "08:00" } }',
      ['windows.a: is empty: expected two different times, or 00:00-24:00 for the whole day'],
    ],
    ['a window without an end', 'windows: { a: { days: Mon, from: "08:00" } }', ['windows.a.to: is missing']],
    [
      'an unknown key',
      'windows: { a: { day: Mon, from: "08:00", to: "19:00" } }',
      ['windows.a.day: unknown key, did you mean days?'],
    ],
    [
      'an unknown calendar',
      'calendars: { holidays: { dates: [] } }\nwindows: { a: [{ from: "08:00", to: "19:00", except: [holiday] }] }',
      ['windows.a[0].except[0]: unknown calendar holiday, did you mean holidays?'],
    ],
    [
      'a calendar where there are none',
      'windows: { a: { from: "08:00", to: "19:00", except: [b] } }',
      ['windows.a.except[0]: there is no calendar b: there are none'],
    ],
    [
      'cron text',
      'windows: { a: [Mon 08:00-09:00, { cron: "0 25 * * *", duration: 2h }] }',
      ['windows.a[1].cron: hour 25: expected 0-23, *, a list, a range or a step such as */2'],
    ],
    [
      'cron text that never occurs',
      'windows: { a: { cron: "0 0 30 2 *", duration: 2h } }',
      ['windows.a.cron: 0 0 30 2 * never occurs'],
    ],
    [
      'cron text for every minute',
      'windows: { a: { cron: "* * * * *", duration: 1m } }',
      ['windows.a.cron: begins more than 12 times a day: expected at most that many'],
    ],
    [
      'a duration',
      'windows: { a: { cron: "0 0 * * *", duration: 30d } }',
      ['windows.a.duration: expected a length of time of 1m to 7d'],
    ],
    [
      'a zone of a window',
      'windows: { a: { cron: "0 0 * * *", duration: 1d, zone: CET } }',
      ['windows.a.zone: expected an IANA name, did you mean Europe/Berlin or Europe/Paris?'],
    ],
    [
      'an end before its start',
      'windows: { a: { from: "2026-12-01T00:00", to: "2026-11-01T00:00" } }',
      ['windows.a: expected from before to'],
    ],
    [
      'a stated time with a zone',
      'windows: { a: { from: "2026-11-26T00:00", to: "2026-12-01T00:00Z" } }',
      ['windows.a.to: expected a date and time such as 2026-11-26T00:00'],
    ],
    [
      'a stated time that is skipped',
      'windows: { a: { from: "2026-03-29T02:10", to: "2026-03-29T02:50", zone: Europe/Berlin } }',
      ['windows.a: from and to lie in one hour that the clocks skip, so it does not occur'],
    ],
  ])('%s', (_, text, problems) => {
    expect(problemsOf(`${GOOD}${text}\n`)).toEqual(problems)
  })

  test('everything at once', () => {
    expect(
      problemsOf(`${GOOD}
timezone: CET
calendars: { A: { dates: [] } }
windows: { a: Mun 08:00-19:00, b: { from: "25:00", to: "19:00" }, c: ["22:00-06:00", { cron: "61 * * * *", duration: 1s }] }
budgets: [{ name: x, limit: 1 USD, per: year }]
`),
    ).toEqual([
      'timezone: expected an IANA name, did you mean Europe/Berlin or Europe/Paris?',
      `calendars.A: ${NAME}`,
      'windows.a: Mun: expected days such as Mon, Mon-Fri or Sat,Sun',
      'windows.b.from: expected a time from 00:00 to 23:59',
      'windows.c[1].cron: minute 61: expected 0-59, *, a list, a range or a step such as */2',
      'windows.c[1].duration: expected a length of time of 1m to 7d',
      'budgets[0].per: expected one of day, week, month, window',
    ])
  })
})
