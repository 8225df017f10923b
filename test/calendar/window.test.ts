import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { partsInside, partsOutside } from '../../src/calendar/window.ts'
import { earliest, instant, latest } from '../../src/model/units.ts'
import { check } from '../support/property.ts'
import { at } from '../support/zones.ts'
import { cron, fromTo, shown, weekly, windowOf } from './windows.ts'

const office = windowOf(weekly('Mon-Fri 08:00-19:00'))
const night = windowOf(weekly('Mon-Fri 22:00-06:00', 'Europe/Berlin', ['2026-12-25']))

describe('a window', () => {
  test.each([
    [
      'is open from its first instant',
      office,
      '2026-11-20T07:00:00Z',
      '2026-11-20T07:00:00Z 2026-11-20T18:00:00Z',
    ],
    ['is shut at its end', office, '2026-11-20T18:00:00Z', undefined],
    ['is shut at the weekend', office, '2026-11-21T12:00:00Z', undefined],
    [
      'that began yesterday is open',
      night,
      '2026-11-21T04:00:00Z',
      '2026-11-20T21:00:00Z 2026-11-21T05:00:00Z',
    ],
    ['of Friday does not begin on Saturday', night, '2026-11-21T22:00:00Z', undefined],
    ['does not begin on an excepted date', night, '2026-12-26T03:00:00Z', undefined],
    [
      'that began before an excepted date goes on',
      night,
      '2026-12-25T04:00:00Z',
      '2026-12-24T21:00:00Z 2026-12-25T05:00:00Z',
    ],
  ])('%s', (_, window, now, interval) => {
    expect(shown(window.at(at(now)))).toBe(interval)
  })

  test('tells what comes next and what was before, open or shut', () => {
    const friday = at('2026-11-20T12:00:00Z')
    const saturday = at('2026-11-21T12:00:00Z')
    const monday = '2026-11-23T07:00:00Z 2026-11-23T18:00:00Z'
    expect(shown(office.next(friday))).toBe(monday)
    expect(shown(office.next(saturday))).toBe(monday)
    expect(shown(office.next(at('2026-11-23T06:59:59.999Z')))).toBe(monday)
    expect(shown(office.previous(saturday))).toBe('2026-11-20T07:00:00Z 2026-11-20T18:00:00Z')
    expect(shown(office.previous(friday))).toBe('2026-11-20T07:00:00Z 2026-11-20T18:00:00Z')
  })

  test('is a union: what overlaps or touches is one interval', () => {
    const window = windowOf(weekly('Mon 08:00-12:00'), weekly('Mon 11:00-13:00'), weekly('Mon 13:00-14:00'))
    expect(shown(window.at(at('2026-11-23T08:00:00Z')))).toBe('2026-11-23T07:00:00Z 2026-11-23T13:00:00Z')
  })

  test('of cron text lasts as long as it says, in its own zone', () => {
    const window = windowOf(weekly('Sun 02:00-05:00'), cron('0 3 * * WED#2', 2, 'America/New_York'))
    expect(window.between(at('2026-11-08T00:00:00Z'), at('2026-11-16T00:00:00Z')).map(shown)).toEqual([
      '2026-11-08T01:00:00Z 2026-11-08T04:00:00Z',
      '2026-11-11T08:00:00Z 2026-11-11T10:00:00Z',
      '2026-11-15T01:00:00Z 2026-11-15T04:00:00Z',
    ])
  })

  test('of cron text that ended before clocks went back is closed in what follows', () => {
    const window = windowOf(cron('30 2 * * *', 1, 'Europe/Berlin'))
    const [from, to] = [at('2026-10-25T02:00:00Z'), at('2026-10-25T02:10:00Z')]
    expect(window.between(from, to)).toEqual([])
    expect(partsInside(window, from, to)).toEqual([])
    expect(partsOutside(window, from, to)).toEqual([{ from, to }])
  })

  test('of stated times opens once', () => {
    const freeze = windowOf(fromTo('2026-11-26T00:00', '2027-02-01T00:00'))
    const whole = '2026-11-25T23:00:00Z 2027-01-31T23:00:00Z'
    expect(shown(freeze.next(at('2026-01-01T00:00:00Z')))).toBe(whole)
    expect(shown(freeze.at(at('2026-12-24T00:00:00Z')))).toBe(whole)
    expect(shown(freeze.previous(at('2034-12-24T00:00:00Z')))).toBe(whole)
    expect(freeze.next(at('2026-12-24T00:00:00Z'))).toBeUndefined()
    expect(freeze.previous(at('2026-01-01T00:00:00Z'))).toBeUndefined()
  })

  test('of 29 February is found across 2100', () => {
    expect(shown(windowOf(cron('0 0 29 2 *', 1, 'UTC')).next(at('2096-03-01T00:00:00Z')))).toBe(
      '2104-02-29T00:00:00Z 2104-02-29T01:00:00Z',
    )
  })

  test('without a gap is open a year ahead, on every day anew', () => {
    const always = windowOf(weekly('00:00-24:00'))
    for (const now of [at('2026-01-01T00:00:00Z'), at('2026-06-01T00:00:00Z'), at('2027-05-01T00:00:00Z')]) {
      const open = always.at(now)
      expect(open && open.to - now).toBeGreaterThan(365 * 86_400_000)
    }
  })

  test('keeps what it saw only while it holds', () => {
    const [friday, saturday] = [at('2026-11-20T12:00:00Z'), at('2026-11-21T12:00:00Z')]
    const answers = [friday, saturday, friday, at('2025-11-21T12:00:00Z'), saturday].map(
      (now) => office.at(now) !== undefined,
    )
    expect(answers).toEqual([true, false, true, true, false])
  })
})

const inSpring = (text: string) =>
  windowOf(weekly(text)).between(at('2026-03-28T12:00:00Z'), at('2026-03-29T12:00:00Z')).map(shown)
const inAutumn = (text: string) =>
  windowOf(weekly(text)).between(at('2026-10-24T12:00:00Z'), at('2026-10-25T12:00:00Z')).map(shown)

describe('where clocks change, a window', () => {
  test.each([
    ['begins after the gap', 'Sun 02:30-05:00', ['2026-03-29T01:00:00Z 2026-03-29T03:00:00Z']],
    ['ends after the gap', 'Sun 01:00-02:30', ['2026-03-29T00:00:00Z 2026-03-29T01:00:00Z']],
    ['does not occur inside it', 'Sun 02:10-02:50', []],
    ['is an hour shorter over it', 'Sat 22:00-06:00', ['2026-03-28T21:00:00Z 2026-03-29T04:00:00Z']],
  ])('%s in spring', (_, text, intervals) => {
    expect(inSpring(text)).toEqual(intervals)
  })

  test.each([
    ['begins with the first pass', 'Sun 02:30-05:00', ['2026-10-25T00:30:00Z 2026-10-25T04:00:00Z']],
    ['ends with the second pass', 'Sun 01:00-02:30', ['2026-10-24T23:00:00Z 2026-10-25T01:30:00Z']],
    ['is an hour longer inside it', 'Sun 02:10-02:50', ['2026-10-25T00:10:00Z 2026-10-25T01:50:00Z']],
  ])('%s in autumn', (_, text, intervals) => {
    expect(inAutumn(text)).toEqual(intervals)
  })

  test('that does not occur is closed', () => {
    const window = windowOf(weekly('02:10-02:50'))
    expect(window.at(at('2026-03-29T01:00:00Z'))).toBeUndefined()
  })

  test('that lies in a day which a place left out does not occur', () => {
    const window = windowOf(weekly('Fri 08:00-19:00', 'Pacific/Apia'))
    expect(window.between(at('2011-12-24T12:00:00Z'), at('2012-01-05T00:00:00Z'))).toEqual([])
  })
})

const zones = fc.constantFrom(
  'Europe/Berlin',
  'America/Santiago',
  'America/Havana',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'UTC',
)
const minutes = fc.integer({ min: 0, max: 95 }).map((quarter) => quarter * 15)
const clock = (time: number) =>
  `${String(Math.floor(time / 60)).padStart(2, '0')}:${String(time % 60).padStart(2, '0')}`
const days = fc.constantFrom('', 'Sun ', 'Mon-Fri ', 'Sat-Mon ', 'Tue,Sun ')
const rule = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(days, minutes, minutes, zones)
      .filter(([, from, to]) => from !== to)
      .map(([day, from, to, zone]) =>
        weekly(`${day}${clock(from)}-${clock(to)}`, zone, ['2026-03-28', '2026-10-25']),
      ),
  },
  fc
    .tuple(fc.constantFrom('0 3 * * SUN', '30 2 * * *', '0 0 L * *'), zones)
    .map(([text, zone]) => cron(text, 2, zone)),
)
const YEAR = { min: Date.parse('2026-01-01T00:00:00Z'), max: Date.parse('2027-01-01T00:00:00Z') }

const DAY = 86_400_000

test('intervals of a window never overlap or touch, and what it says of an instant agrees with them', () => {
  check(
    fc.property(
      fc.array(rule, { minLength: 1, maxLength: 3 }),
      fc.array(fc.integer(YEAR), { maxLength: 10 }),
      (rules, instants) => {
        const window = windowOf(...rules)
        const intervals = window.between(instant(YEAR.min - 40 * DAY), instant(YEAR.max + 40 * DAY))
        // patterns that hardly ever shut are cut at both ends of the list
        fc.pre(intervals.every(({ from, to }) => to - from < 30 * DAY))
        for (const [index, { from, to }] of intervals.entries()) {
          expect(to).toBeGreaterThan(from)
          expect(from).toBeGreaterThan(intervals[index - 1]?.to ?? -Infinity)
        }
        const edges = intervals.slice(2, 8).flatMap(({ from, to }) => [from - 1, from, to - 1, to])
        for (const now of [...instants, ...edges].map(instant))
          expect([window.at(now), window.next(now), window.previous(now)]).toEqual([
            intervals.find(({ from, to }) => from <= now && now < to),
            intervals.find(({ from }) => from > now),
            intervals.findLast(({ from }) => from <= now),
          ])
      },
    ),
    60,
  )
})

test('a part of the time shows what the whole shows in it', () => {
  check(
    fc.property(rule, fc.integer(YEAR), fc.integer({ min: 1, max: 20 * DAY }), (one, start, length) => {
      const window = windowOf(one)
      const [from, to] = [instant(start), instant(start + length)]
      const whole = partsInside(window, instant(YEAR.min - 9 * DAY), instant(YEAR.max + 30 * DAY))
      expect(partsInside(window, from, to)).toEqual(
        whole
          .filter((interval) => interval.from < to && interval.to > from)
          .map((interval) => ({ from: latest(interval.from, from), to: earliest(interval.to, to) })),
      )
    }),
    150,
  )
})

test('what is outside a window lies between what is inside', () => {
  const [from, to] = [at('2026-11-20T06:00:00Z'), at('2026-11-20T18:00:00Z')]
  expect(partsInside(office, from, to).map(shown)).toEqual(['2026-11-20T07:00:00Z 2026-11-20T18:00:00Z'])
  expect(partsOutside(office, from, to).map(shown)).toEqual(['2026-11-20T06:00:00Z 2026-11-20T07:00:00Z'])
  expect(partsOutside(office, at('2026-11-20T08:00:00Z'), to)).toEqual([])
  expect(partsInside(office, to, at('2026-11-21T18:00:00Z'))).toEqual([])
})
