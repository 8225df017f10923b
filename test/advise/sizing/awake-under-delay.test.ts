import { expect, test } from 'vitest'
import type { AdviseInput } from '../../../src/advise/input.ts'
import { awakeUnderDelay } from '../../../src/advise/sizing/awake-under-delay.ts'
import type { AutosuspendDelay } from '../../../src/model/service/compute.ts'
import { millis, seconds } from '../../../src/model/units.ts'
import { adviseRef, awakeInterval } from '../../support/advise-input.ts'
import { at } from '../../support/build.ts'
import { awakeDays, fixed, proposed, sizedInput, stepsOf } from './build.ts'

const DAY = 86_400
const HOUR = 3600

/** Clients are there for 12 hours of each of the last 30 days; the gap is 12 hours. */
const gaps = (count: number): AdviseInput['gaps'] =>
  Array.from({ length: count }, (_, day) => ({
    ref: adviseRef,
    from: at(day * DAY + 12 * HOUR),
    low: seconds(12 * HOUR),
    high: seconds(12 * HOUR),
    hiddenBelow: seconds(0),
  }))

const settingsOf = (...delays: readonly (readonly [day: number, delay: AutosuspendDelay])[]) =>
  delays.map(([day, delay]) => ({ ref: adviseRef, since: at(day * DAY), delay, sizing: fixed(2) }))

/** Always awake. */
const sleepless = (over: Partial<AdviseInput>): AdviseInput =>
  sizedInput(fixed(2), { gaps: gaps(30), days: awakeDays(30, DAY), steps: stepsOf([0.1]), ...over })

const hoursADay = (input: AdviseInput) => (awakeUnderDelay(input)?.likely ?? NaN) / 30 / HOUR

test('days under another delay count as they would have been under that of now', () => {
  const never = settingsOf([0, 'never'])
  const changed = settingsOf([0, 'never'], [30, seconds(300)])
  expect(hoursADay(sleepless({ settings: never }))).toBeCloseTo(24, 5)
  // 28 days of gaps are known
  expect(hoursADay(sleepless({ settings: changed }))).toBeCloseTo(24 - (28 * (12 - 300 / HOUR)) / 30, 5)
  const [alone, beside] = [never, changed].map((settings) => proposed(sleepless({ settings })).saving.likely)
  expect(beside ?? NaN).toBeLessThan(0.6 * (alone ?? NaN))
})

test('autosuspend was off, and somebody suspended it each day: that sleep is not taken from the awake time again', () => {
  const input = sleepless({
    settings: settingsOf([0, 'never'], [30, seconds(300)]),
    days: awakeDays(30, 13 * HOUR),
    intervals: Array.from({ length: 30 }, (_, day) => ({
      ref: adviseRef,
      interval: awakeInterval(day * DAY, day * DAY + 13 * HOUR),
      cuTime: {},
      idleTail: millis(0),
      attribution: {},
    })),
  })
  // the delay would have ended the hour after the clients had left
  expect(hoursADay(input)).toBeCloseTo(13 - (28 * (1 - 300 / HOUR)) / 30, 1)
})

test('days on which it slept count, although they have no rows', () => {
  const settings = settingsOf([0, seconds(300)])
  const workdays = awakeDays(30, 8 * HOUR).filter((_, day) => day > 1 && day % 7 < 5)
  expect(hoursADay(sleepless({ settings, days: workdays }))).toBeCloseTo((8 * workdays.length) / 30, 5)
})

test('days under the delay of now count as they were', () => {
  const settings = settingsOf([0, seconds(300)])
  expect(hoursADay(sleepless({ settings, days: awakeDays(30, 13 * HOUR) }))).toBeCloseTo(13, 5)
})

test('a gap in which the delay was changed saved nothing after it', () => {
  const settings = settingsOf([0, 'never'], [29.75, seconds(300)])
  const until = hoursADay(sleepless({ settings, gaps: gaps(30).slice(29) }))
  // 6 of the 12 hours had passed
  expect(until).toBeCloseTo(24 - (6 - 300 / HOUR) / 30, 5)
})

test('a gap that was in progress at the first look counts from then on', () => {
  const settings = settingsOf([3, 'never'], [30, seconds(300)])
  const length = seconds(7 * DAY)
  const long = { ref: adviseRef, from: at(2.5 * DAY), low: length, high: length, hiddenBelow: seconds(0) }
  // 27 days are known, in 6.5 of which it would have slept
  expect(hoursADay(sleepless({ settings, gaps: [long] }))).toBeCloseTo((20.5 * 24 + 300 / HOUR) / 27, 5)
})

test('a longer delay adds awake time, at most all of it', () => {
  const settings = settingsOf([0, seconds(300)], [30, 'never'])
  const days = awakeDays(30, 12 * HOUR + 300)
  expect(hoursADay(sleepless({ settings, days }))).toBeCloseTo(
    12 + 300 / HOUR + (28 * (12 - 300 / HOUR)) / 30,
    5,
  )
  expect(hoursADay(sleepless({ settings, days: awakeDays(30, 23 * HOUR) }))).toBeLessThanOrEqual(24)
})

test('delays of a schedule are left as they were', () => {
  const settings = settingsOf([0, 'never'], [29, seconds(300)])
  expect(hoursADay(sleepless({ settings, scheduled: [seconds(300)] }))).toBeCloseTo(24, 5)
})
