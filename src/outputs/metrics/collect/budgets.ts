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
  put('budgetInfo', [...id, account, scopeText(scope), per, mode], 1)
  put('budgetLimit', [...id, unit], inUnit(limit.amount))
  put('budgetSpent', [...id, unit], inUnit(spent.likely))
  put('budgetSpendTotal', [...id, unit], inUnit(total))
  put('budgetPeriod', id, (period.to - period.from) / 1000)
  put('budgetStart', id, period.from / 1000)
  put('budgetEnd', id, period.to / 1000)
  put('budgetMaxBurn', id, budget.maxBurn)
  putBurns(budget, put)
  for (const rung of RUNGS) put('budgetRung', [...id, String(rung)], budget.rungs.includes(rung) ? 1 : 0)
  putForecast(budget, put)
}

/** While the expectation is still being learned it is 1, spend exactly as planned, so that no alert fires because of it. */
function putBurns({ name, team, tier, burns }: BudgetWithForecast, put: AddSample): void {
  for (const { window, usual, off } of burns) {
    const label = WINDOWS.get(window)
    if (label === undefined) continue
    put('budgetTierEnabled', [name, team, tier, label], off === undefined ? 1 : 0)
    put('budgetExpectedBurn', [name, team, tier, label], usual ?? 1)
  }
}

function putForecast({ name, team, tier, limit, forecast }: BudgetWithForecast, put: AddSample): void {
  if (!forecast) return
  const id = [name, team, tier]
  const unit = budgetUnit(limit)
  const inUnit = (amount: number): number => amountInUnit(amount, limit)
  put('budgetForecast', [...id, unit, '10'], inUnit(forecast.p10))
  put('budgetForecast', [...id, unit, '50'], inUnit(forecast.p50))
  put('budgetForecast', [...id, unit, '90'], inUnit(forecast.p90))
  put('forecastError', id, forecast.held?.error)
  put('forecastCoverage', id, forecast.held?.inside)
  put('budgetOverrun', id, forecast.probabilityOver)
  if (forecast.exhaustedAt !== undefined) put('budgetExhaustion', id, forecast.exhaustedAt / 1000)
}
