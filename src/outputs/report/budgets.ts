import {
  budgetUnit,
  amountInUnit,
  scopeText,
  type BudgetWithForecast,
  type SpendForecast,
} from '../../model/policy/budget.ts'
import type { Redactable } from '../../model/output/report.ts'
import { matchesEverything } from '../../model/policy/selector.ts'
import { toIso } from '../../model/time.ts'
import { isoInterval, shownBecauseText } from '../text/amounts.ts'
import { SOME_COMPUTES } from './ownership.ts'
import type { ReportBudget } from './schema.ts'

export function reportBudget(view: BudgetWithForecast, redact: readonly Redactable[]): ReportBudget {
  const { limit, spent, shown } = view
  const isHidden = redact.includes('names') && !matchesEverything(view.scope)
  const { share, forecast } = shown ?? view
  const inUnit = (amount: number) => amountInUnit(amount, limit)
  return {
    budget: view.name,
    scope: isHidden ? SOME_COMPUTES : scopeText(view.scope),
    team: view.team || null,
    per: view.per,
    period: isoInterval(view.period),
    counted_from: toIso(view.knownFrom),
    unit: budgetUnit(limit),
    limit: inUnit(limit.amount),
    spent: inUnit((shown?.amount ?? spent).likely),
    ...(shown && { spent_because: shownBecauseText(shown) }),
    share,
    reached: [...view.rungs],
    forecast: forecast ? forecastIn(inUnit, forecast) : null,
    probability_over: forecast?.probabilityOver ?? null,
  }
}

export function forecastIn(
  convert: (amount: number) => number,
  { p10, p50, p90, learning, days }: SpendForecast,
) {
  return { p10: convert(p10), p50: convert(p50), p90: convert(p90), learning, days }
}
