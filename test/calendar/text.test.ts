import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCron } from '../../src/calendar/cron.ts'
import {
  parseDate,
  parseTime,
  parseLocalDateTime,
  localDateTime,
  type LocalDateTime,
} from '../../src/calendar/local-time.ts'
import { parseWeekly } from '../../src/calendar/window-text.ts'
import { check } from '../support/property.ts'
import { bySize } from '../support/tiers.ts'
import { value } from './windows.ts'

const HOUR = 3_600_000
const DAYS = 'expected days such as Mon, Mon-Fri or Sat,Sun'

describe('the text of a window', () => {
  test.each([
    ['Mon-Fri 08:00-19:00', [1, 2, 3, 4, 5], 8, 19],
    ['mon-fri  08:00 - 19:00', [1, 2, 3, 4, 5], 8, 19],
    ['Sat-Mon 00:00-24:00', [6, 0, 1], 0, 24],
    ['Mon, Wed-Thu,Sun 22:00-06:00', [1, 3, 4, 0], 22, 6],
    ['22:00-06:00', [0, 1, 2, 3, 4, 5, 6], 22, 6],
    ['Sun 18:00-00:00', [0], 18, 0],
  ])('%s', (text, days, from, to) => {
    expect(parseWeekly(text)).toEqual({
      ok: true,
      value: { days: new Set(days), from: from * HOUR, to: to * HOUR },
    })
  })

  const WHOLE = 'expected days and times such as Mon-Fri 08:00-19:00, or times alone such as 22:00-06:00'
  test.each([
    ['', WHOLE],
    ['always', WHOLE],
    ['Mon-Fri', WHOLE],
    ['Mon Tue 08:00-19:00', WHOLE],
    ['Mon-Fri 08:00-12:00-19:00', WHOLE],
    ['Mun 08:00-19:00', `Mun: ${DAYS}`],
    ['Mon-Tue-Wed 08:00-19:00', `Mon-Tue-Wed: ${DAYS}`],
    ['Mon,,Tue 08:00-19:00', `an empty day: ${DAYS}`],
    ['8:00-19:00', '8:00: expected a time from 00:00 to 23:59'],
    ['24:00-08:00', '24:00: expected a time from 00:00 to 23:59'],
    ['08:00-24:01', '24:01: expected a time from 00:00 to 24:00'],
    ['08:00-08:00', '08:00-08:00 is empty: expected two different times, or 00:00-24:00 for the whole day'],
  ])('%j is refused', (text, error) => {
    expect(parseWeekly(text)).toEqual({ ok: false, error })
  })
})

const date = (iso: string): LocalDateTime => parseLocalDateTime(iso) ?? localDateTime(NaN)

describe('cron text', () => {
  test.each([
    ['0 8 * * MON', '2026-11-23T08:00', '2026-11-16T08:00'],
    ['0 3 * * WED#2', '2026-12-09T03:00', '2026-11-11T03:00'],
    ['30 2 L * *', '2026-11-30T02:30', '2026-10-31T02:30'],
    ['0 0 29 2 *', '2028-02-29T00:00', '2024-02-29T00:00'],
    ['*/20 * * * *', '2026-11-20T16:40', '2026-11-20T16:20'],
    ['@weekly', '2026-11-22T00:00', '2026-11-15T00:00'],
    ['0 0 13 * FRI', '2026-11-27T00:00', '2026-11-20T00:00'],
    ['0 0 31 2 MON#5', '2044-02-29T00:00', '2016-02-29T00:00'],
    ['0 22-2 * * FRI-MON', '2026-11-20T22:00', '2026-11-20T02:00'],
  ])('%s', (text, next, previous) => {
    const cron = value(parseCron(` ${text} `))
    const now = date('2026-11-20T16:32')
    expect([cron.next(now), cron.previous(now)]).toEqual([date(next), date(previous)])
  })

  test('names a time neither before nor after itself', () => {
    const cron = value(parseCron('* * * * *'))
    const now = date('2026-11-20T16:32')
    expect([cron.next(now), cron.previous(now)]).toEqual([date('2026-11-20T16:33'), date('2026-11-20T16:31')])
  })

  const FIVE = 'expected five fields: minute, hour, day of month, month, day of week, such as 0 8 * * MON'
  const STEP = '*, a list, a range or a step such as */2'
  const ANY_DAY = `expected 0-7 or SUN-SAT, 5L for the last Friday or WED#2 for the second Wednesday, ${STEP}`
  test.each([
    ['', FIVE],
    ['0 8 * *', FIVE],
    ['0 0 8 * * MON', FIVE],
    ['0 0 8 * * MON 2026', FIVE],
    ['2026-11-20T08:00', FIVE],
    ['@reboot', FIVE],
    ['60 8 * * MON', `minute 60: expected 0-59, ${STEP}`],
    ['0 8 * * FUN', `day of week FUN: ${ANY_DAY}`],
    ['0 8 * * MON#6', `day of week MON#6: ${ANY_DAY}`],
    ['? 25 * * *', `minute ?: expected 0-59, ${STEP}; hour 25: expected 0-23, ${STEP}`],
    ['*/0 8 * * *', `minute */0: expected 0-59, ${STEP}`],
    ['0 8 * JANUARY *', `month JANUARY: expected 1-12 or JAN-DEC, ${STEP}`],
    ['0 0 * 1JAN MON1', `month 1JAN: expected 1-12 or JAN-DEC, ${STEP}; day of week MON1: ${ANY_DAY}`],
    ['70-5 */25 * * *', `minute 70-5: expected 0-59, ${STEP}; hour */25: expected 0-23, ${STEP}`],
    ['0 0 30 2 *', '0 0 30 2 * never occurs'],
    ['0 0 31 4,6,9,11 *', '0 0 31 4,6,9,11 * never occurs'],
    [`${'1,'.repeat(100_000)}1 * * * *`, 'cron text of 200009 characters: expected at most 100'],
  ])('%.30s is refused', (text, error) => {
    expect(parseCron(text)).toEqual({ ok: false, error })
  })

  test('of any kind is read or refused, and what is read can be asked', () => {
    const number = fc.integer({ min: 0, max: 32 }).map(String)
    const piece = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom(
          '*',
          '1',
          '2',
          '5',
          '29',
          '31',
          '1-5',
          '*/3',
          '2-4/2',
          'L',
          '15W',
          'MON',
          '5L',
          'WED#2',
          'FEB',
        ),
      },
      fc.constantFrom('?', '+1', '5-1', '*/0', '#', 'W', '@', ''),
      number,
    )
    const field = fc.array(piece, { minLength: 1, maxLength: 2 }).map((pieces) => pieces.join(','))
    let read = 0
    check(
      fc.property(fc.array(field, { minLength: 5, maxLength: 5 }), (fields) => {
        const parsed = parseCron(fields.join(' '))
        if (!parsed.ok) return
        read += 1
        const now = date('2026-11-20T16:32')
        expect(value(parsed).next(now) ?? Infinity).toBeGreaterThan(now)
        expect(value(parsed).previous(now) ?? -Infinity).toBeLessThan(now)
      }),
      2000,
    )
    expect(read).toBeGreaterThan(bySize(10, 3))
  })

  test.each([
    ['0 3 * * WED#2', 1],
    ['0 */2 29 2 *', 12],
    ['* * * * *', 1440],
  ])('%s names %i times a day', (text, times) => {
    expect(value(parseCron(text)).timesOfDay).toHaveLength(times)
  })
})

test.each([
  ['2026-02-30', undefined],
  ['2026-13-01', undefined],
  ['2026-1-1', undefined],
  ['tomorrow', undefined],
  ['1970-01-02', 1],
])('the date %s', (text, day) => {
  expect(parseDate(text)).toBe(day)
})

test.each([
  ['23:59', 23.983_333_333_333_334 * HOUR],
  ['24:00', 24 * HOUR],
  ['24:01', undefined],
  ['12:60', undefined],
  ['noon', undefined],
])('the time %s', (text, time) => {
  expect(parseTime(text)).toBe(time)
})

test.each([
  ['1970-01-02T24:00', 48 * HOUR],
  ['1970-01-02 00:00', undefined],
  ['1970-01-02T00:00Z', undefined],
  ['1970-01-02T00:00T', undefined],
])('the date and time %s', (text, time) => {
  expect(parseLocalDateTime(text)).toBe(time)
})
