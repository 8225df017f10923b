// What the days that remain will cost, how far that may be off, and how own finished windows correct the width.
import { factorOf, levelAfter, weekdayFactors } from './level.ts'
import { noiseAfter } from './noise.ts'
import type { Amount, History } from './history.ts'

/** A part of the time that remains, within one day. */
export type Stretch = {
  /** Its length, days. */
  readonly days: number
  /** What it costs, in average days. */
  readonly weight: number
  /** The variance of that, in those of average days. */
  readonly noise: number
}

/** What remains, before correction by own finished windows. */
export type Outlook = {
  readonly remaining: Amount
  /** Added before ratios are taken, so that amounts near 0 are not far from each other. */
  readonly base: Amount
  /** How far the logarithm of `remaining + base` may be off: about a standard deviation. */
  readonly spread: number
  /** Of an average day in the last 60. */
  readonly rate: Amount
  /** Days of the history of which something is known. */
  readonly known: number
  readonly stretches: readonly Stretch[]
}

/** Days of spend, whatever the period. Doubled, intervals of computes that often sleep are 5 % narrower. */
const BASE_DAYS = 0.9
/** Days that give the rate for the base. Doubled: no difference. */
const RATE_DAYS = 60
/** Below 1, because calm days hide drift. At 1, intervals hold 1–6 % fewer periods; doubled it would be no root. */
const SPREAD_POWER = 0.86
/** Of the noise: 2 % always stay open, and e³ is as good as anything. Either doubled: no difference. */
const NOISE = { least: 0.02, most: 3 }
/**
 * Of the corrected spread. The most doubled, a compute that is hardly ever awake has a p90 of 150 times its median
 * instead of 12.
 */
const SPREAD = { least: 0.02, most: 2 }

/** The outlook after the first `days` days of `history` on the time that `ahead` gives for the weekday factors. */
export function outlookAfter(
  history: History,
  days: number,
  ahead: (factors: readonly number[]) => readonly Stretch[],
): Outlook {
  const factors = weekdayFactors(history, days)
  const noise = noiseAfter(history, days, factors)
  const level = levelAfter(history, days, { factors, noise })
  const stretches = ahead(factors)
  const weight = stretches.reduce((sum, stretch) => sum + stretch.weight, 0)
  const own = noise * stretches.reduce((sum, stretch) => sum + stretch.noise, 0)
  const { rate, known } = rateAfter(history, days)
  const remaining = level.amount * weight
  const base = BASE_DAYS * rate
  // the days' own noise, and that of the level they were taken from; 0 where no day is known
  const variance = own + (noise * weight ** 2) / Math.max(1, level.effectiveDays)
  const spread = spreadOf(remaining + base, Math.sqrt(variance))
  return { remaining, base, rate, known, spread, stretches }
}

function spreadOf(scale: Amount, noise: Amount): number {
  const relative = scale > 0 ? noise / scale : 0
  return clamp(relative, NOISE) ** SPREAD_POWER
}

function rateAfter({ amounts }: History, days: number): Pick<Outlook, 'rate' | 'known'> {
  const known = amounts.slice(0, days).filter((amount) => amount !== undefined)
  const last = amounts.slice(Math.max(0, days - RATE_DAYS), days).filter((amount) => amount !== undefined)
  const rate = last.length === 0 ? 0 : last.reduce((sum, amount) => sum + amount, 0) / last.length
  return { rate, known: known.length }
}

/** `count` whole days from `day` on. */
export const wholeDays =
  (history: History, day: number, count: number) =>
  (factors: readonly number[]): readonly Stretch[] =>
    Array.from({ length: count }, (_, ahead) => {
      const weight = factorOf(factors, history, day + ahead)
      return { days: 1, weight, noise: weight }
    })

/** What a window of one's own history turned out to be. */
export type Outcome = Pick<Outlook, 'rate' | 'known' | 'spread'> & {
  /** Days of the history before the window, and with it. */
  readonly from: number
  readonly to: number
  /**
   * How far it ended from what was expected, in spreads before any correction; -Infinity when nothing was spent at
   * all.
   */
  readonly miss: number
}

/**
 * Windows' worth of belief in the spread as it is. Doubled, intervals of steady weeks are 13 % wider; on real
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

/** The spread, corrected by how far the windows that ended by `days` were off. */
export function correctedSpread(
  { spread, rate, known }: Pick<Outlook, 'spread' | 'rate' | 'known'>,
  days: number,
  outcomes: readonly Outcome[],
): number {
  let squares = BELIEF * (ROOM + ROOM_DAYS / known)
  let weights = BELIEF
  for (const outcome of outcomes) {
    if (outcome.to > days || outcome.rate < LEAST_RATE * rate) continue
    const weight = ownWeight(outcome) * 2 ** (-(days - outcome.to) / OUTCOME_HALF_LIFE)
    squares += weight * Math.min(MOST_SQUARE, outcome.miss ** 2)
    weights += weight
  }
  return clamp(spread * Math.sqrt(squares / weights), SPREAD)
}

/** Days between the windows. Halved, twice the work for windows that overlap all the more. */
export const STRIDE = 5

/** Windows that overlap share what they tell. */
const ownWeight = ({ from, to }: Outcome): number => Math.min(1, STRIDE / (to - from))

const clamp = (value: number, { least, most }: { readonly least: number; readonly most: number }): number =>
  Math.min(most, Math.max(least, value))
