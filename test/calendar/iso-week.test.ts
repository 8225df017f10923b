import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isoWeekIdOf, isoWeekInterval, isoWeeksBefore } from '../../src/calendar/iso-week.ts'
import { instant } from '../../src/model/units.ts'
import { check } from '../support/property.ts'
import { zoneOf } from '../support/zones.ts'

const HOUR = 3_600_000
const utc = zoneOf('UTC')
const day = (text: string) => instant(Date.parse(`${text}T12:00:00Z`))

test.each([
  ['2026-11-22', '2026-W47'],
  ['2026-11-23', '2026-W48'],
  ['2026-01-01', '2026-W01'],
  ['2027-01-03', '2026-W53'],
  ['2024-12-30', '2025-W01'],
  ['2023-01-01', '2022-W52'],
])('%s is in %s', (date, id) => {
  expect(isoWeekIdOf(day(date), utc)).toBe(id)
})

test.each(['2025-W53', '2026-W00', '2026-W54', '2026-47', '2026-W7', 'W47', ''])('%j is no week', (id) => {
  expect(isoWeekInterval(id, utc)).toBeUndefined()
})

test.each([
  ['Europe/Berlin', '2026-W13', 167],
  ['Europe/Berlin', '2026-W43', 169],
  ['Europe/Berlin', '2026-W47', 168],
  ['Australia/Lord_Howe', '2026-W14', 168.5],
])('in %s %s has %d hours', (name, id, hours) => {
  const week = isoWeekInterval(id, zoneOf(name))
  expect(((week?.to ?? NaN) - (week?.from ?? NaN)) / HOUR).toBe(hours)
})

test('weeks follow each other without a gap, and each is the one it names', () => {
  const berlin = zoneOf('Europe/Berlin')
  check(
    fc.property(fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2060, 0) }), (time) => {
      const id = isoWeekIdOf(instant(time), berlin)
      const week = isoWeekInterval(id, berlin)
      if (!week) throw new Error(`${id} is no week`)
      expect(week.from <= time && time < week.to).toBe(true)
      const [before, earlier] = isoWeeksBefore(week.from, 2, berlin)
      expect([before?.to, earlier?.to]).toEqual([week.from, before?.from])
      expect(isoWeekIdOf(instant(week.from - 1), berlin)).not.toBe(id)
      expect(isoWeekInterval(isoWeekIdOf(instant(week.from - 1), berlin), berlin)).toEqual(before)
    }),
  )
})
