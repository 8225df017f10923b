// How far days lie from what the days before them let expect.
import type { DailySeries } from './history.ts'
import { weekdayFactorOf, decayedWeight } from './level.ts'

/** Days. Doubled: 0.2 % of error, 1 % of width. */
const HALF_LIFE = 30
/** Doubled, rough budgets have intervals 4 % wider and steps cost 1 % more error. */
const DAYS = 60
/** Days the level follows before its misses count: it starts from nothing. Doubled: no difference. */
const RUN_IN = 30
/** The share of a miss that moves the level: half of it in a week. At two weeks, steps cost 2 % more error. */
const LEVEL_GAIN = 1 - 2 ** (-1 / 7)
/**
 * Days as rough as they are large that are believed in beside one known day; a thirtieth beside 60. Doubled: no
 * difference after ten days.
 */
const PRIOR_DAYS = 2

/**
 * The variance of an average day around an exponentially smoothed level, after the first `days` days. A day's variance
 * grows with its weekday factor, so that sums of days add up.
 *
 * A few days cannot tell how restless a compute is: they are taken for rough until they show otherwise.
 */
export function noiseVarianceAfter(history: DailySeries, days: number, factors: readonly number[]): number {
  let level = 0
  let known = 0
  let misses = 0
  let weights = 0
  for (let day = Math.max(0, days - DAYS - RUN_IN); day < days; day++) {
    const amount = history.amounts[day]
    if (amount === undefined) continue
    const factor = weekdayFactorOf(factors, history, day)
    const miss = amount - factor * level
    if (known > 0 && day >= days - DAYS) {
      const weight = decayedWeight(days - 1 - day, HALF_LIFE)
      misses += weight * miss * miss
      weights += weight * factor
    }
    known += 1
    level += Math.max(LEVEL_GAIN, 1 / known) * miss
  }
  if (known === 0) return 0
  const prior = PRIOR_DAYS / known
  return (misses + prior * level * level) / (weights + prior)
}
