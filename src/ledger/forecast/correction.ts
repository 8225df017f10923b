// How own finished windows correct a forecast: its middle where they missed to one side, its width by how far they missed.
import { type Ratio, ratio } from '../../model/units.ts'
import { noiseGate } from './gate.ts'
import { spreadsAt } from './quantiles.ts'
import { clamp, type Outlook } from './spread.ts'

/** What a window of one's own history turned out to be. */
export type WindowOutcome = Pick<Outlook, 'rate' | 'known' | 'spread'> & {
  /** Days of the history before the window, and with it. */
  readonly from: number
  readonly to: number
  /**
   * How far it ended from what was expected, in spreads before any correction; -Infinity when nothing was spent at
   * all.
   */
  readonly miss: number
}

/** Both of the logarithm of what remains and its base. */
export type Correction = {
  /** What the middle moves by. */
  readonly shift: number
  readonly spread: number
}

/**
 * Windows' worth of belief in the outlook as it is. Doubled, intervals of steady weeks are 13 % wider; on real
 * computes they hold within 1 % as many.
 */
const BELIEF = 3
/**
 * Times the variance, where there are no windows: a level that drifts is off by more than its noise tells. Doubled,
 * intervals are 7–10 % wider and hold 3–4 % more.
 */
const ROOM = 1.2
/**
 * Known days that leave room for as much again as the variance they show. Doubled, intervals of the first two months
 * are 17 % wider and hold 5 % more; later there is no difference.
 */
const ROOM_DAYS = 20
/** Days. Doubled: 0.5 % of coverage. */
const OUTCOME_HALF_LIFE = 240
/** Misses count at most as four spreads. Doubled, budgets that step have intervals 7 % wider. */
const MOST_SQUARE = 16
/** Of the present rate: windows from a time when almost nothing was spent say nothing. Doubled: 0.5 % of coverage. */
const LEAST_RATE = 0.1
/** Of the corrected spread. The most doubled, a compute that is hardly ever awake has a p90 of 150 times its median instead of 12. */
const SPREAD = { least: 0.02, most: 2 }
/** Spreads that one window counts in the mean miss. Doubled, budgets that step or burst cost 1 % more error. */
const MOST_MISS = 2
/** Variances of the mean miss at which half of it moves the middle. Doubled, trends cost 4 % more error. */
const DRIFT_GATE = 3

/** By the windows that ended by `days`. */
export function correctionFromOutcomes(
  { spread, rate, known }: Pick<Outlook, 'spread' | 'rate' | 'known'>,
  days: number,
  outcomes: readonly WindowOutcome[],
): Correction {
  const misses = outcomes
    .filter((outcome) => outcome.to <= days && outcome.rate >= LEAST_RATE * rate)
    .map((outcome) => ({
      miss: outcome.miss,
      weight: ownWeight(outcome) * 2 ** (-(days - outcome.to) / OUTCOME_HALF_LIFE),
    }))
  let weights = BELIEF
  let sum = 0
  for (const { miss, weight } of misses) {
    weights += weight
    sum += weight * clamp(miss, { least: -MOST_MISS, most: MOST_MISS })
  }
  // the mean miss as far as it is more than chance: averages lag behind what grows, and all its windows end above
  const drift = (sum / weights) * noiseGate(sum ** 2 / weights, DRIFT_GATE)
  const squares = misses.reduce(
    (squared, { miss, weight }) => squared + weight * Math.min(MOST_SQUARE, (miss - drift) ** 2),
    BELIEF * (ROOM + ROOM_DAYS / known),
  )
  return { shift: spread * drift, spread: clamp(spread * Math.sqrt(squares / weights), SPREAD) }
}

/** Days between the windows. Halved, twice the work for windows that overlap all the more. */
export const WINDOW_STRIDE = 5

/** Windows that overlap share what they tell. */
const ownWeight = ({ from, to }: WindowOutcome): number => Math.min(1, WINDOW_STRIDE / (to - from))

/** How forecasts of own finished windows held. */
export type IntervalCoverage = {
  readonly windows: number
  /** How often the interval from p10 to p90 held: 0.8 when the intervals are as wide as they should be. */
  readonly inside: Ratio
  /** How far the middle was off on average, as a share of what was spent then and its base; at most 1 of one window. */
  readonly error: Ratio
}

/** @returns undefined when no window has finished */
export function intervalCoverage(outcomes: readonly WindowOutcome[]): IntervalCoverage | undefined {
  if (outcomes.length === 0) return undefined
  let [inside, errors] = [0, 0]
  for (const outcome of outcomes) {
    const { shift, spread } = correctionFromOutcomes(outcome, outcome.from, outcomes)
    const away = outcome.miss * outcome.spread - shift
    inside += away >= spread * spreadsAt(0.1) && away <= spread * spreadsAt(0.9) ? 1 : 0
    errors += Math.min(1, Math.abs(1 - Math.exp(-away)))
  }
  const windows = outcomes.length
  return { windows, inside: ratio(inside / windows), error: ratio(errors / windows) }
}
