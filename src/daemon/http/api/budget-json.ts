// Budgets as JSON for API and command line, in the units that people plan in.
import { budgetUnit, amountInUnit, scopeText } from '../../../model/policy/budget.ts'
import type { BudgetForecast, BudgetWithForecast, SpendForecast } from '../../../model/policy/budget.ts'
import type { MonthView } from '../../../model/output/snapshot.ts'
import { toIso } from '../../../model/time.ts'
import type { Interval } from '../../../model/units.ts'
import { inMoney, shownFields, timeField } from '../../../outputs/text/compute-fields.ts'

export type BudgetJson = ReturnType<typeof budgetJson>

export function budgetJson(view: BudgetWithForecast) {
  const { limit, forecast } = view
  const shown = view.shown ?? view
  const inUnit = (amount: number) => amountInUnit(amount, limit)
  return {
    budget: view.name,
    scope: scopeText(view.scope),
    per: view.per,
    mode: view.mode,
    // unit of all amounts below: a currency, `cu_hours` or `awake_hours`
    unit: budgetUnit(limit),
    limit: inUnit(limit.amount),
    period: periodJson(view.period),
    // start of known spend: the start of the period, or later
    counted_from: toIso(view.knownFrom),
    spent: shownFields(view.spent, view.shown, inUnit),
    share: view.share,
    shown_share: shown.share,
    remaining: inUnit(view.remaining),
    shown_remaining: inUnit(shown.remaining),
    // percentages reached in this period
    rungs: view.rungs,
    // share of the likely spend that rests on no fact
    assumed: view.assumed,
    acting: view.enforcement.kind,
    // at which it changes settings where policies allow it
    acting_rungs: view.enforcement.kind === 'acts' ? view.enforcement.rungs : [],
    max_burn: view.maxBurn,
    // 1 spends exactly the limit in one period; null until that much time has been counted
    burns: view.burns.map(({ window, burn, usual, threshold, off }) => ({
      window_seconds: window,
      burn: burn ?? null,
      // in this window of the week; null until two weeks were counted
      usual: usual ?? null,
      threshold: threshold ?? null,
      off: off ?? null,
    })),
    // null before a day is over
    forecast: budgetForecastJson(forecast, inUnit),
    // from the spend that people are shown
    shown_forecast: budgetForecastJson(shown.forecast, inUnit),
  }
}

const budgetForecastJson = (forecast: BudgetForecast | undefined, inUnit: (amount: number) => number) =>
  forecast
    ? {
        ...forecastJson(forecast, inUnit),
        probability_over: forecast.probabilityOver,
        // null when it is not expected within this period
        exhausted_at: timeField(forecast.exhaustedAt),
      }
    : null

const periodJson = ({ from, to }: Interval) => ({ from: toIso(from), to: toIso(to) })

export type ForecastJson = ReturnType<typeof forecastJson>

/** `learning`: under 60 days of history, so the error is larger and the width mostly assumed. `days`: finished ones behind it. */
const forecastJson = (
  { p10, p50, p90, learning, days }: SpendForecast,
  inUnit: (amount: number) => number,
) => ({ p10: inUnit(p10), p50: inUnit(p50), p90: inUnit(p90), learning, days })

export type MonthJson = ReturnType<typeof monthJson>

export const monthJson = ({ period, knownFrom, spent, shown, forecast }: MonthView) => ({
  period: periodJson(period),
  // start of known spend: the start of the month, or later
  counted_from: toIso(knownFrom),
  spent: shownFields(spent, shown, inMoney),
  // null before a day is over
  forecast: monthForecastJson(forecast),
  shown_forecast: monthForecastJson((shown ?? { forecast }).forecast),
})

const monthForecastJson = (forecast: SpendForecast | undefined) =>
  forecast ? forecastJson(forecast, inMoney) : null
