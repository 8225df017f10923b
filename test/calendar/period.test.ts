import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPeriodLookup, periodOf, type PeriodRule } from '../../src/calendar/period.ts'
import { instant } from '../../src/model/units.ts'
import { check } from '../support/property.ts'
import { at, zoneOf } from '../support/zones.ts'
import { cron, fromTo, shown, weekly, windowOf } from './windows.ts'

const zone = zoneOf('Europe/Berlin')
const office = windowOf(weekly('Mon-Fri 08:00-19:00'))

describe('the period of', () => {
  test.each<[string, PeriodRule, string, string | undefined]>([
    ['a day', { per: 'day', zone }, '2026-11-20T23:30:00Z', '2026-11-20T23:00:00Z 2026-11-21T23:00:00Z'],
    [
      'a day of 23 hours',
      { per: 'day', zone },
      '2026-03-29T12:00:00Z',
      '2026-03-28T23:00:00Z 2026-03-29T22:00:00Z',
    ],
    [
      'a day of 25 hours',
      { per: 'day', zone },
      '2026-10-25T12:00:00Z',
      '2026-10-24T22:00:00Z 2026-10-25T23:00:00Z',
    ],
    [
      'a week from Monday',
      { per: 'week', zone, anchor: 1 },
      '2026-11-20T12:00:00Z',
      '2026-11-15T23:00:00Z 2026-11-22T23:00:00Z',
    ],
    [
      'a week from Sunday',
      { per: 'week', zone, anchor: 0 },
      '2026-11-22T12:00:00Z',
      '2026-11-21T23:00:00Z 2026-11-28T23:00:00Z',
    ],
    [
      'a week from Friday',
      { per: 'week', zone, anchor: 5 },
      '2026-11-19T12:00:00Z',
      '2026-11-12T23:00:00Z 2026-11-19T23:00:00Z',
    ],
    [
      'a week of 169 hours',
      { per: 'week', zone, anchor: 1 },
      '2026-10-25T12:00:00Z',
      '2026-10-18T22:00:00Z 2026-10-25T23:00:00Z',
    ],
    [
      'a month',
      { per: 'month', zone, anchor: 1 },
      '2026-11-20T12:00:00Z',
      '2026-10-31T23:00:00Z 2026-11-30T23:00:00Z',
    ],
    [
      'a month from the 15th, before it',
      { per: 'month', zone, anchor: 15 },
      '2026-11-14T12:00:00Z',
      '2026-10-14T22:00:00Z 2026-11-14T23:00:00Z',
    ],
    [
      'a month from the 31st, in February',
      { per: 'month', zone, anchor: 31 },
      '2027-02-28T12:00:00Z',
      '2027-02-27T23:00:00Z 2027-03-30T22:00:00Z',
    ],
    [
      'a month from the 31st, before it',
      { per: 'month', zone, anchor: 31 },
      '2028-02-28T12:00:00Z',
      '2028-01-30T23:00:00Z 2028-02-28T23:00:00Z',
    ],
    [
      'a month from the 30th, in a leap year',
      { per: 'month', zone, anchor: 30 },
      '2028-02-29T12:00:00Z',
      '2028-02-28T23:00:00Z 2028-03-29T22:00:00Z',
    ],
    [
      'a day whose beginning came twice',
      { per: 'day', zone: zoneOf('America/St_Johns') },
      '2010-11-07T03:00:00Z',
      '2010-11-07T02:30:00Z 2010-11-08T03:30:00Z',
    ],
    [
      'an instant before 1970',
      { per: 'month', zone: zoneOf('UTC'), anchor: 1 },
      '1969-12-31T12:00:00Z',
      '1969-12-01T00:00:00Z 1970-01-01T00:00:00Z',
    ],
    [
      'a window, inside it',
      { per: 'window', window: office },
      '2026-11-20T12:00:00Z',
      '2026-11-20T07:00:00Z 2026-11-23T07:00:00Z',
    ],
    [
      'a window, after it',
      { per: 'window', window: office },
      '2026-11-22T12:00:00Z',
      '2026-11-20T07:00:00Z 2026-11-23T07:00:00Z',
    ],
    [
      'a window of one month a year',
      { per: 'window', window: windowOf(cron('0 0 1 12 *', 24 * 31)) },
      '2026-11-22T12:00:00Z',
      '2025-11-30T23:00:00Z 2026-11-30T23:00:00Z',
    ],
    [
      'a window that opens every four years',
      { per: 'window', window: windowOf(cron('0 0 29 2 *', 24)) },
      '2026-11-22T12:00:00Z',
      '2024-02-28T23:00:00Z 2028-02-28T23:00:00Z',
    ],
    [
      'a window that was open for years and has shut for a day',
      { per: 'window', window: windowOf(weekly('00:00-24:00', 'Europe/Berlin', ['2026-11-22'])) },
      '2026-11-22T12:00:00Z',
      undefined,
    ],
    [
      'a window that never shuts',
      { per: 'window', window: windowOf(weekly('00:00-24:00')) },
      '2026-11-22T12:00:00Z',
      undefined,
    ],
    [
      'a window that opens once',
      { per: 'window', window: windowOf(fromTo('2026-11-01T00:00', '2026-12-01T00:00')) },
      '2026-11-22T12:00:00Z',
      undefined,
    ],
  ])('%s', (_, rule, now, period) => {
    expect(shown(periodOf(rule, at(now)))).toBe(period)
  })
})

const zones = fc
  .constantFrom(
    'Europe/Berlin',
    'America/Santiago',
    'America/Havana',
    'Asia/Beirut',
    'Pacific/Apia',
    'America/St_Johns',
  )
  .map(zoneOf)
const rules = fc.oneof<fc.Arbitrary<PeriodRule>[]>(
  zones.map((one) => ({ per: 'day', zone: one })),
  fc
    .tuple(zones, fc.integer({ min: 0, max: 6 }))
    .map(([one, anchor]) => ({ per: 'week', zone: one, anchor })),
  fc
    .tuple(zones, fc.integer({ min: 1, max: 31 }))
    .map(([one, anchor]) => ({ per: 'month', zone: one, anchor })),
  fc
    .constantFrom('Mon-Fri 08:00-19:00', '22:00-06:00', 'Sun 02:10-02:50')
    .map((text) => ({ per: 'window', window: windowOf(weekly(text)) })),
)

test('every instant is in exactly one period, and periods tile time', () => {
  const range = { min: Date.parse('2009-01-01T00:00:00Z'), max: Date.parse('2030-01-01T00:00:00Z') }
  check(
    fc.property(rules, fc.integer(range), (rule, ms) => {
      const period = periodOf(rule, instant(ms))
      if (!period) throw new Error('no period')
      expect(period.from).toBeLessThanOrEqual(ms)
      expect(period.to).toBeGreaterThan(ms)
      expect(periodOf(rule, period.from)).toEqual(period)
      expect(periodOf(rule, instant(period.to - 1))).toEqual(period)
      expect(periodOf(rule, period.to)?.from).toBe(period.to)
      expect(periodOf(rule, instant(period.from - 1))?.to).toBe(period.from)
    }),
    300,
  )
})

test('what is remembered of a rule changes no answer, in whatever order the instants are asked', () => {
  // 388 days apart: what is known of the time between depends on the instant
  const rare = windowOf(
    fromTo('2020-01-10T00:00', '2020-01-11T00:00'),
    fromTo('2021-02-01T00:00', '2021-02-02T00:00'),
  )
  const withRare = fc.oneof(rules, fc.constant<PeriodRule>({ per: 'window', window: rare }))
  const [start, day] = [Date.parse('2020-01-09T00:00:00Z'), 86_400_000]
  const instants = fc.array(
    fc.oneof(fc.integer({ max: 3 * day, min: 0 }), fc.integer({ min: 0, max: 500 * day })),
    { minLength: 10 },
  )
  check(
    fc.property(withRare, instants, (rule, asked) => {
      const lookup = createPeriodLookup(rule)
      for (const after of asked)
        expect(lookup(instant(start + after))).toEqual(periodOf(rule, instant(start + after)))
    }),
    200,
  )
})
