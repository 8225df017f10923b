import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  exhaustedIn,
  forecastAtEnd,
  overBudget,
  type ForecastInput,
} from '../../../src/account/forecast/forecast.ts'
import { singles } from '../../bench/forecast/series.ts'
import { errorOf } from '../../bench/forecast/score.ts'
import { trialsOf } from '../../bench/forecast/trial.ts'
import { check } from '../../support/property.ts'

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
  expect(forecast.coverage).toEqual({ windows: 15, inside: 1 })
  expect(overBudget(forecast, 400)).toBeCloseTo(0.0025, 8)
  expect(overBudget(forecast, 200)).toBeCloseTo(0.9975, 8)
  expect(exhaustedIn(forecast, 400)).toBeUndefined()
  expect(exhaustedIn(forecast, 255)).toBeCloseTo(15.5, 8)
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
  const scale = (2 * (same.expected + same.base)) / (twice.expected + twice.base)
  expect(twice.spread / same.spread).toBeCloseTo(scale ** 0.86, 6)
})

test('a weekend ahead costs what weekends cost', () => {
  const amounts = Array.from({ length: 364 }, (_, day) => (day % 7 < 5 ? 10 : 1))
  const weekend = known(withDays(amounts.slice(0, 362), { spent: 0, daysLeft: 2 }))
  const week = known(withDays(amounts, { spent: 0, daysLeft: 5 }))
  expect(weekend.p50).toBeLessThan(6)
  expect(week.p50).toBeGreaterThan(46)
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
  expect(overBudget(forecast, 0)).toBeCloseTo(0.0025, 8)
  expect(exhaustedIn(forecast, 1)).toBeUndefined()
})

test('a limit of 0 and one that is exceeded are exhausted, and over as soon as something is spent', () => {
  const forecast = known(input())
  expect([overBudget(forecast, 0), exhaustedIn(forecast, 0)]).toEqual([1, 0])
  expect([overBudget(forecast, 99), exhaustedIn(forecast, 99)]).toEqual([1, 0])
  expect([overBudget(forecast, 100), exhaustedIn(forecast, 100)]).toEqual([0.9975, 0])
})

test('what cannot be spent does not go over', () => {
  const forecast = known(input({ most: 50 }))
  expect([overBudget(forecast, 149), overBudget(forecast, 150)]).toEqual([0.9975, 0])
  expect(exhaustedIn(forecast, 149)).toBeCloseTo(19.6, 8)
  expect(exhaustedIn(forecast, 151)).toBeUndefined()
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
  expect(() => overBudget(known(input()), NaN)).toThrow('limit: expected')
  expect(() => exhaustedIn(known(input()), -1)).toThrow('limit: expected')
})

const amountsOf = ({ quantiles }: ReturnType<typeof known>): number[] => quantiles.map((each) => each.amount)

/** But for rounding. */
function expectSame(these: readonly number[], those: readonly number[]): void {
  expect(these).toHaveLength(those.length)
  const apart = these.map((value, at) => Math.abs(value - (those[at] ?? NaN)) / Math.max(1e-3, value))
  expect(Math.max(0, ...apart)).toBeLessThan(1e-6)
}

const amount = fc.oneof(
  { weight: 3, arbitrary: fc.double({ min: 0.01, max: 1000, noNaN: true }) },
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constant(undefined) },
)

const inputs: fc.Arbitrary<ForecastInput> = fc.record({
  history: fc.record({
    amounts: fc.array(amount, { minLength: 1, maxLength: 150 }).map((amounts) => [...amounts, 1]),
    firstWeekday: fc.integer({ min: 0, max: 6 }),
  }),
  spent: fc.double({ min: 0, max: 5000, noNaN: true }),
  today: fc.double({ min: 0, max: 0.99, noNaN: true }),
  daysLeft: fc.double({ min: 0, max: 40, noNaN: true }),
  most: fc.oneof(fc.constant(Infinity), fc.double({ min: 0, max: 5000, noNaN: true })),
})

test('quantiles ascend between what is spent and the most that can be', () => {
  check(
    fc.property(inputs, (given) => {
      const { quantiles, p10, p50, p90, coverage } = known(given)
      const amounts = quantiles.map((each) => each.amount)
      expect(amounts).toEqual(amounts.toSorted((a, b) => a - b))
      expect(amounts[0]).toBeGreaterThanOrEqual(given.spent)
      expect(amounts.at(-1)).toBeLessThanOrEqual(given.spent + (given.most ?? Infinity))
      expect([p10, p50, p90]).toEqual([amounts[2], amounts[4], amounts[6]])
      const inside = coverage?.inside ?? 0
      expect(inside >= 0 && inside <= 1).toBe(true)
    }),
  )
})

test('in other units it is the same forecast', () => {
  check(
    fc.property(inputs, fc.double({ min: 0.001, max: 1e6, noNaN: true }), (given, scale) => {
      const scaled = known({
        ...given,
        history: { ...given.history, amounts: given.history.amounts.map((each) => each && each * scale) },
        spent: given.spent * scale,
        most: (given.most ?? Infinity) * scale,
      })
      const plain = known(given)
      const back = scaled.quantiles.map((each) => each.amount / scale)
      expectSame(back, amountsOf(plain))
    }),
  )
})

test('days without spend, before or after, never break it', () => {
  check(
    fc.property(inputs, fc.nat(80), fc.boolean(), (given, count, before) => {
      const silent = repeat(0, count)
      const { amounts } = given.history
      const more = before ? [...silent, ...amounts] : [...amounts, ...silent]
      const { quantiles } = known({ ...given, history: { ...given.history, amounts: more } })
      for (const each of quantiles) expect(Number.isFinite(each.amount)).toBe(true)
    }),
  )
})

test('the odds of a limit fall as it rises, and say what the quantiles say', () => {
  check(
    fc.property(inputs, fc.array(fc.double({ min: 0, max: 20_000, noNaN: true })), (given, limits) => {
      const forecast = known(given)
      const odds = limits.toSorted((a, b) => a - b).map((limit) => overBudget(forecast, limit))
      expect(odds).toEqual(odds.toSorted((a, b) => b - a))
      const most = given.spent + (given.most ?? Infinity)
      // on a bound, where several quantiles fall, the odds are those of the bound
      const inside = forecast.quantiles.filter(
        (each) => each.amount > given.spent + 1e-6 && each.amount < most,
      )
      expectSame(
        inside.map((each) => 1 - overBudget(forecast, each.amount)),
        inside.map(({ share }) => share),
      )
    }),
  )
})

test('a limit is exhausted within the period exactly when the median reaches it', () => {
  check(
    fc.property(inputs, fc.double({ min: 0.1, max: 3, noNaN: true }), (given, share) => {
      const forecast = known(given)
      const limit = share * forecast.p50
      fc.pre(Math.abs(share - 1) > 1e-6)
      const day = exhaustedIn(forecast, limit)
      expect(day !== undefined).toBe(limit <= given.spent || limit < forecast.p50)
      expect(day ?? 0).toBeGreaterThanOrEqual(0)
      expect(day ?? 0).toBeLessThanOrEqual(given.daysLeft + 1e-9)
    }),
  )
})

test('a step that was announced is as good as a series that had the new level all along', () => {
  check(
    fc.property(inputs, fc.nat(150), fc.double({ min: 0.1, max: 10, noNaN: true }), (given, day, factor) => {
      const { amounts } = given.history
      const at = Math.min(day, amounts.length)
      const stepped = amounts.map((each, index) => each && (index < at ? each / factor : each))
      const announced = known({
        ...given,
        history: { ...given.history, amounts: stepped },
        changes: [{ at, factor }],
      })
      expectSame(amountsOf(announced), amountsOf(known(given)))
    }),
  )
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
