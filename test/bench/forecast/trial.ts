// Forecasts made on days of the past, beside what the period came to.
import { backtestWindows } from '../../../src/ledger/forecast/correction.ts'
import { forecastAtEnd, probabilityOverLimit } from '../../../src/ledger/forecast/forecast.ts'
import { rescaleSeries } from '../../../src/ledger/forecast/history.ts'
import { recipe } from './recipe.ts'
import type { Series } from './series.ts'

export const PERIOD = 30
/** Days between the starts of two periods: they overlap, so that no start of the month is special. */
const STRIDE = 5
/** Periods in which less than a tenth of the series' mean was spent are left out: a percentage of nothing says nothing. */
const LEAST_SHARE = 0.1
/** Limits asked about, beside 30 days at the rate of the 60 before the period. */
const LIMITS = [0.8, 1, 1.25]

/** One forecast of one period. */
export type Trial = {
  /** Which series of its set, and on which day of it the period began. */
  readonly series: number
  readonly start: number
  /** Days of the period that were over. */
  readonly day: number
  /** Absolute error of p50 and of the run-rate, as a share of the period's total. */
  readonly error: number
  readonly runRateError: number
  /** Of one who knows how the days are made; NaN where nobody does. */
  readonly oracleError: number
  readonly inside: boolean
  /** p10 to p90, as a share of the total. */
  readonly width: number
  readonly odds: readonly { readonly over: number; readonly was: boolean }[]
}

/** What is judged of a forecast. */
export type Told = {
  readonly p10: number
  readonly p50: number
  readonly p90: number
  /** The probability that the period ends above `limit`. */
  readonly over: (limit: number) => number
}

/** Asked after more and more days. */
export type Forecaster = (days: number, spent: number) => Told | undefined

export type TrialOptions = {
  readonly day: number
  /** The days of history before the period. */
  readonly starts: { readonly from: number; readonly below: number }
}

export function trialsOf(set: readonly Series[], options: TrialOptions): readonly Trial[] {
  return set.flatMap((series, index) =>
    trialsOn(series, options).map((trial) => ({ series: index, ...trial })),
  )
}

function trialsOn(series: Series, { day, starts }: TrialOptions): readonly Omit<Trial, 'series'>[] {
  const forecastAfter = process.env['RECIPE'] ? recipe(series, PERIOD - day) : own(series, PERIOD - day)
  const last = Math.min(starts.below - 1, series.amounts.length - PERIOD)
  const least = LEAST_SHARE * PERIOD * mean(series.amounts)
  const trials: Omit<Trial, 'series'>[] = []
  for (let start = starts.from; start <= last; start += STRIDE) {
    const total = sum(series.amounts.slice(start, start + PERIOD))
    if (total < least) continue
    const spent = sum(series.amounts.slice(start, start + day))
    const before =
      sum(series.amounts.slice(Math.max(0, start - 60), start)) / Math.min(60, Math.max(1, start))
    const told = forecastAfter(start + day, spent)
    const oracle = spent + (series.expected?.(start + day, PERIOD - day) ?? NaN)
    if (told)
      trials.push({
        start,
        day,
        runRateError: Math.abs((spent * PERIOD) / day - total) / total,
        oracleError: Math.abs(oracle - total) / total,
        ...judged(told, total, PERIOD * before),
      })
  }
  return trials
}

/** Dormouse's, each with the windows that had finished by then. */
function own(series: Series, daysLeft: number): Forecaster {
  let finished: ReturnType<typeof backtestWindows> = []
  let madeBefore = 0
  return (days, spent) => {
    const history = { amounts: series.amounts.slice(0, days), firstWeekday: 0 }
    const changes = series.changes.filter(({ at }) => at <= days)
    const same = changes.length === madeBefore
    madeBefore = changes.length
    finished = backtestWindows(rescaleSeries(history, changes), daysLeft, same ? finished : [])
    const forecast = forecastAtEnd({ history, spent, today: 0, daysLeft, changes, finished })
    return forecast && { ...forecast, over: (limit) => probabilityOverLimit(forecast, limit) }
  }
}

function judged(
  { p10, p50, p90, over }: Told,
  total: number,
  usual: number,
): Pick<Trial, 'error' | 'inside' | 'width' | 'odds'> {
  // the sum of the days comes out a rounding away from the sum of its two parts
  const slack = 1e-9 * total
  return {
    error: Math.abs(p50 - total) / total,
    inside: total >= p10 - slack && total <= p90 + slack,
    width: (p90 - p10) / total,
    odds: LIMITS.map((share) => share * usual).map((limit) => ({ over: over(limit), was: total > limit })),
  }
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

export const mean = (values: readonly number[]): number => sum(values) / values.length
