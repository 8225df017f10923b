// Budgets as JSON for the API and the command line, in the units that people plan in.
import {
  budgetUnit,
  amountInUnit,
  scopeText,
  type BudgetWithForecast,
  type SpendForecast,
} from '../../../model/policy/budget.ts'
import type { MonthView } from '../../../model/output/snapshot.ts'
import { toIso } from '../../../model/time.ts'

type Range = { readonly low: number; readonly likely: number; readonly high: number }

export type ForecastJson = {
  readonly p10: number
  readonly p50: number
  readonly p90: number
  /** Fewer than 60 days of history: the error is larger and the width mostly assumed. */
  readonly learning: boolean
  /** Finished days that the forecast was made from. */
  readonly days: number
}

export type BudgetJson = {
  readonly budget: string
  readonly scope: string
  readonly per: string
  readonly mode: string
  /** Unit of all amounts below: a currency, `cu_hours` or `awake_hours`. */
  readonly unit: string
  readonly limit: number
  readonly period: { readonly from: string; readonly to: string }
  /** Start of known spend: the start of the period, or later. */
  readonly counted_from: string
  readonly spent: Range
  readonly share: number
  readonly remaining: number
  /** Percentages reached in this period. */
  readonly rungs: readonly number[]
  /** Share of the likely spend that rests on no fact. */
  readonly assumed: number
  readonly acting: string
  readonly max_burn: number
  /** 1 spends exactly the limit in one period; null until that much time has been counted. */
  readonly burns: readonly {
    readonly window_seconds: number
    readonly burn: number | null
    /** Usual burn in this window of the week; null until two weeks were counted. */
    readonly usual: number | null
    readonly threshold: number | null
    readonly off: string | null
  }[]
  /** Null before a day is over. */
  readonly forecast:
    | (ForecastJson & {
        readonly probability_over: number
        /** Null when it is not expected within this period. */
        readonly exhausted_at: string | null
      })
    | null
}

export function budgetJson(view: BudgetWithForecast): BudgetJson {
  const { limit, spent, period, forecast } = view
  const inUnit = (amount: number): number => amountInUnit(amount, limit)
  return {
    budget: view.name,
    scope: scopeText(view.scope),
    per: view.per,
    mode: view.mode,
    unit: budgetUnit(limit),
    limit: inUnit(limit.amount),
    period: { from: toIso(period.from), to: toIso(period.to) },
    counted_from: toIso(view.knownFrom),
    spent: { low: inUnit(spent.low), likely: inUnit(spent.likely), high: inUnit(spent.high) },
    share: view.share,
    remaining: inUnit(view.remaining),
    rungs: view.rungs,
    assumed: view.assumed,
    acting: view.enforcement.kind,
    max_burn: view.maxBurn,
    burns: view.burns.map(({ window, burn, usual, threshold, off }) => ({
      window_seconds: window,
      burn: burn ?? null,
      usual: usual ?? null,
      threshold: threshold ?? null,
      off: off ?? null,
    })),
    forecast: forecast
      ? {
          ...forecastStatus(forecast, inUnit),
          probability_over: forecast.probabilityOver,
          exhausted_at: forecast.exhaustedAt === undefined ? null : toIso(forecast.exhaustedAt),
        }
      : null,
  }
}

const forecastStatus = (
  { p10, p50, p90, learning, days }: SpendForecast,
  inUnit: (amount: number) => number,
): ForecastJson => ({ p10: inUnit(p10), p50: inUnit(p50), p90: inUnit(p90), learning, days })

export type MonthJson = {
  readonly period: { readonly from: string; readonly to: string }
  /** Start of known spend: the start of the month, or later. */
  readonly counted_from: string
  readonly spent: Range
  /** Null before a day is over. */
  readonly forecast: ForecastJson | null
}

export function monthJson({ period, knownFrom, spent, forecast }: MonthView): MonthJson {
  return {
    period: { from: toIso(period.from), to: toIso(period.to) },
    counted_from: toIso(knownFrom),
    spent: { low: inMoney(spent.low), likely: inMoney(spent.likely), high: inMoney(spent.high) },
    forecast: forecast ? forecastStatus(forecast, inMoney) : null,
  }
}

const inMoney = (amount: number): number => amount / 1_000_000
