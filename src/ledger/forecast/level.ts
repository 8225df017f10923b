// Cost of an average day now: weekday factors, and a slow and a fast average that a gate weighs by the noise. The constants
// balance steady weeks, steps, trends, bursts and growing fleets.
import type { ForecastAmount, DailySeries } from './history.ts'

/** Half-life of a day's weight in the weekday factors, days. */
const WEEKDAY_HALF_LIFE = 84
/** Days of the weekday factors, 52 weeks: a second year would weigh 5 %. */
const WEEKDAY_DAYS = 364
/** Average weeks added to the observed ones, so that a short history gives no extreme factors. */
const WEEKDAY_PRIOR = 2

/** Half-life of the fast average, days: it follows steps and trends. */
const FAST = 5
/** Half-life of the slow average, days: it steadies single computes. */
const SLOW = 45
/** Half-lives that an average reaches back; older days would weigh 1.6 %. */
const REACH = 6

/** Share of the fast average where both agree: a compromise of steady weeks and trends. */
const FAST_SHARE = 0.4
/** Variances between the averages at which half of the slow share moves to the fast average. */
const GATE = 8
/** Cap of a day in the fast average, in multiples of the larger of slow average and recent median: bursts count in part. */
const DAY_CAP = 3
/** Days of the recent median: spend that lasts for half of them is no burst. */
const MEDIAN_DAYS = 21
/** Share of the larger average added to both, so that a week without spend does not make their geometric mean 0. */
const FLOOR = 0.001

type DailyLevel = Readonly<{
  /** Amount of an average day. */
  amount: ForecastAmount
  /** Days' worth of independent information in the fast average: 14 of a long history. */
  effectiveDays: number
}>

/** Monday to Sunday, relative to an average day, from the first `days` days. All 1 when nothing was spent. */
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

export const weekdayFactorOf = (factors: readonly number[], history: DailySeries, day: number): number =>
  factors[(history.firstWeekday + day) % 7] ?? 1

/** @param noise variance of an average day around a steady level */
export function levelAfter(
  history: DailySeries,
  days: number,
  { factors, noise }: { factors: readonly number[]; noise: number },
): DailyLevel {
  const slow = averageAfter(history, days, { factors, halfLife: SLOW, most: Infinity })
  const most = DAY_CAP * Math.max(slow.amount, recentMedian(history, days, factors))
  const fast = averageAfter(history, days, { factors, halfLife: FAST, most })
  const share = fastShare(fast, slow.amount, noise)
  const floor = FLOOR * Math.max(fast.amount, slow.amount)
  if (floor === 0) return { amount: 0, effectiveDays: fast.effectiveDays }
  const amount = (fast.amount + floor) ** share * (slow.amount + floor) ** (1 - share) - floor
  return { amount, effectiveDays: fast.effectiveDays }
}

function fastShare({ amount, effectiveDays }: DailyLevel, slow: ForecastAmount, noise: number): number {
  const variances = noise > 0 ? ((amount - slow) ** 2 * effectiveDays) / noise : 0
  return FAST_SHARE + (1 - FAST_SHARE) * noiseGate(variances, GATE)
}

/** Lower median, each day divided by its weekday's factor; 0 when none is known. */
function recentMedian(history: DailySeries, days: number, factors: readonly number[]): ForecastAmount {
  const amounts: ForecastAmount[] = []
  for (let day = Math.max(0, days - MEDIAN_DAYS); day < days; day++) {
    const amount = history.amounts[day]
    if (amount !== undefined) amounts.push(amount / weekdayFactorOf(factors, history, day))
  }
  return amounts.toSorted((a, b) => a - b)[Math.floor((amounts.length - 1) / 2)] ?? 0
}

type Average = Readonly<{ factors: readonly number[]; halfLife: number; most: ForecastAmount }>

/** An average day costs at most `most`. */
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

/** Weight of 1 after `age` days. */
export const decayedWeight = (age: number, halfLife: number): number => 2 ** (-age / halfLife)

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

/** Weight of a difference, by its square in variances of its noise: a half at `gate`, steep, so that noise moves nothing. */
export const noiseGate = (variances: number, gate: number): number => 1 - 1 / (1 + (variances / gate) ** 2)
