import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseLocalDateTime, localDateTime, type LocalDateTime } from '../../src/calendar/local-time.ts'
import { createUtc, createZone, type Zone } from '../../src/calendar/zone.ts'
import { toIso } from '../../src/model/time.ts'
import { instant } from '../../src/model/units.ts'
import { check } from '../support/property.ts'
import { at, zoneOf } from '../support/zones.ts'

const clock = (text: string): LocalDateTime => parseLocalDateTime(text) ?? localDateTime(NaN)
const all = (zone: Zone, text: string): string[] => zone.instantsAt(clock(text)).map(toIso)
const begin = (zone: Zone, text: string): string => toIso(zone.beginAt(clock(text)))
const end = (zone: Zone, text: string): string => toIso(zone.endAt(clock(text)))
const hours = (zone: Zone, iso: string): [string, number] => {
  const { date, from, to } = zone.dayOf(at(iso))
  return [date, (to - from) / 3_600_000]
}

describe('what a place makes of its clocks:', () => {
  test('Berlin', () => {
    const zone = zoneOf('Europe/Berlin')
    expect(all(zone, '2026-11-20T08:00')).toEqual(['2026-11-20T07:00:00Z'])
    expect(all(zone, '2026-03-29T02:30')).toEqual([])
    expect(begin(zone, '2026-03-29T02:30')).toBe('2026-03-29T01:00:00Z')
    expect(end(zone, '2026-03-29T02:30')).toBe('2026-03-29T01:00:00Z')
    expect(all(zone, '2026-10-25T02:30')).toEqual(['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'])
    expect(begin(zone, '2026-10-25T02:30')).toBe('2026-10-25T00:30:00Z')
    expect(end(zone, '2026-10-25T02:30')).toBe('2026-10-25T01:30:00Z')
    expect(hours(zone, '2026-03-29T12:00:00Z')).toEqual(['2026-03-29', 23])
    expect(hours(zone, '2026-10-25T12:00:00Z')).toEqual(['2026-10-25', 25])
  })

  test('New York', () => {
    const zone = zoneOf('America/New_York')
    expect(begin(zone, '2026-03-08T02:00')).toBe('2026-03-08T07:00:00Z')
    expect(all(zone, '2026-11-01T01:59')).toEqual(['2026-11-01T05:59:00Z', '2026-11-01T06:59:00Z'])
    expect(all(zone, '2026-11-01T02:00')).toEqual(['2026-11-01T07:00:00Z'])
  })

  test('Lord Howe, by half an hour', () => {
    const zone = zoneOf('Australia/Lord_Howe')
    expect(begin(zone, '2026-10-04T02:10')).toBe('2026-10-03T15:30:00Z')
    expect(all(zone, '2026-04-05T01:45')).toEqual(['2026-04-04T14:45:00Z', '2026-04-04T15:15:00Z'])
    expect(hours(zone, '2026-10-04T00:00:00Z')).toEqual(['2026-10-04', 23.5])
    expect(hours(zone, '2026-04-05T00:00:00Z')).toEqual(['2026-04-05', 24.5])
  })

  test('Santiago, where a midnight is skipped and the hour before one comes twice', () => {
    const zone = zoneOf('America/Santiago')
    expect(begin(zone, '2026-09-06T00:00')).toBe('2026-09-06T04:00:00Z')
    expect(zone.dayOf(at('2026-09-06T04:00:00Z'))).toMatchObject({
      date: '2026-09-06',
      from: at('2026-09-06T04:00:00Z'),
      to: at('2026-09-07T03:00:00Z'),
    })
    expect(all(zone, '2026-04-04T23:30')).toEqual(['2026-04-05T02:30:00Z', '2026-04-05T03:30:00Z'])
    expect(hours(zone, '2026-04-05T03:30:00Z')).toEqual(['2026-04-04', 25])
  })

  test('Beirut', () => {
    const zone = zoneOf('Asia/Beirut')
    expect(hours(zone, '2026-03-29T12:00:00Z')).toEqual(['2026-03-29', 23])
    expect(toIso(zone.dayOf(at('2026-03-29T12:00:00Z')).from)).toBe('2026-03-28T22:00:00Z')
    expect(all(zone, '2026-10-24T23:30')).toEqual(['2026-10-24T20:30:00Z', '2026-10-24T21:30:00Z'])
    expect(hours(zone, '2026-10-24T21:30:00Z')).toEqual(['2026-10-24', 25])
  })

  test('Cairo', () => {
    const zone = zoneOf('Africa/Cairo')
    expect(hours(zone, '2026-04-24T12:00:00Z')).toEqual(['2026-04-24', 23])
    expect(begin(zone, '2026-04-24T00:30')).toBe('2026-04-23T22:00:00Z')
    expect(hours(zone, '2026-10-29T12:00:00Z')).toEqual(['2026-10-29', 25])
  })

  test('Havana, where a midnight comes twice and the day begins with the first', () => {
    const zone = zoneOf('America/Havana')
    expect(all(zone, '2026-11-01T00:00')).toEqual(['2026-11-01T04:00:00Z', '2026-11-01T05:00:00Z'])
    expect(zone.dayOf(at('2026-11-01T05:00:00Z'))).toMatchObject({
      date: '2026-11-01',
      from: at('2026-11-01T04:00:00Z'),
      to: at('2026-11-02T05:00:00Z'),
    })
    expect(hours(zone, '2026-03-08T12:00:00Z')).toEqual(['2026-03-08', 23])
  })

  test('Kathmandu', () => {
    const zone = zoneOf('Asia/Kathmandu')
    expect(begin(zone, '2026-11-20T00:00')).toBe('2026-11-19T18:15:00Z')
    expect(hours(zone, '2026-11-20T00:00:00Z')).toEqual(['2026-11-20', 24])
  })

  test('Apia, which left out 2011-12-30', () => {
    const zone = zoneOf('Pacific/Apia')
    expect(all(zone, '2011-12-30T12:00')).toEqual([])
    expect(begin(zone, '2011-12-30T00:00')).toBe('2011-12-30T10:00:00Z')
    expect(begin(zone, '2011-12-31T00:00')).toBe('2011-12-30T10:00:00Z')
    expect(hours(zone, '2011-12-30T09:59:59Z')).toEqual(['2011-12-29', 24])
    expect(hours(zone, '2011-12-30T10:00:00Z')).toEqual(['2011-12-31', 24])
  })

  test("St John's in 2010, whose clocks went back over midnight", () => {
    const zone = zoneOf('America/St_Johns')
    expect(all(zone, '2010-11-06T23:30')).toEqual(['2010-11-07T02:00:00Z', '2010-11-07T03:00:00Z'])
    expect(hours(zone, '2010-11-07T02:00:00Z')).toEqual(['2010-11-06', 24])
    expect(hours(zone, '2010-11-07T03:00:00Z')).toEqual(['2010-11-07', 25])
  })

  test('Monrovia in 1971, with an offset of seconds', () => {
    expect(begin(zoneOf('Africa/Monrovia'), '1971-06-01T00:00')).toBe('1971-06-01T00:44:30Z')
  })
})

const zones = [
  'Europe/Berlin',
  'America/Havana',
  'Asia/Beirut',
  'Pacific/Apia',
  'America/St_Johns',
  'UTC',
].map(zoneOf)
const CENTURY = { min: Date.parse('1971-01-01T00:00:00Z'), max: Date.parse('2099-12-31T00:00:00Z') }

test('every instant is in exactly one day, and days follow each other', () => {
  check(
    fc.property(fc.constantFrom(...zones), fc.integer(CENTURY), (zone, ms) => {
      const now = instant(ms)
      const day = zone.dayOf(now)
      const next = zone.dayOf(day.to)
      const before = zone.dayOf(instant(day.from - 1))
      expect(day.from).toBeLessThanOrEqual(now)
      expect(day.to).toBeGreaterThan(now)
      expect(next.from).toBe(day.to)
      expect(before.to).toBe(day.from)
      expect(next.date > day.date).toBe(true)
      expect(zone.dayOf(now)).toEqual(day)
    }),
    2000,
  )
})

test('an instant is one of those at which its wall clock shows what it shows', () => {
  check(
    fc.property(fc.constantFrom(...zones), fc.integer(CENTURY), (zone, ms) => {
      const shown = zone.wallAt(instant(ms))
      const instants = zone.instantsAt(shown)
      expect(instants).toContain(ms)
      expect(zone.beginAt(shown)).toBe(instants[0])
      expect(zone.endAt(shown)).toBe(instants.at(-1))
    }),
    2000,
  )
})

test('forty years of offsets are those of Intl', () => {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: 'America/Santiago', hour: '2-digit' })
  const zone = zoneOf('America/Santiago')
  const wrong: string[] = []
  for (
    let now = Date.parse('2000-01-01T00:00:00Z');
    now < Date.parse('2040-01-01T00:00:00Z');
    now += 7_200_000
  ) {
    const hour = new Date(zone.wallAt(instant(now))).getUTCHours()
    if (hour !== Number(format.format(now))) wrong.push(new Date(now).toISOString())
  }
  expect(wrong).toEqual([])
})

describe('a name of a zone', () => {
  test.each([
    'Europe/Berlin',
    'America/Argentina/Buenos_Aires',
    'Asia/Calcutta',
    'US/Eastern',
    'Etc/GMT+5',
    'UTC',
  ])('%s is taken', (name) => {
    expect(createZone(name)).toMatchObject({ ok: true, value: { name } })
  })

  test.each([
    ['EST', 'expected an IANA name, did you mean America/New_York or America/Panama?'],
    ['est', 'expected an IANA name, did you mean America/New_York or America/Panama?'],
    ['CET', 'expected an IANA name, did you mean Europe/Berlin or Europe/Paris?'],
    ['IST', 'expected an IANA name, did you mean Asia/Kolkata, Europe/Dublin or Asia/Jerusalem?'],
    ['GMT', 'expected an IANA name, did you mean UTC or Europe/London?'],
    ['Japan', 'expected an IANA name, did you mean Asia/Tokyo?'],
    ['berlin', 'expected an IANA name, did you mean Europe/Berlin?'],
    ['America/New York', 'expected an IANA name, did you mean America/New_York?'],
    [
      '+01:00',
      '+01:00 is a fixed offset, which ignores summer time: expected an IANA name such as Europe/Berlin',
    ],
    [
      'UTC+1',
      'UTC+1 is a fixed offset, which ignores summer time: expected an IANA name such as Europe/Berlin',
    ],
    ['Mars/Olympus', 'expected an IANA name such as Europe/Berlin'],
    ['', 'expected an IANA name such as Europe/Berlin'],
  ])('%j is refused', (name, error) => {
    expect(createZone(name)).toEqual({ ok: false, error })
  })

  test('is written as the database writes it', () => {
    expect(createZone('europe/BERLIN')).toMatchObject({ ok: true, value: { name: 'Europe/Berlin' } })
  })

  test('none is needed for UTC', () => {
    expect(hours(createUtc(), '2026-11-20T23:59:59Z')).toEqual(['2026-11-20', 24])
  })
})
