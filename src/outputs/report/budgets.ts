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
import type { Instant } from '../../model/units.ts'
import { isoInterval, shownBecauseText } from '../text/amounts.ts'
import { SOME_COMPUTES } from '../../model/output/hold-events.ts'
import type { ReportBudget } from './schema.ts'

type BudgetContext = Readonly<{
  redact: readonly Redactable[]
  /** A time in the period that is reported; without it the present one is. */
  at?: Instant
}>

export function reportBudget(present: BudgetWithForecast, { redact, at }: BudgetContext): ReportBudget {
  const view = viewAt(present, at)
  const { limit, spent, shown } = view
  const { share, forecast } = shown ?? view
  const inUnit = (amount: number) => amountInUnit(amount, limit)
  return {
    budget: view.name,
    scope: computesOf(view, redact),
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

const computesOf = ({ scope }: BudgetWithForecast, redact: readonly Redactable[]): string =>
  redact.includes('names') && !matchesEverything(scope) ? SOME_COMPUTES : scopeText(scope)

/** The budget in an earlier period that is still counted, else as it is: a week is reported after it ended, and with it periods of budgets. */
function viewAt(view: BudgetWithForecast, at: Instant | undefined): BudgetWithForecast {
  if (at === undefined) return view
  const ended = view.ended?.find(({ period: { from, to } }) => from <= at && at < to)
  return ended ? { ...view, ...ended, forecast: undefined, shown: undefined, spentByDay: undefined } : view
}

export function forecastIn(
  convert: (amount: number) => number,
  { p10, p50, p90, learning, days }: SpendForecast,
) {
  return { p10: convert(p10), p50: convert(p50), p90: convert(p90), learning, days }
}
