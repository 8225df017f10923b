// The budgets of a report, in the units of their limits.
import { budgetUnit, amountInUnit, scopeText, type BudgetWithForecast } from '../../model/policy/budget.ts'
import { toIso } from '../../model/time.ts'
import { isoInterval } from '../text/dates.ts'
import type { ReportInput } from './input.ts'
import type { Report } from './schema.ts'

/** In the report of one team, only its budgets; null without a running daemon. */
export function reportBudgets({ planned, plan }: Pick<ReportInput, 'planned' | 'plan'>): Report['budgets'] {
  if (!planned) return null
  return planned.budgets
    .filter(({ team }) => plan.onlyTeam === undefined || team === plan.onlyTeam)
    .map(reportBudget)
}

function reportBudget(view: BudgetWithForecast): NonNullable<Report['budgets']>[number] {
  const { limit, forecast } = view
  const inUnit = (amount: number): number => amountInUnit(amount, limit)
  return {
    budget: view.name,
    scope: scopeText(view.scope),
    team: view.team || null,
    per: view.per,
    period: isoInterval(view.period),
    counted_from: toIso(view.knownFrom),
    unit: budgetUnit(limit),
    limit: inUnit(limit.amount),
    spent: inUnit(view.spent.likely),
    share: view.share,
    reached: [...view.rungs],
    forecast: forecast
      ? {
          p10: inUnit(forecast.p10),
          p50: inUnit(forecast.p50),
          p90: inUnit(forecast.p90),
          learning: forecast.learning,
          days: forecast.days,
        }
      : null,
    probability_over: forecast?.probabilityOver ?? null,
  }
}
