// The budgets of a report, in the units that people plan them in.
import {
  budgetUnit,
  amountInUnit,
  scopeText,
  type BudgetWithForecast,
  type SpendForecast,
} from '../../model/policy/budget.ts'
import { toIso } from '../../model/time.ts'
import { isoInterval } from '../text/dates.ts'
import type { ReportInput } from './input.ts'
import type { Report } from './schema.ts'

/** Those of the only team, where there is one. */
export function reportBudgets({ planned, plan }: Pick<ReportInput, 'planned' | 'plan'>): Report['budgets'] {
  if (!planned) return null
  const told = planned.budgets.filter(({ team }) => plan.onlyTeam === undefined || team === plan.onlyTeam)
  return told.map(budgetOf)
}

function budgetOf(view: BudgetWithForecast): NonNullable<Report['budgets']>[number] {
  const { limit, forecast } = view
  const shown = (amount: number): number => amountInUnit(amount, limit)
  return {
    budget: view.name,
    scope: scopeText(view.scope),
    team: view.team || null,
    per: view.per,
    period: isoInterval(view.period),
    counted_from: toIso(view.knownFrom),
    unit: budgetUnit(limit),
    limit: shown(limit.amount),
    spent: shown(view.spent.likely),
    share: view.share,
    reached: [...view.rungs],
    forecast: forecast ? inShownUnit(forecast, shown) : null,
    probability_over: forecast?.probabilityOver ?? null,
  }
}

const inShownUnit = (
  { p10, p50, p90, learning, days }: SpendForecast,
  shown: (amount: number) => number,
): { p10: number; p50: number; p90: number; learning: boolean; days: number } => ({
  p10: shown(p10),
  p50: shown(p50),
  p90: shown(p90),
  learning,
  days,
})
