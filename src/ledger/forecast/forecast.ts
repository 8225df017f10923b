// Forecast of the spend at the end of a period, from its daily amounts.
import { ratio, type Ratio } from '../../model/units.ts'
import type { IntervalCoverage, WindowOutcome } from './correction.ts'
import { backtestWindows, correctionFromOutcomes, intervalCoverage } from './correction.ts'
import type { ForecastAmount, DailySeries, KnownChange } from './history.ts'
import { checkAmount, checkSeries, rescaleSeries } from './history.ts'
import { weekdayFactorOf } from './level.ts'
import { shareBelow, QUANTILE_SHARES, spreadsAt } from './quantiles.ts'
import { outlookAfter, type HorizonPart } from './spread.ts'

/** Known days from which on a forecast is no longer learning: two months, after which error and width change little. */
const LEARNED = 60

export type ForecastInput = Readonly<{
  /** Spend a day; for several computes their sum: quantiles cannot be added up. */
  history: DailySeries
  /** In this period so far, today included. */
  spent: ForecastAmount
  /** The part of today that is over, from 0 to below 1. */
  today: number
  /** Until the period ends, with the rest of today, in days of their real length. */
  daysLeft: number
  /** Before now or within the period; none by default. */
  changes?: readonly KnownChange[]
  /** Upper bound of the remaining spend of named computes: largest size · price · remaining hours; none by default. */
  most?: ForecastAmount
  /** `backtestWindows` of the rescaled history and `windowLength(daysLeft)`; computed when absent. */
  finished?: readonly WindowOutcome[]
}>

export type Forecast = Readonly<{
  spent: ForecastAmount
  p10: ForecastAmount
  p50: ForecastAmount
  p90: ForecastAmount
  /** Ascending; `share` of outcomes are expected to end at or below `amount`. */
  quantiles: readonly Readonly<{ share: number; amount: ForecastAmount }>[]
  /** Under 60 known days: its width is mostly assumed. */
  learning: boolean
  /** Undefined before the first finished window. */
  coverage: IntervalCoverage | undefined
  /** Input of `probabilityOverLimit` and `daysUntilExhausted`. */
  remains: RemainingSpend
}>

type RemainingSpend = Readonly<{
  /** Median of `remaining + base`. */
  middle: ForecastAmount
  base: ForecastAmount
  spread: number
  most: ForecastAmount
  /** The time until the period ends, in order. */
  stretches: readonly HorizonPart[]
}>

/**
 * @returns undefined when no finished day is known
 * @throws Error that names the place, when an amount or a time is negative, infinite or not a number
 */
export function forecastAtEnd(input: ForecastInput): Forecast | undefined {
  checkInput(input)
  const { spent, changes = [], daysLeft } = input
  const days = input.history.amounts.length
  const history = rescaleSeries(input.history, changes, days + input.today)
  const outlook = outlookAfter(history, days, (factors) => horizonParts(input, factors))
  if (outlook.knownDays === 0) return undefined
  const finished = input.finished ?? backtestWindows(history, windowLength(daysLeft))
  const { shift, spread } = correctionFromOutcomes(outlook, days, finished)
  const remains: RemainingSpend = {
    middle: (outlook.remaining + outlook.base) * Math.exp(shift),
    base: outlook.base,
    spread,
    most: daysLeft === 0 ? 0 : (input.most ?? Infinity),
    stretches: outlook.stretches,
  }
  const at = (share: number) => spent + remainingAt(remains, share)
  return {
    spent,
    p10: at(0.1),
    p50: at(0.5),
    p90: at(0.9),
    quantiles: QUANTILE_SHARES.map((share) => ({ share, amount: at(share) })),
    learning: outlook.knownDays < LEARNED,
    coverage: intervalCoverage(finished),
    remains,
  }
}

/** Length of the backtest, in whole days. */
const windowLength = (daysLeft: number) => Math.max(1, Math.round(daysLeft))

function checkInput({ history, spent, today, daysLeft, changes = [], most = 0 }: ForecastInput): void {
  checkSeries(history, changes)
  checkAmount('spent', spent)
  checkAmount('daysLeft', daysLeft)
  if (most !== Infinity) checkAmount('most', most)
  if (!(today >= 0 && today < 1)) throw new Error(`today: expected a number from 0 to below 1, got ${today}`)
}

/** Cut at midnights and at future changes. */
function horizonParts({ history, today, daysLeft, changes = [] }: ForecastInput, factors: readonly number[]) {
  const now = history.amounts.length + today
  const end = now + daysLeft
  const future = changes.filter(({ at }) => at > now)
  const count = Math.ceil(today + daysLeft)
  const midnights = Array.from({ length: count }, (_, day) => history.amounts.length + day)
  const inside = [...midnights, ...future.map(({ at }) => at)].filter((at) => at > now && at < end)
  const cuts = [now, ...new Set(inside.toSorted((a, b) => a - b)), end]
  return cuts.slice(1).map((to, index) => {
    const from = cuts[index] ?? to
    const scale = future.reduce((product, { at, factor }) => (at <= from ? product * factor : product), 1)
    const weight = (to - from) * weekdayFactorOf(factors, history, Math.floor(from))
    return { days: to - from, weight: scale * weight, noise: scale ** 2 * weight }
  })
}

function remainingAt({ middle, base, spread, most }: RemainingSpend, share: number): ForecastAmount {
  const amount = middle * Math.exp(spread * spreadsAt(share)) - base
  return Math.min(most, Math.max(0, amount))
}

/** The probability that the period ends above `limit`; 1 once it is exceeded. */
export function probabilityOverLimit({ spent, remains }: Forecast, limit: ForecastAmount): Ratio {
  checkAmount('limit', limit)
  const { middle, base, spread, most } = remains
  const remaining = limit - spent
  if (remaining < 0) return ratio(1)
  if (remaining >= most) return ratio(0)
  if (middle === 0) return ratio(1 - shareBelow(Infinity))
  return ratio(1 - shareBelow(Math.log((remaining + base) / middle) / spread))
}

/** If spend runs as expected; 0 when it is reached, undefined when not within this period. */
export function daysUntilExhausted(forecast: Forecast, limit: ForecastAmount): number | undefined {
  const { spent, p50, remains } = forecast
  checkAmount('limit', limit)
  let remaining = limit - spent
  if (remaining <= 0) return 0
  const weight = remains.stretches.reduce((sum, stretch) => sum + stretch.weight, 0)
  const perWeight = weight > 0 ? (p50 - spent) / weight : 0
  let days = 0
  for (const stretch of remains.stretches) {
    const cost = perWeight * stretch.weight
    if (cost >= remaining) return days + (stretch.days * remaining) / cost
    remaining -= cost
    days += stretch.days
  }
  return undefined
}
