// Budgets as samples, in the units that people plan in.
import { budgetUnit, inUnit, RUNGS, scopeText, type ForecastBudget } from '../model/budget.ts'
import type { FamilyKey } from './catalogue.ts'

type Put = (key: FamilyKey, labels: readonly string[], value: number | undefined) => void

/** Seconds of a window → the value of its label. The longest tier never alerts. */
const WINDOWS: ReadonlyMap<number, string> = new Map([
  [3600, '1h'],
  [21_600, '6h'],
  [86_400, '1d'],
])

export function putBudget(budget: ForecastBudget, put: Put): void {
  const { account, name, scope, per, mode, period, limit, spent, total, forecast } = budget
  const unit = budgetUnit(limit)
  const shown = (amount: number): number => inUnit(amount, limit)
  put('budgetInfo', [name, account, scopeText(scope), per, mode], 1)
  put('budgetLimit', [name, unit], shown(limit.amount))
  put('budgetSpent', [name, unit], shown(spent.likely))
  put('budgetSpendTotal', [name, unit], shown(total))
  put('budgetPeriod', [name], (period.to - period.from) / 1000)
  put('budgetStart', [name], period.from / 1000)
  put('budgetEnd', [name], period.to / 1000)
  put('budgetMaxBurn', [name], budget.maxBurn)
  for (const { window, off } of budget.burns) {
    const label = WINDOWS.get(window)
    if (label !== undefined) put('budgetTierEnabled', [name, label], off === undefined ? 1 : 0)
  }
  for (const rung of RUNGS) put('budgetRung', [name, String(rung)], budget.rungs.includes(rung) ? 1 : 0)
  if (!forecast) return
  put('budgetForecast', [name, unit, '10'], shown(forecast.p10))
  put('budgetForecast', [name, unit, '50'], shown(forecast.p50))
  put('budgetForecast', [name, unit, '90'], shown(forecast.p90))
  put('budgetOverrun', [name], forecast.probabilityOver)
  if (forecast.exhaustedAt !== undefined) put('budgetExhaustion', [name], forecast.exhaustedAt / 1000)
}
