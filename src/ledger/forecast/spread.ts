// Outlook: cost of the remaining days, and how far it may be off, before correction.
import { decayedWeight, levelAfter, weekdayFactorOf, weekdayFactors } from './level.ts'
import type { ForecastAmount, DailySeries } from './history.ts'

/** Part of the remaining time, within one day. */
export type HorizonPart = Readonly<{
  /** Length in days. */
  days: number
  /** Cost in average days. */
  weight: number
  /** Variance of the cost, in variances of average days. */
  noise: number
}>

/** Before correction by the backtest. */
export type Outlook = Readonly<{
  remaining: ForecastAmount
  /** Added before ratios are taken: amounts near 0 are then not far from each other. */
  base: ForecastAmount
  /** How far the logarithm of `remaining + base` may be off: about a standard deviation. */
  spread: number
  /** Mean amount of the last 60 days. */
  rate: ForecastAmount
  knownDays: number
  stretches: readonly HorizonPart[]
}>

/** Days of spend in the base, whatever the period. */
const BASE_DAYS = 0.9
/** Days of the rate. */
const RATE_DAYS = 60
/** Exponent of the relative noise, below 1 because calm days hide drift: at 1, intervals hold 1–6 % fewer periods. */
const SPREAD_POWER = 0.86
/** Bounds of the relative noise: at least 2 % stays open, and above e³ an interval says nothing. */
const NOISE = { least: 0.02, most: 3 }

/** After the first `days` days, over the parts that `horizonOf` gives for the weekday factors. */
export function outlookAfter(
  history: DailySeries,
  days: number,
  horizonOf: (factors: readonly number[]) => readonly HorizonPart[],
): Outlook {
  const factors = weekdayFactors(history, days)
  const noise = noiseVarianceAfter(history, days, factors)
  const level = levelAfter(history, days, { factors, noise })
  const stretches = horizonOf(factors)
  const weight = stretches.reduce((sum, stretch) => sum + stretch.weight, 0)
  const dayVariance = noise * stretches.reduce((sum, stretch) => sum + stretch.noise, 0)
  const { rate, knownDays } = rateAfter(history, days)
  const remaining = level.amount * weight
  const base = BASE_DAYS * rate
  // noise of the days, and noise of the level; 0 where no day is known
  const variance = dayVariance + (noise * weight ** 2) / Math.max(1, level.effectiveDays)
  const relative = remaining + base > 0 ? Math.sqrt(variance) / (remaining + base) : 0
  const spread = clamp(relative, NOISE) ** SPREAD_POWER
  return { remaining, base, rate, knownDays, spread, stretches }
}

function rateAfter({ amounts }: DailySeries, days: number): Pick<Outlook, 'rate' | 'knownDays'> {
  const knownIn = (from: number) => amounts.slice(from, days).filter((amount) => amount !== undefined)
  const last = knownIn(Math.max(0, days - RATE_DAYS))
  const rate = last.length === 0 ? 0 : last.reduce((sum, amount) => sum + amount, 0) / last.length
  return { rate, knownDays: knownIn(0).length }
}

/** `count` whole days from `day` on. */
export const wholeDays =
  (history: DailySeries, day: number, count: number) =>
  (factors: readonly number[]): readonly HorizonPart[] =>
    Array.from({ length: count }, (_, index) => {
      const weight = weekdayFactorOf(factors, history, day + index)
      return { days: 1, weight, noise: weight }
    })

type Limits = Readonly<{ least: number; most: number }>

export const clamp = (value: number, { least, most }: Limits): number =>
  Math.min(most, Math.max(least, value))

/** Half-life of a day's weight, days. */
const NOISE_HALF_LIFE = 30
/** Days whose misses count. */
const NOISE_DAYS = 60
/** Days that the level follows before its misses count: it starts from nothing. */
const RUN_IN = 30
/** Share of a miss that moves the level: half of it in a week. */
const LEVEL_GAIN = 1 - 2 ** (-1 / 7)
/** Weight in days of the prior, whose deviation equals the level: a thirtieth beside 60 known days. */
const PRIOR_DAYS = 2

/**
 * Variance of an average day around an exponentially smoothed level. A day's variance grows with its weekday factor, so that sums
 * of days add up. A short history counts as rough: a few days cannot show how steady a compute is.
 */
export function noiseVarianceAfter(history: DailySeries, days: number, factors: readonly number[]): number {
  let level = 0
  let knownDays = 0
  let misses = 0
  let weights = 0
  for (let day = Math.max(0, days - NOISE_DAYS - RUN_IN); day < days; day++) {
    const amount = history.amounts[day]
    if (amount === undefined) continue
    const factor = weekdayFactorOf(factors, history, day)
    const miss = amount - factor * level
    if (knownDays > 0 && day >= days - NOISE_DAYS) {
      const weight = decayedWeight(days - 1 - day, NOISE_HALF_LIFE)
      misses += weight * miss * miss
      weights += weight * factor
    }
    knownDays += 1
    level += Math.max(LEVEL_GAIN, 1 / knownDays) * miss
  }
  if (knownDays === 0) return 0
  const prior = PRIOR_DAYS / knownDays
  return (misses + prior * level * level) / (weights + prior)
}
