import {
  budgetUnit,
  amountInUnit,
  RUNGS,
  scopeText,
  type BudgetWithForecast,
} from '../../../model/policy/budget.ts'
import { flag, inSeconds, type AddSample } from '../exposition/samples.ts'

/** Seconds of a burn-rate window → label. The longest window has no alert and no series. */
const WINDOWS: Readonly<Record<number, string>> = { 3600: '1h', 21_600: '6h', 86_400: '1d' }

export function putBudget(budget: BudgetWithForecast, put: AddSample): void {
  const { name, team, tier, period, limit, forecast } = budget
  const id = [name, team, tier]
  const idWithUnit = [...id, budgetUnit(limit)]
  const inUnit = (amount: number) => amountInUnit(amount, limit)
  put('budget_info', [...id, budget.account, scopeText(budget.scope), budget.per, budget.mode], 1)
  put('budget_limit', idWithUnit, inUnit(limit.amount))
  put('budget_spent', idWithUnit, inUnit(budget.spent.likely))
  put('budget_spend_total', idWithUnit, inUnit(budget.total))
  put('budget_period_seconds', id, (period.to - period.from) / 1000)
  put('budget_window_start_timestamp_seconds', id, inSeconds(period.from))
  put('budget_window_end_timestamp_seconds', id, inSeconds(period.to))
  put('budget_max_burn', id, budget.maxBurn)
  for (const { window, usual = 1, off } of budget.burns) {
    const label = WINDOWS[window]
    if (label === undefined) continue
    put('budget_burn_tier_enabled', [...id, label], flag(off === undefined))
    // 1 while the expectation is being learned, so that no alert fires because of it
    put('budget_expected_burn', [...id, label], usual)
  }
  for (const rung of RUNGS) put('budget_rung', [...id, String(rung)], flag(budget.rungs.includes(rung)))
  if (!forecast) return
  put('budget_forecast', [...idWithUnit, '10'], inUnit(forecast.p10))
  put('budget_forecast', [...idWithUnit, '50'], inUnit(forecast.p50))
  put('budget_forecast', [...idWithUnit, '90'], inUnit(forecast.p90))
  put('forecast_error_ratio', id, forecast.held?.error)
  put('forecast_coverage_ratio', id, forecast.held?.inside)
  put('budget_overrun_probability', id, forecast.probabilityOver)
  put('budget_exhaustion_timestamp_seconds', id, inSeconds(forecast.exhaustedAt))
}
