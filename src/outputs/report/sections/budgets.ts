// What was planned, and how it goes.
import { table, text, type Section } from '../blocks.ts'
import { shownName } from '../../text/display-name.ts'
import { instantText } from '../../text/dates.ts'
import type { Report } from '../schema.ts'
import { amount, percent } from '../../text/amounts.ts'

type Budget = NonNullable<Report['budgets']>[number]

export function budgetSection({ budgets, made_at }: Report): Section {
  const section = { id: 'budgets', title: 'Budgets' }
  if (budgets === null)
    return {
      ...section,
      blocks: [
        text(
          'Not known: budgets and forecasts are only in reports of this week and the last one that a running daemon makes.',
        ),
      ],
    }
  if (budgets.length === 0) return { ...section, blocks: [] }
  const fullestFirst = budgets.toSorted((a, b) => b.share - a.share)
  return {
    ...section,
    blocks: [
      text(`As of ${instantText(made_at)}.`),
      table(
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
    `${shownName(budget.budget)}, per ${budget.per}`,
    amount(spent, unit),
    amount(limit, unit),
    percent(share),
    forecast ? amount(forecast.p50, unit) : 'not known yet',
    chance === null ? '' : percent(chance),
  ]
}
