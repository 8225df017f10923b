import { expect, test } from 'vitest'
import {
  daysUntilExhausted,
  forecastAtEnd,
  probabilityOverLimit,
  type ForecastInput,
} from '../../../src/ledger/forecast/forecast.ts'
import { singles } from '../../bench/forecast/series.ts'
import { errorOf } from '../../bench/forecast/score.ts'
import { trialsOf } from '../../bench/forecast/trial.ts'

/** 120 days of 10, ten days of a month of thirty gone. */
const input = (changed: Partial<ForecastInput> = {}): ForecastInput => ({
  history: { amounts: Array.from({ length: 120 }, () => 10), firstWeekday: 0 },
  spent: 100,
  today: 0,
  daysLeft: 20,
  ...changed,
})

const withDays = (
  amounts: readonly (number | undefined)[],
  changed: Partial<ForecastInput> = {},
): ForecastInput => input({ history: { amounts, firstWeekday: 0 }, ...changed })

function known(of: ForecastInput) {
  const forecast = forecastAtEnd(of)
  if (!forecast) throw new Error('nothing is known')
  return forecast
}

const repeat = (amount: number, days: number): number[] => Array.from({ length: days }, () => amount)

test('the same every day ends where it must, nearly for sure', () => {
  const forecast = known(input())
  expect(forecast.p50).toBeCloseTo(300, 8)
  expect(forecast.p90 - forecast.p10).toBeLessThan(20)
  expect(forecast.learning).toBe(false)
  expect(forecast.coverage).toMatchObject({ windows: 15, inside: 1 })
  expect(forecast.coverage?.error).toBeCloseTo(0, 8)
  expect(probabilityOverLimit(forecast, 400)).toBeCloseTo(0.0025, 8)
  expect(probabilityOverLimit(forecast, 200)).toBeCloseTo(0.9975, 8)
  expect(daysUntilExhausted(forecast, 400)).toBeUndefined()
  expect(daysUntilExhausted(forecast, 255)).toBeCloseTo(15.5, 8)
})

test.each<[string, Partial<ForecastInput>, number]>([
  ['a month', {}, 300],
  ['a quarter of today is left, and two days', { today: 0.75, daysLeft: 2.25 }, 122.5],
  ['the period ends today', { today: 0.5, daysLeft: 0.25 }, 102.5],
  ['the period is over', { daysLeft: 0 }, 100],
  ['a week', { spent: 30, daysLeft: 4 }, 70],
  ['a day of 25 hours', { today: 0, spent: 0, daysLeft: 25 / 24 }, 10 + 10 / 24],
  ['twice the size from tomorrow noon on', { daysLeft: 5, changes: [{ at: 121.5, factor: 2 }] }, 185],
  [
    'twice the size since noon, it is evening',
    { today: 0.75, daysLeft: 5, changes: [{ at: 120.5, factor: 2 }] },
    200,
  ],
  [
    'twice, then nothing',
    {
      daysLeft: 5,
      changes: [
        { at: 121, factor: 2 },
        { at: 123, factor: 0 },
      ],
    },
    150,
  ],
  ['no more than that can be spent', { most: 50 }, 150],
])('what 10 a day come to: %s', (_, changed, p50) => {
  expect(known(input(changed)).p50).toBeCloseTo(p50, 6)
})

test('a change ahead scales the doubt as it scales the amount', () => {
  const rough = Array.from({ length: 120 }, (_, day) => 10 + (day % 3))
  const same = known(withDays(rough, { finished: [] })).remains
  const twice = known(withDays(rough, { finished: [], changes: [{ at: 120 + 1e-9, factor: 2 }] })).remains
  const scale = (2 * same.middle) / twice.middle
  expect(twice.spread / same.spread).toBeCloseTo(scale ** 0.86, 6)
})

test('a weekend ahead costs what weekends cost', () => {
  const amounts = Array.from({ length: 364 }, (_, day) => (day % 7 < 5 ? 10 : 1))
  const weekend = known(withDays(amounts.slice(0, 362), { spent: 0, daysLeft: 2 }))
  const week = known(withDays(amounts, { spent: 0, daysLeft: 5 }))
  expect(weekend.p50).toBeLessThan(6)
  expect(week.p50).toBeGreaterThan(46)
})

test.each([0.003, -0.003])('a growth of %f a day is expected to go on', (growth) => {
  const days = Array.from({ length: 395 }, (_, day) => 10 * Math.exp(growth * day))
  const total = days.slice(-20).reduce((sum, day) => sum + day, 0)
  const { p50 } = known(withDays(days.slice(0, -20), { spent: 0 }))
  expect(Math.abs(p50 / total - 1)).toBeLessThan(0.02)
})

test('nothing is known: no forecast', () => {
  expect(forecastAtEnd(withDays([]))).toBeUndefined()
  expect(forecastAtEnd(withDays([undefined, undefined]))).toBeUndefined()
})

test('one day makes a forecast that knows how little it knows', () => {
  const forecast = known(withDays([10], { spent: 10, daysLeft: 29 }))
  expect(forecast.p50).toBeCloseTo(300, 8)
  expect(forecast.p10).toBeLessThan(100)
  expect(forecast.p90).toBeGreaterThan(1000)
  expect([forecast.learning, forecast.coverage]).toEqual([true, undefined])
})

test('it is learning until sixty days are known', () => {
  const gap = Array.from({ length: 30 }, () => undefined)
  expect(known(withDays([...repeat(10, 59), ...gap])).learning).toBe(true)
  expect(known(withDays([...repeat(10, 60), ...gap])).learning).toBe(false)
})

test('nothing was ever spent', () => {
  const forecast = known(withDays(repeat(0, 100), { spent: 0 }))
  expect([forecast.p10, forecast.p50, forecast.p90]).toEqual([0, 0, 0])
  expect(probabilityOverLimit(forecast, 0)).toBeCloseTo(0.0025, 8)
  expect(daysUntilExhausted(forecast, 1)).toBeUndefined()
})

test('a limit of 0 and one that is exceeded are exhausted, and over as soon as something is spent', () => {
  const forecast = known(input())
  expect([probabilityOverLimit(forecast, 0), daysUntilExhausted(forecast, 0)]).toEqual([1, 0])
  expect([probabilityOverLimit(forecast, 99), daysUntilExhausted(forecast, 99)]).toEqual([1, 0])
  expect([probabilityOverLimit(forecast, 100), daysUntilExhausted(forecast, 100)]).toEqual([0.9975, 0])
})

test('what cannot be spent does not go over', () => {
  const forecast = known(input({ most: 50 }))
  expect([probabilityOverLimit(forecast, 149), probabilityOverLimit(forecast, 150)]).toEqual([0.9975, 0])
  expect(daysUntilExhausted(forecast, 149)).toBeCloseTo(19.6, 8)
  expect(daysUntilExhausted(forecast, 151)).toBeUndefined()
})

test('a day of a hundred days widens the interval, and lifts the middle by less than half of itself', () => {
  const calm = known(input())
  const huge = known(withDays([...repeat(10, 119), 1000]))
  expect(huge.p50 - calm.p50).toBeLessThan(500)
  expect(huge.p90 - huge.p10).toBeGreaterThan(20 * (calm.p90 - calm.p10))
})

test('a gap changes nothing about the days around it', () => {
  const gap = Array.from({ length: 120 }, (_, day) => (day > 80 && day < 95 ? undefined : 10))
  expect(known(withDays(gap)).p50).toBeCloseTo(300, 8)
})

test.each<[string, ForecastInput, string]>([
  ['a day', withDays([1, NaN]), 'history.amounts[1]: expected a finite number of 0 or more, got NaN'],
  ['a day', withDays([-1]), 'history.amounts[0]: expected a finite number of 0 or more, got -1'],
  ['a day', withDays([Infinity]), 'history.amounts[0]: expected a finite number of 0 or more, got Infinity'],
  ['the spend', input({ spent: -3 }), 'spent: expected a finite number of 0 or more, got -3'],
  ['today', input({ today: 1 }), 'today: expected a number from 0 to below 1, got 1'],
  ['the days left', input({ daysLeft: NaN }), 'daysLeft: expected a finite number of 0 or more, got NaN'],
  ['the most', input({ most: -1 }), 'most: expected a finite number of 0 or more, got -1'],
  [
    'the weekday',
    input({ history: { amounts: [], firstWeekday: 7 } }),
    'history.firstWeekday: expected a whole number from 0 to 6, got 7',
  ],
  [
    'a factor',
    input({ changes: [{ at: 1, factor: -1 }] }),
    'changes[0].factor: expected a finite number of 0 or more, got -1',
  ],
  [
    'a time',
    input({ changes: [{ at: NaN, factor: 1 }] }),
    'changes[0].at: expected a finite number, got NaN',
  ],
])('%s that cannot be is refused by name', (_, wrong, message) => {
  expect(() => forecastAtEnd(wrong)).toThrow(message)
})

test('a limit that cannot be is refused by name', () => {
  expect(() => probabilityOverLimit(known(input()), NaN)).toThrow('limit: expected')
  expect(() => daysUntilExhausted(known(input()), -1)).toThrow('limit: expected')
})

test('on real computes it errs less than the run-rate, in the same run', () => {
  const computes = singles()
    .slice(0, 3)
    .map(({ amounts }) => ({ amounts: amounts.slice(0, 1000), changes: [] }))
  for (const day of [5, 10, 20]) {
    const trials = trialsOf(computes, { day, starts: { from: 60, below: Infinity } })
    expect(errorOf(trials, 'error')).toBeLessThan(errorOf(trials, 'runRateError'))
  }
})
