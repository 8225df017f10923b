// Corrects a forecast by its backtest, forecasts of the budget's own finished windows beside what they came to:
// its middle where windows missed to one side, its width by how far they missed.
import { type Ratio, ratio } from '../../model/units.ts'
import { noiseGate } from './level.ts'
import { spreadsAt } from './quantiles.ts'
import type { DailySeries } from './history.ts'
import { clamp, outlookAfter, wholeDays, type Outlook } from './spread.ts'

/** A finished window of the history. */
export type WindowOutcome = Pick<Outlook, 'rate' | 'knownDays' | 'spread'> &
  Readonly<{
    /** Days of the history before the window, and with it. */
    from: number
    to: number
    /** Distance of the outcome from the forecast, in spreads before any correction; -Infinity when nothing was spent. */
    miss: number
  }>

/** Correction of the logarithm of `remaining + base`. */
type Correction = Readonly<{
  /** Movement of the middle. */
  shift: number
  spread: number
}>

/** Weight of the uncorrected outlook, in windows: a larger one widens the intervals of steady weeks for nothing. */
const PRIOR_WINDOWS = 3
/** Factor of the variance without windows: a drifting level is off by more than its noise shows. */
const PRIOR_VARIANCE = 1.2
/** Known days at which the variance of a short history is doubled. It widens the intervals of the first two months. */
const SHORT_HISTORY = 20
/** Half-life of a window's weight, days. */
const OUTCOME_HALF_LIFE = 240
/** Largest square of a miss, four spreads: a budget that steps would otherwise get needlessly wide intervals. */
const MAX_SQUARE = 16
/** Smallest rate of a window that counts, as a share of the present rate: a time of almost no spend predicts nothing. */
const MIN_RATE = 0.1
/** Bounds of the spread. The upper one keeps the p90 of a compute that is hardly ever awake at 12 times its median. */
const SPREAD = { least: 0.02, most: 2 }
/** Largest miss of one window in the mean miss, in spreads: steps and bursts shall not move the middle alone. */
const MAX_MISS = 2
/** Variances of the mean miss at which half of it moves the middle. */
const DRIFT_GATE = 3

/** By the windows that ended by day `days`. */
export function correctionFromOutcomes(
  { spread, rate, knownDays }: Pick<Outlook, 'spread' | 'rate' | 'knownDays'>,
  days: number,
  outcomes: readonly WindowOutcome[],
): Correction {
  const misses = outcomes
    .filter((outcome) => outcome.to <= days && outcome.rate >= MIN_RATE * rate)
    .map((outcome) => ({
      miss: outcome.miss,
      weight: overlapWeight(outcome) * 2 ** (-(days - outcome.to) / OUTCOME_HALF_LIFE),
    }))
  let weights = PRIOR_WINDOWS
  let sum = 0
  for (const { miss, weight } of misses) {
    weights += weight
    sum += weight * clamp(miss, { least: -MAX_MISS, most: MAX_MISS })
  }
  // beyond chance: averages lag behind growing spend, so that all windows end above them
  const drift = (sum / weights) * noiseGate(sum ** 2 / weights, DRIFT_GATE)
  const squares = misses.reduce(
    (squared, { miss, weight }) => squared + weight * Math.min(MAX_SQUARE, (miss - drift) ** 2),
    PRIOR_WINDOWS * (PRIOR_VARIANCE + SHORT_HISTORY / knownDays),
  )
  return { shift: spread * drift, spread: clamp(spread * Math.sqrt(squares / weights), SPREAD) }
}

/** Days between the starts of windows: closer ones overlap more and cost work. */
const WINDOW_STRIDE = 5

/** Overlapping windows share their weight. */
const overlapWeight = ({ from, to }: WindowOutcome) => Math.min(1, WINDOW_STRIDE / (to - from))

export type IntervalCoverage = Readonly<{
  windows: number
  /** Share of outcomes inside p10–p90: 0.8 when the intervals have the right width. */
  inside: Ratio
  /** Mean error of the middle, as a share of spend and base; at most 1 for one window. */
  error: Ratio
}>

/** @returns undefined when no window has finished */
export function intervalCoverage(outcomes: readonly WindowOutcome[]): IntervalCoverage | undefined {
  if (outcomes.length === 0) return undefined
  let [inside, errors] = [0, 0]
  for (const outcome of outcomes) {
    const { shift, spread } = correctionFromOutcomes(outcome, outcome.from, outcomes)
    const miss = outcome.miss * outcome.spread - shift
    inside += miss >= spread * spreadsAt(0.1) && miss <= spread * spreadsAt(0.9) ? 1 : 0
    errors += Math.min(1, Math.abs(1 - Math.exp(-miss)))
  }
  const windows = outcomes.length
  return { windows, inside: ratio(inside / windows), error: ratio(errors / windows) }
}

/** Days before the first window: with fewer, a backtest measures only how hard a start is. */
const FIRST_WINDOW = 30
/** Days of windows, two years: older windows weigh an eighth and would only cost work. */
const MAX_BACKTEST_DAYS = 730

/** On fixed days of the last two years, oldest first, without unknown days; those of `earlier` are reused. */
export function backtestWindows(
  history: DailySeries,
  length: number,
  earlier: readonly WindowOutcome[] = [],
): readonly WindowOutcome[] {
  const days = history.amounts.length
  const oldest = Math.max(FIRST_WINDOW, days - MAX_BACKTEST_DAYS)
  const begin = Math.max(
    WINDOW_STRIDE * Math.ceil(oldest / WINDOW_STRIDE),
    (earlier.at(-1)?.from ?? 0) + WINDOW_STRIDE,
  )
  const outcomes = earlier.filter(({ from }) => from >= oldest)
  for (let from = begin; from + length <= days; from += WINDOW_STRIDE) {
    const outcome = outcomeOf(history, from, length)
    if (outcome) outcomes.push(outcome)
  }
  return outcomes
}

function outcomeOf(history: DailySeries, from: number, length: number): WindowOutcome | undefined {
  const to = from + length
  let spent = 0
  for (const amount of history.amounts.slice(from, to)) {
    if (amount === undefined) return undefined
    spent += amount
  }
  const horizon = wholeDays(history, from, length)
  const { remaining, base, spread, rate, knownDays } = outlookAfter(history, from, horizon)
  if (knownDays === 0 || remaining + base === 0) return undefined
  return { from, to, rate, knownDays, spread, miss: Math.log((spent + base) / (remaining + base)) / spread }
}
