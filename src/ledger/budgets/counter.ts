// The counter of a budget. What is not settled yet is in it, so it goes on from pass to pass, and may have to wait for the truth.
import { budgetUnit, type Budget } from '../../model/policy/budget.ts'
import type { BudgetCounter } from '../../model/ledger/counters.ts'

/**
 * @param counted likely spend since the counting of this definition began, with what is not settled yet, in the unit of the limit
 * @returns `before` itself when it shows no more
 */
export function raiseBudgetCounter(
  budget: Budget,
  before: BudgetCounter | undefined,
  counted: number,
): BudgetCounter {
  const { definition, limit } = budget
  const unit = budgetUnit(limit)
  if (before?.unit !== unit) return { definition, unit, value: counted, excess: 0 }
  if (before.definition !== definition) return { ...before, definition, excess: before.value - counted }
  const shown = before.excess + counted
  return shown > before.value ? { ...before, value: shown } : before
}
