// Spend of a budget as people see it: the ledger's, narrowed where the service counted the past.
import type { BudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import { selectorTargetIn } from '../../ledger/branch-moves.ts'
import { shownAmount } from '../../ledger/metering/shown-amount.ts'
import type { CountedPast, Shown } from '../../model/ledger/counted-past.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { BudgetView } from '../../model/policy/budget.ts'
import { matchesSelector } from '../../model/policy/selector.ts'
import { latest } from '../../model/units.ts'
import { countsAlways } from './daily-spend.ts'

type BudgetSources = Readonly<{
  scopes: BudgetScopes | undefined
  /** Undefined before it was read. */
  past: CountedPast | undefined
  ledger: Ledger
}>

/** Undefined where nothing is narrowed: awake hours, which are known, and budgets that count parts of days. */
export function shownSpend(view: BudgetView, { past, scopes, ledger }: BudgetSources): Shown | undefined {
  const { period, knownFrom, limit, scope, name } = view
  const budget = scopes?.budgets.find((one) => one.name === name)
  if (!past || !budget || limit.unit === 'awake_hours') return undefined
  if (!countsAlways(budget, period.from, period.to)) return undefined
  const computes = [...past.computes.values()].filter(({ ref }) =>
    matchesSelector(scope, selectorTargetIn(ledger, ref)),
  )
  const interval = { from: latest(period.from, knownFrom), to: period.to }
  return shownAmount(view.spent, { past, computes, interval, unit: limit.unit })
}
