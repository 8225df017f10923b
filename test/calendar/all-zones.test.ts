// Every zone (twenty in the short form), every hour of a year and every quarter of an hour around its changes, against what Intl formats directly.
import { expect, test } from 'vitest'
import { localDateTime, type LocalDateTime } from '../../src/calendar/local-time.ts'
import { instant } from '../../src/model/units.ts'
import { bySize } from '../support/tiers.ts'
import { zoneOf } from '../support/zones.ts'

const HOUR = 3_600_000
const QUARTER = HOUR / 4
const YEAR = { from: Date.parse('2026-01-01T00:00:00Z'), to: Date.parse('2027-01-01T00:00:00Z') }

/** `2026-11-20 16:32:07` as the clocks of `timeZone` show it, without any code of ours. */
function createTruth(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return (at) => format.format(at)
}

const textOf = (shown: LocalDateTime): string => new Date(shown).toISOString().slice(0, 19).replace('T', ' ')

/** Seconds of work for one core alone; a busy machine takes longer. */
const PATIENCE = 300_000

const ALL_ZONES = Intl.supportedValuesOf('timeZone')
/** Both hemispheres, changes of half an hour and at other hours than most, offsets of quarters, and zones without changes. */
const TWENTY_ZONES = [
  'Africa/Cairo',
  'Africa/Casablanca',
  'America/Asuncion',
  'America/Havana',
  'America/New_York',
  'America/Santiago',
  'America/St_Johns',
  'Antarctica/Troll',
  'Asia/Beirut',
  'Asia/Gaza',
  'Asia/Jerusalem',
  'Asia/Kathmandu',
  'Atlantic/Azores',
  'Australia/Lord_Howe',
  'Europe/Berlin',
  'Europe/Dublin',
  'Pacific/Apia',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
]
const zones = bySize(ALL_ZONES, TWENTY_ZONES)

test('there are 400 zones and more', () => {
  expect(ALL_ZONES.length).toBeGreaterThan(400)
})

test(
  'an instant shows what it shows, and is in the day that it shows',
  () => {
    const wrong = zones.flatMap((name) => {
      const [zone, truth] = [zoneOf(name), createTruth(name)]
      for (let now = YEAR.from; now < YEAR.to; now += HOUR) {
        const shown = truth(now)
        const right =
          textOf(zone.wallAt(instant(now))) === shown && zone.dayOf(instant(now)).date === shown.slice(0, 10)
        if (!right) return [`${name} ${new Date(now).toISOString()}`]
      }
      return []
    })
    expect(wrong).toEqual([])
  },
  PATIENCE,
)

/** The hours of the year after which the truth differs by something else than an hour. */
function changesOf(truth: (at: number) => string): number[] {
  const changes: number[] = []
  let before = Date.parse(`${truth(YEAR.from - HOUR)}Z`)
  for (let at = YEAR.from; at < YEAR.to; at += HOUR) {
    const now = Date.parse(`${truth(at)}Z`)
    if (now - before !== HOUR) changes.push(at)
    before = now
  }
  return changes
}

test(
  'around each change a clock shows each time as often as it shows it',
  () => {
    let changes = 0
    const wrong = zones.flatMap((name) => {
      const [zone, truth] = [zoneOf(name), createTruth(name)]
      return changesOf(truth).flatMap((change) => {
        changes += 1
        const instants = Map.groupBy(range(change - 6 * HOUR, change + 6 * HOUR), truth)
        const shown = Date.parse(`${truth(change)}Z`)
        return range(shown - 3 * HOUR, shown + 3 * HOUR).flatMap((time) => {
          const expected = instants.get(textOf(localDateTime(time))) ?? []
          const found = zone.instantsAt(localDateTime(time))
          return found.join() === expected.join()
            ? []
            : [`${name} ${textOf(localDateTime(time))}: ${found.join()}`]
        })
      })
    })
    expect(wrong).toEqual([])
    expect(changes).toBeGreaterThan(bySize(200, 25))
  },
  PATIENCE,
)

const range = (from: number, to: number): number[] =>
  Array.from({ length: (to - from) / QUARTER }, (_, index) => from + index * QUARTER)
