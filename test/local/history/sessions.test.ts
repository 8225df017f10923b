import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createChance } from '../../../src/local/history/chance.ts'
import { KINDS, type Kind, USES } from '../../../src/local/history/kinds.ts'
import { type Session, isWeekday } from '../../../src/local/history/sessions.ts'
import { check } from '../../support/property.ts'
import { DAY, NOW } from './build.ts'

const HOUR = DAY / 24

/** The sessions that start within `days`. */
function sessions(kind: Kind, seed: string, { from = NOW, days = 28 } = {}): readonly Session[] {
  const sessionsInTime: Session[] = []
  for (const session of USES[kind].sessions(from, createChance(seed))) {
    if (session.from > from + days * DAY) break
    sessionsInTime.push(session)
  }
  return sessionsInTime
}

/** Hours of use on the matching days. */
const hoursOn = (all: readonly Session[], fits: (at: number) => boolean): number =>
  all.filter(({ from }) => fits(from)).reduce((sum, { from, to }) => sum + (to - from) / HOUR, 0)

test('sessions start at the requested time, in order, and equal for equal seeds', () => {
  const seeds = fc.integer().map(String)
  check(
    fc.property(
      fc.constantFrom(...KINDS),
      seeds,
      fc.integer({ min: 0, max: 3 * DAY }),
      (kind, seed, offset) => {
        const from = NOW + offset
        const all = sessions(kind, seed, { from })
        expect(all.every((session) => session.from >= from && session.to >= session.from)).toBe(true)
        expect(all.every(({ pause: { min, max } }) => min > 0 && min < max)).toBe(true)
        expect(all.map((session) => session.from).toSorted((a, b) => a - b)).toEqual(
          all.map((session) => session.from),
        )
        expect(sessions(kind, seed, { from })).toEqual(all)
      },
    ),
  )
})

test('offices are used on weekdays, batches every night', () => {
  for (const seed of ['one', 'two', 'three', 'four']) {
    const office = sessions('office', seed)
    // a Monday in Tokyo begins on a Sunday in UTC: what is left of the weekend is hours, not days
    expect(hoursOn(office, isWeekday)).toBeGreaterThan(3 * hoursOn(office, (at) => !isWeekday(at)))
    expect(hoursOn(office, isWeekday)).toBeGreaterThan(40)
    const nights = new Set(sessions('batch', seed).map(({ from }) => Math.floor(from / DAY)))
    expect(nights.size).toBeGreaterThan(26)
  }
})

test('2026-03-07 and 2026-03-08 are weekend days, the five days around them are weekdays', () => {
  const days = [5, 6, 7, 8, 9, 10, 11]
  expect(days.filter((day) => !isWeekday(Date.UTC(2026, 2, day, 13)))).toEqual([7, 8])
})

test('chatty use never ends, rare use is rare, bursty use is frequent and short', () => {
  expect(sessions('chatty', 'one')).toEqual([{ from: NOW, to: Infinity, pause: expect.anything() }])
  const [rare, bursty] = [sessions('rare', 'one'), sessions('bursty', 'one')]
  expect(rare.length).toBeLessThan(15)
  expect(bursty.length).toBeGreaterThan(100)
  expect(hoursOn(bursty, () => true) / bursty.length).toBeLessThan(0.2)
})

test('the sequence of one name does not depend on that of another', () => {
  const [first, second] = [createChance('7/0/clients'), createChance('7/0/people')]
  const alone = createChance('7/0/clients')
  const drawn = [1, 2, 3].map(() => [first.uniform(), second.uniform()][0])
  expect(drawn).toEqual([1, 2, 3].map(() => alone.uniform()))
  expect(createChance('x').text(12)).toMatch(/^[a-z0-9]{12}$/)
})
