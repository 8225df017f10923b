// Budgets: spent, limit and expected spend.
import { tableBlock, textBlock, type ReportSection } from '../blocks.ts'
import { displayName } from '../../text/display-name.ts'
import { instantText } from '../../text/dates.ts'
import type { Report } from '../schema.ts'
import { budgetAmountText, percentText } from '../../text/amounts.ts'

type Budget = NonNullable<Report['budgets']>[number]

export function budgetSection({ budgets, made_at }: Report): ReportSection {
  const section = { id: 'budgets', title: 'Budgets' }
  if (budgets === null)
    return {
      ...section,
      blocks: [
        textBlock(
          'Not known: budgets and forecasts are only in reports of this week and the last one that a running daemon makes.',
        ),
      ],
    }
  if (budgets.length === 0) return { ...section, blocks: [] }
  const fullestFirst = budgets.toSorted((a, b) => b.share - a.share)
  return {
    ...section,
    blocks: [
      textBlock(`As of ${instantText(made_at)}.`),
      tableBlock(
        ['Budget', '>Spent', '>Limit', '>Used', '>Expected', '>Chance of going over'],
        fullestFirst,
        rowOf,
      ),
    ],
  }
}

const rowOf = (budget: Budget): readonly string[] => {
  const { spent, limit, unit, share, forecast, probability_over: chance } = budget
  return [
    `${displayName(budget.budget)}, per ${budget.per}`,
    budgetAmountText(spent, unit),
    budgetAmountText(limit, unit),
    percentText(share),
    forecast ? budgetAmountText(forecast.p50, unit) : 'not known yet',
    chance === null ? '' : percentText(chance),
  ]
}
