// Budgets as samples, in the units of their limits.
import {
  budgetUnit,
  amountInUnit,
  RUNGS,
  scopeText,
  type BudgetWithForecast,
} from '../../../model/policy/budget.ts'
import type { AddSample } from '../exposition/samples.ts'

/** Seconds of a burn-rate window → value of its label. The longest window has no alert and no series. */
const WINDOWS: ReadonlyMap<number, string> = new Map([
  [3600, '1h'],
  [21_600, '6h'],
  [86_400, '1d'],
])

export function putBudget(budget: BudgetWithForecast, put: AddSample): void {
  const { account, name, team, tier, scope, per, mode, period, limit, spent, total } = budget
  const unit = budgetUnit(limit)
  const id = [name, team, tier]
  const inUnit = (amount: number): number => amountInUnit(amount, limit)
  put('budget_info', [...id, account, scopeText(scope), per, mode], 1)
  put('budget_limit', [...id, unit], inUnit(limit.amount))
  put('budget_spent', [...id, unit], inUnit(spent.likely))
  put('budget_spend_total', [...id, unit], inUnit(total))
  put('budget_period_seconds', id, (period.to - period.from) / 1000)
  put('budget_window_start_timestamp_seconds', id, period.from / 1000)
  put('budget_window_end_timestamp_seconds', id, period.to / 1000)
  put('budget_max_burn', id, budget.maxBurn)
  putBurns(budget, put)
  for (const rung of RUNGS) put('budget_rung', [...id, String(rung)], budget.rungs.includes(rung) ? 1 : 0)
  putForecast(budget, put)
}

/** While the expectation is still being learned it is 1, spend exactly as planned, so that no alert fires because of it. */
function putBurns({ name, team, tier, burns }: BudgetWithForecast, put: AddSample): void {
  for (const { window, usual, off } of burns) {
    const label = WINDOWS.get(window)
    if (label === undefined) continue
    put('budget_burn_tier_enabled', [name, team, tier, label], off === undefined ? 1 : 0)
    put('budget_expected_burn', [name, team, tier, label], usual ?? 1)
  }
}

function putForecast({ name, team, tier, limit, forecast }: BudgetWithForecast, put: AddSample): void {
  if (!forecast) return
  const id = [name, team, tier]
  const unit = budgetUnit(limit)
  const inUnit = (amount: number): number => amountInUnit(amount, limit)
  put('budget_forecast', [...id, unit, '10'], inUnit(forecast.p10))
  put('budget_forecast', [...id, unit, '50'], inUnit(forecast.p50))
  put('budget_forecast', [...id, unit, '90'], inUnit(forecast.p90))
  put('forecast_error_ratio', id, forecast.held?.error)
  put('forecast_coverage_ratio', id, forecast.held?.inside)
  put('budget_overrun_probability', id, forecast.probabilityOver)
  if (forecast.exhaustedAt !== undefined)
    put('budget_exhaustion_timestamp_seconds', id, forecast.exhaustedAt / 1000)
}
