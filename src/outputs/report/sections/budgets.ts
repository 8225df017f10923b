import { tableBlock, textBlock, type ReportSection } from '../blocks.ts'
import { displayName } from '../../text/display-name.ts'
import type { Report, ReportBudget } from '../schema.ts'
import { budgetAmountText, percentText, instantText } from '../../text/amounts.ts'

export function budgetSection({ budgets, made_at }: Report): ReportSection {
  const section = { id: 'budgets', title: 'Budgets' }
  const words =
    'Not known: budgets and forecasts are only in reports of this week and the last one that a running daemon makes.'
  if (budgets === null) return { ...section, blocks: [textBlock(words)] }
  if (budgets.length === 0) return { ...section, blocks: [] }
  const fullestFirst = budgets.toSorted((a, b) => b.share - a.share)
  const titles = ['Budget', '>Spent', '>Limit', '>Used', '>Expected', '>Chance of going over']
  const table = tableBlock(titles, fullestFirst, (budget) => rowOf(budget, made_at))
  const sources = new Set(budgets.flatMap(({ spent_because: because }) => because ?? []))
  const asOf = [`As of ${instantText(made_at)}`, ...sources].join('; ')
  return { ...section, blocks: [textBlock(`${asOf}.`), ...table] }
}

const rowOf = (budget: ReportBudget, madeAt: string) => {
  const { spent, limit, unit, share, forecast, probability_over: chance } = budget
  const isEnded = budget.period.to <= madeAt
  return [
    `${displayName(budget.budget)}, per ${budget.per}${isEnded ? ', ended' : ''}`,
    budgetAmountText(spent, unit),
    budgetAmountText(limit, unit),
    percentText(share),
    forecast ? budgetAmountText(forecast.p50, unit) : isEnded ? '' : 'not known yet',
    chance === null ? '' : percentText(chance),
  ]
}
