// What an average day costs now: weekday factors, and a slow and a fast average that a gate weighs by the noise.
import { noiseGate } from './gate.ts'
import type { ForecastAmount, DailySeries } from './history.ts'

/** Days. Doubled: 0.2 % of error either way. */
const WEEKDAY_HALF_LIFE = 84
/** A year of weeks. Doubled: no difference, the second year weighs 5 %. */
const WEEKDAY_DAYS = 364
/** Average weeks added to those seen. Doubled, budgets that grow or step cost up to 1 % more error. */
const WEEKDAY_PRIOR = 2

/** Days. Doubled, steps and trends cost 8 % more error, single computes 2 %; steady weeks gain 4 %. */
const FAST = 5
/** Days. Doubled, fleets that grow cost 5 % more error, others 2 %; single computes gain 1 %. */
const SLOW = 45
/** Averages reach back as many half-lives; what is older weighs 1.6 %. Doubled, trends cost 1 % more error. */
const REACH = 6

/**
 * The fast average's share where both agree. Doubled, fleets cost 4 % more error, steady weeks 14 %; trends gain 11
 * %.
 */
const FAST_SHARE = 0.4
/**
 * Variances between the averages at which half of the rest moves to the fast one. Doubled, steps and trends cost
 * 7–10 % more error; fleets gain 2 %.
 */
const GATE = 8
/**
 * Times the slow average, or the middle one of the last days if that is more: what counts of one day in the fast
 * average. Doubled, intermittent use and bursts cost 2–5 % more error; fleets that grow gain 0.5 %.
 */
const MOST_OF_A_DAY = 3
/** What lasts for half of these days is no burst. Doubled, fleets that grow cost 1 % more error; intermittent use gains 0.5 %. */
const MIDDLE_DAYS = 21
/** Of the larger average, so that a silent week does not make the mean of both 0. Doubled: no difference. */
const FLOOR = 0.001

export type DailyLevel = {
  /** Of an average day. */
  readonly amount: ForecastAmount
  /** Days' worth of independent information in the fast average: 14 of a long history. */
  readonly effectiveDays: number
}

/**
 * Monday to Sunday, mean 1: what each weekday costs beside an average day, from the first `days` days. All 1 when
 * nothing was spent.
 */
export function weekdayFactors(history: DailySeries, days: number): readonly number[] {
  const weights = [0, 0, 0, 0, 0, 0, 0]
  const sums = [0, 0, 0, 0, 0, 0, 0]
  for (let day = Math.max(0, days - WEEKDAY_DAYS); day < days; day++) {
    const amount = history.amounts[day]
    if (amount === undefined) continue
    const weekday = (history.firstWeekday + day) % 7
    const weight = decayedWeight(days - 1 - day, WEEKDAY_HALF_LIFE)
    weights[weekday] = (weights[weekday] ?? 0) + weight
    sums[weekday] = (sums[weekday] ?? 0) + weight * amount
  }
  const mean = total(sums) / total(weights)
  if (!(mean > 0)) return weights.map(() => 1)
  const factors = weights.map(
    (weight, weekday) => ((sums[weekday] ?? 0) / mean + WEEKDAY_PRIOR) / (weight + WEEKDAY_PRIOR),
  )
  const level = total(factors) / 7
  return factors.map((factor) => factor / level)
}

/** The factor of a day, counted from the history's first. */
export const weekdayFactorOf = (factors: readonly number[], history: DailySeries, day: number): number =>
  factors[(history.firstWeekday + day) % 7] ?? 1

/** @param noise variance of an average day around a steady level */
export function levelAfter(
  history: DailySeries,
  days: number,
  { factors, noise }: { readonly factors: readonly number[]; readonly noise: number },
): DailyLevel {
  const slow = averageAfter(history, days, { factors, halfLife: SLOW, most: Infinity })
  const most = MOST_OF_A_DAY * Math.max(slow.amount, middleAfter(history, days, factors))
  const fast = averageAfter(history, days, { factors, halfLife: FAST, most })
  const share = fastShare(fast, slow.amount, noise)
  const floor = FLOOR * Math.max(fast.amount, slow.amount)
  if (floor === 0) return { amount: 0, effectiveDays: fast.effectiveDays }
  const amount = (fast.amount + floor) ** share * (slow.amount + floor) ** (1 - share) - floor
  return { amount, effectiveDays: fast.effectiveDays }
}

function fastShare({ amount, effectiveDays }: DailyLevel, slow: ForecastAmount, noise: number): number {
  const apart = noise > 0 ? ((amount - slow) ** 2 * effectiveDays) / noise : 0
  return FAST_SHARE + (1 - FAST_SHARE) * noiseGate(apart, GATE)
}

/** The lower middle one of the last known days, each divided by its weekday's factor; 0 when none is known. */
function middleAfter(history: DailySeries, days: number, factors: readonly number[]): ForecastAmount {
  const found: ForecastAmount[] = []
  for (let day = Math.max(0, days - MIDDLE_DAYS); day < days; day++) {
    const amount = history.amounts[day]
    if (amount !== undefined) found.push(amount / weekdayFactorOf(factors, history, day))
  }
  return found.toSorted((a, b) => a - b)[Math.floor((found.length - 1) / 2)] ?? 0
}

type Average = {
  readonly factors: readonly number[]
  readonly halfLife: number
  readonly most: ForecastAmount
}

/**
 * A ratio of sums: days without spend are harmless, days of which nothing is known are left out of both.
 *
 * @param most what counts of an average day
 */
function averageAfter(history: DailySeries, days: number, { factors, halfLife, most }: Average): DailyLevel {
  let spent = 0
  let expected = 0
  let weights = 0
  let squares = 0
  for (let day = Math.max(0, days - REACH * halfLife); day < days; day++) {
    const amount = history.amounts[day]
    if (amount === undefined) continue
    const weight = decayedWeight(days - 1 - day, halfLife)
    const factor = weekdayFactorOf(factors, history, day)
    spent += weight * Math.min(amount, most * factor)
    expected += weight * factor
    weights += weight
    squares += weight * weight
  }
  if (expected === 0) return { amount: 0, effectiveDays: 0 }
  return { amount: spent / expected, effectiveDays: (weights * weights) / squares }
}

/** What is left of a weight of 1 after `age` days. */
export const decayedWeight = (age: number, halfLife: number): number => 2 ** (-age / halfLife)

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
