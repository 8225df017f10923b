// Each formula of the forecast alone, with values worked out by hand.
import { expect, test } from 'vitest'
import { rescaleSeries, type KnownChange } from '../../../src/ledger/forecast/history.ts'
import { levelAfter, weekdayFactors } from '../../../src/ledger/forecast/level.ts'
import { noiseVarianceAfter } from '../../../src/ledger/forecast/spread.ts'
import { shareBelow, QUANTILE_SHARES, spreadsAt } from '../../../src/ledger/forecast/quantiles.ts'
import { outlookAfter, wholeDays } from '../../../src/ledger/forecast/spread.ts'

const EVEN = [1, 1, 1, 1, 1, 1, 1]

const from = (amounts: readonly (number | undefined)[], firstWeekday = 0) => ({ amounts, firstWeekday })

const constant = (days: number, amount = 1) => from(Array.from({ length: days }, () => amount))

test.each<[string, KnownChange[], (number | undefined)[]]>([
  ['nothing changed', [], [4, undefined, 8]],
  ['at a midnight: the days before', [{ at: 2, factor: 3 }], [12, undefined, 8]],
  // a half of day 2 at L and a half at 3L were 8: L is 4, and the day at 3L costs 12
  ['at noon: the older half of its day, too', [{ at: 2.5, factor: 3 }], [12, undefined, 12]],
  [
    'twice',
    [
      { at: 1, factor: 3 },
      { at: 2, factor: 0.5 },
    ],
    [6, undefined, 8],
  ],
  ['everything goes', [{ at: 2.5, factor: 0 }], [0, undefined, 0]],
  ['before the history', [{ at: -5, factor: 3 }], [4, undefined, 8]],
  ['in time to come', [{ at: 3.5, factor: 3 }], [4, undefined, 8]],
])('days are rescaled by what is known: %s', (_, changes, amounts) => {
  expect(rescaleSeries(from([4, undefined, 8]), changes).amounts).toEqual(amounts)
})

test.each<[string, ReturnType<typeof from>, number[]]>([
  ['nothing known', from([]), EVEN],
  ['nothing spent', constant(20, 0), EVEN],
  ['one day', from([4]), EVEN],
  // Monday 2 / (2 + 2^(-1/84)), Tuesday (4 / mean + 2) / 3, the others 1, divided by their mean
  ['a Monday without spend, then a Tuesday', from([0, 4]), [0.66858, 1.33077, 1, 1, 1, 1, 1]],
  ['the same, the Tuesday first', from([0, 4], 1), [1, 0.66858, 1.33077, 1, 1, 1, 1]],
  ['the same with a Monday unknown', from([undefined, 0, 4], 0), [1, 0.66858, 1.33077, 1, 1, 1, 1]],
])('weekday factors of %s', (_, history, factors) => {
  const found = weekdayFactors(history, history.amounts.length)
  found.forEach((factor, weekday) => expect(factor).toBeCloseTo(factors[weekday] ?? NaN, 3))
})

test('weekday factors forget what is older than a year of weeks', () => {
  const mondays = Array.from({ length: 70 }, (_, day) => (day % 7 === 0 ? 7 : 0))
  expect(weekdayFactors(from([...mondays, ...constant(364).amounts]), 434)).toEqual(EVEN)
  expect(weekdayFactors(from([...mondays, ...constant(357).amounts]), 427)[0]).toBeGreaterThan(1)
})

test('weekday factors come close to the pattern of half a year of weeks', () => {
  const pattern = [2, 1, 1, 1, 1, 0.5, 0.5]
  const history = from(Array.from({ length: 182 }, (_, day) => 3 * (pattern[day % 7] ?? 0)))
  const factors = weekdayFactors(history, 182)
  factors.forEach((factor, weekday) => expect(factor).toBeCloseTo(pattern[weekday] ?? NaN, 0))
  expect(factors[0]).toBeGreaterThan(1.8)
  expect(factors[6]).toBeLessThan(0.6)
})

// fast: 4 / (1 + 2^(-1/5)) = 2.13842; slow: 4 / (1 + 2^(-1/45)) = 2.01540; (1 + w)² / (1 + w²) = 1.99046 effective days
test.each<[string, number, number]>([
  ['rough: two fifths of the way from slow to fast', 4, 2.06372],
  ['smooth: all the way', 0.0001, 2.13837],
])('the level of a day without spend and one of 4, where days are %s', (_, noise, amount) => {
  const level = levelAfter(from([0, 4]), 2, { factors: EVEN, noise })
  expect(level.amount).toBeCloseTo(amount, 4)
  expect(level.effectiveDays).toBeCloseTo(1.99046, 3)
})

test.each<[string, ReturnType<typeof from>, number]>([
  ['no day', from([]), 0],
  ['days without spend', constant(9, 0), 0],
  ['the same every day', constant(300, 7), 7],
  ['the same every day that is known', from([7, undefined, undefined, 7, undefined]), 7],
])('the level of %s', (_, history, amount) => {
  const noise = noiseVarianceAfter(history, history.amounts.length, EVEN)
  const level = levelAfter(history, history.amounts.length, { factors: EVEN, noise })
  expect(level.amount).toBeCloseTo(amount, 10)
})

// (1 + q) / (1 - q) · (1 - q³⁰) / (1 + q³⁰), q = 2^(-1/5)
// slow: what the older half of 80 days weighs; fast: 0; a thousandth of the slow one is added to both, then taken off
test('the level of a compute that fell silent is not 0 at once', () => {
  const history = from([...constant(40, 10).amounts, ...constant(40, 0).amounts])
  expect(levelAfter(history, 80, { factors: EVEN, noise: 100 }).amount).toBeCloseTo(0.180748, 6)
})

// a smooth history, so that the level is the fast average: of 100, or of 81.95 = 3 times the slow one, for the new days
test.each<[string, number, number]>([
  ['ten of 21: each counts as a burst', 10, 62.67],
  ['eleven of 21: they count as they are', 11, 79.68],
])('the level of days a hundred times as large, %s', (_, count, amount) => {
  const history = from([...constant(40).amounts, ...constant(count, 100).amounts])
  const level = levelAfter(history, 40 + count, { factors: EVEN, noise: 1e-6 })
  expect(level.amount).toBeCloseTo(amount, 1)
})

test('the fast average of a long history holds 14 days', () => {
  const { effectiveDays } = levelAfter(constant(300), 300, { factors: EVEN, noise: 1 })
  expect(effectiveDays).toBeCloseTo(14.0054, 3)
})

test.each<[string, (number | undefined)[], number]>([
  ['nothing', [], 0],
  // two believed days as rough as they are large, and no miss: 2 · 3² / 2
  ['one day', [3], 9],
  // a miss of 2 from 2, then the level is 3: (2² + 1 · 3²) / (1 + 1)
  ['2, then 4', [2, 4], 6.5],
  ['2, nothing known, then 4', [2, undefined, 4], 6.5],
])('the noise of %s', (_, amounts, noise) => {
  expect(noiseVarianceAfter(from(amounts), amounts.length, EVEN)).toBeCloseTo(noise, 10)
})

// 30² · w(59), and (30 α)² · (1 - α)^2(j - 1) · w(59 - j) for each day j after, over the weights of 60 days; w(a) = 2^(-a/30)
test.each<[string, number, number]>([
  ['60 days, its first day is the last that counts', 140, 7.472297],
  ['a day more, and only what it did to the level counts', 139, 0.455793],
])('the noise of one odd day is felt for %s', (_, odd, noise) => {
  const amounts = Array.from({ length: 200 }, (__, day) => (day === odd ? 40 : 10))
  expect(noiseVarianceAfter(from(amounts), 200, EVEN)).toBeCloseTo(noise, 4)
})

test('a weekday with half the factor has half the variance', () => {
  const factors = [1, 0.5, 1, 1, 1, 1, 1]
  // Tuesday misses 0.5 · 2 by 1: (1² + 1 · 2.5²) / (0.5 + 1), the level after it being 2 + 1 / 2
  expect(noiseVarianceAfter(from([2, 2]), 2, factors)).toBeCloseTo(7.25 / 1.5, 10)
})

test.each<[number, number, number]>([
  // 100 of one day's variance and as much of the level's, over 10 + 0.9 · 10: (√200 / 19)^0.86
  [1, 10, 0.77566],
  // 200 of two days' and 400 of the level's, over 20 + 9: (√600 / 29)^0.86
  [2, 20, 0.86481],
])('after one day of 10, %i more', (count, remaining, spread) => {
  const history = from([10])
  const outlook = outlookAfter(history, 1, wholeDays(history, 1, count))
  expect(outlook.remaining).toBeCloseTo(remaining, 10)
  expect(outlook.base).toBe(9)
  expect(outlook.spread).toBeCloseTo(spread, 3)
})

test('the base is nine tenths of a day of the last sixty', () => {
  const days = [...constant(40, 10).amounts, ...constant(30, 2).amounts, ...constant(30, 4).amounts]
  expect(outlookAfter(from(days), 100, wholeDays(from(days), 100, 1)).base).toBeCloseTo(2.7, 10)
})

test('the table of quantiles ascends, and shares are read off it both ways', () => {
  expect(QUANTILE_SHARES).toEqual([0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975])
  const spreads = QUANTILE_SHARES.map(spreadsAt)
  expect(spreads).toEqual(spreads.toSorted((a, b) => a - b))
  expect(spreads.map(shareBelow)).toEqual(QUANTILE_SHARES)
})

test.each([
  [0.34, 0.625], // the middle between 0 and 0.68
  [2.02, 0.98], // beyond the table, straight on
  [9, 0.9975],
  [Infinity, 0.9975],
  [-9, 0.0025],
  [-Infinity, 0.0025],
])('%f spreads above the middle', (spreads, share) => {
  expect(shareBelow(spreads)).toBeCloseTo(share, 3)
})
