// Budgets for people: what is spent, how fast, and how the period may end.
import type { BudgetJson, ForecastJson, MonthJson } from '../../daemon/http/api/budget-json.ts'
import { budgetAmountText, countWithNoun, inBrackets, rangeText } from '../../outputs/text/amounts.ts'

export function monthLine(month: MonthJson, currency: string): string {
  const { period, counted_from, spent, forecast } = month
  const since = counted_from > period.from ? `, known since ${counted_from}` : ''
  return (
    `  this month: ${budgetAmountText(spent.likely, currency)}` +
    `${inBrackets(rangeText(spent, (value) => budgetAmountText(value, currency)))}${since}` +
    `; ${forecastText(forecast, currency)}`
  )
}

export function budgetLines(budget: BudgetJson): readonly string[] {
  const { unit, period, counted_from, spent, forecast } = budget
  const since = counted_from > period.from ? `, known since ${counted_from}` : ''
  const over = forecast ? `; over the limit with ${percent(forecast.probability_over)}` : ''
  const exhausted = forecast?.exhausted_at ? `, expected at ${forecast.exhausted_at}` : ''
  return [
    `  budget ${budget.budget} (${budget.scope}, per ${budget.per}): ${budgetAmountText(spent.likely, unit)}` +
      ` of ${budgetAmountText(budget.limit, unit)}, ${percent(budget.share)}; until ${period.to}${since}`,
    `    burn ${budget.burns.map(burnText).join(', ')}; at most ${budget.max_burn.toFixed(1)}` +
      (budget.rungs.length === 0 ? '' : `; reached ${budget.rungs.join(', ')} %`),
    `    ${forecastText(forecast, unit)}${over}${exhausted}`,
  ]
}

function forecastText(forecast: ForecastJson | null, unit: string): string {
  if (!forecast) return 'no forecast before a day is over'
  const { p10, p50, p90, learning, days } = forecast
  const range = rangeText({ low: p10, high: p90 }, (value) => budgetAmountText(value, unit))
  return `at its end ${budgetAmountText(p50, unit)}${inBrackets(range)}${learning ? `, learning from ${countWithNoun(days, 'day')}` : ''}`
}

const burnText = ({ window_seconds, burn }: BudgetJson['burns'][number]): string =>
  `${window_seconds / 3600} h ${burn === null ? 'not known yet' : burn.toFixed(2)}`

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
