// What the days that remain will cost, and how far that may be off.
import { weekdayFactorOf, levelAfter, weekdayFactors } from './level.ts'
import { noiseVarianceAfter } from './noise.ts'
import type { ForecastAmount, DailySeries } from './history.ts'

/** A part of the time that remains, within one day. */
export type HorizonPart = {
  /** Its length, days. */
  readonly days: number
  /** What it costs, in average days. */
  readonly weight: number
  /** The variance of that, in those of average days. */
  readonly noise: number
}

/** What remains, before correction by own finished windows. */
export type Outlook = {
  readonly remaining: ForecastAmount
  /** Added before ratios are taken, so that amounts near 0 are not far from each other. */
  readonly base: ForecastAmount
  /** How far the logarithm of `remaining + base` may be off: about a standard deviation. */
  readonly spread: number
  /** Of an average day in the last 60. */
  readonly rate: ForecastAmount
  /** Days of the history of which something is known. */
  readonly known: number
  readonly stretches: readonly HorizonPart[]
}

/** Days of spend, whatever the period. Doubled, intervals of computes that often sleep are 5 % narrower. */
const BASE_DAYS = 0.9
/** Days that give the rate for the base. Doubled: no difference. */
const RATE_DAYS = 60
/** Below 1, because calm days hide drift. At 1, intervals hold 1–6 % fewer periods; doubled it would be no root. */
const SPREAD_POWER = 0.86
/** Of the noise: 2 % always stay open, and e³ is as good as anything. Either doubled: no difference. */
const NOISE = { least: 0.02, most: 3 }
/** The outlook after the first `days` days of `history` on the time that `ahead` gives for the weekday factors. */
export function outlookAfter(
  history: DailySeries,
  days: number,
  ahead: (factors: readonly number[]) => readonly HorizonPart[],
): Outlook {
  const factors = weekdayFactors(history, days)
  const noise = noiseVarianceAfter(history, days, factors)
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

function spreadOf(scale: ForecastAmount, noise: ForecastAmount): number {
  const relative = scale > 0 ? noise / scale : 0
  return clamp(relative, NOISE) ** SPREAD_POWER
}

function rateAfter({ amounts }: DailySeries, days: number): Pick<Outlook, 'rate' | 'known'> {
  const known = amounts.slice(0, days).filter((amount) => amount !== undefined)
  const last = amounts.slice(Math.max(0, days - RATE_DAYS), days).filter((amount) => amount !== undefined)
  const rate = last.length === 0 ? 0 : last.reduce((sum, amount) => sum + amount, 0) / last.length
  return { rate, known: known.length }
}

/** `count` whole days from `day` on. */
export const wholeDays =
  (history: DailySeries, day: number, count: number) =>
  (factors: readonly number[]): readonly HorizonPart[] =>
    Array.from({ length: count }, (_, ahead) => {
      const weight = weekdayFactorOf(factors, history, day + ahead)
      return { days: 1, weight, noise: weight }
    })

export const clamp = (
  value: number,
  { least, most }: { readonly least: number; readonly most: number },
): number => Math.min(most, Math.max(least, value))
