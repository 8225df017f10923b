// Noise of the daily amounts: how far days lie from a level that follows the days before them.
import type { DailySeries } from './history.ts'
import { weekdayFactorOf, decayedWeight } from './level.ts'

/** Half-life of a day's weight, days. */
const HALF_LIFE = 30
/** Days whose misses count. */
const DAYS = 60
/** Days that the level follows before its misses count: it starts from nothing. */
const RUN_IN = 30
/** Share of a miss that moves the level: half of it in a week. */
const LEVEL_GAIN = 1 - 2 ** (-1 / 7)
/** Weight in days of the prior, whose deviation equals the level: a thirtieth beside 60 known days. */
const PRIOR_DAYS = 2

/**
 * The variance of an average day around an exponentially smoothed level, after the first `days` days. A day's variance
 * grows with its weekday factor, so that sums of days add up.
 * A short history counts as rough, because a few days cannot show how steady a compute is.
 */
export function noiseVarianceAfter(history: DailySeries, days: number, factors: readonly number[]): number {
  let level = 0
  let knownDays = 0
  let misses = 0
  let weights = 0
  for (let day = Math.max(0, days - DAYS - RUN_IN); day < days; day++) {
    const amount = history.amounts[day]
    if (amount === undefined) continue
    const factor = weekdayFactorOf(factors, history, day)
    const miss = amount - factor * level
    if (knownDays > 0 && day >= days - DAYS) {
      const weight = decayedWeight(days - 1 - day, HALF_LIFE)
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
