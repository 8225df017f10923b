// All writes of a sweep at once, in the order in which a pass commits them.
import {
  applyChunk,
  chunksOf,
  finishSweep,
  prepareSweep,
  type AppliedChunk,
} from '../../src/ledger/apply-sweep.ts'
import {
  openBudgets,
  type BudgetInputs,
  type BudgetScopes,
  type BudgetsEvaluation,
} from '../../src/ledger/budgets/account-budgets.ts'
import type { LedgerContext } from '../../src/ledger/apply-facts.ts'
import { ledgerAfter } from '../../src/ledger/ledger-after.ts'
import type { Ledger } from '../../src/model/ledger/ledger.ts'
import type { Sweep } from '../../src/model/observation.ts'
import type { Write } from '../../src/model/ports/store.ts'

/** What is committed by itself. */
export type AppliedPart = Pick<AppliedChunk, 'writes' | 'slices' | 'gaps'>

export function applyWholeSweep(
  ledger: Ledger,
  sweep: Sweep,
  context: LedgerContext,
): readonly AppliedPart[] {
  const prepared = prepareSweep(ledger, sweep, context)
  const parts = chunksOf(prepared.facts).map((facts) => applyChunk(ledger, facts, { prepared, context }))
  const finished = finishSweep(ledger, sweep, { prepared, context })
  return [...parts, ...finished.map((writes) => ({ writes, slices: [], gaps: new Map() }))]
}

export const ledgerAfterAll = (
  ledger: Ledger,
  parts: readonly { readonly writes: readonly Write[] }[],
): Ledger => parts.reduce((before, { writes }) => ledgerAfter(before, writes), ledger)

export function evaluateAllBudgets(
  scopes: BudgetScopes,
  inputs: BudgetInputs & Pick<Ledger, 'computes'>,
): BudgetsEvaluation {
  const evaluator = openBudgets(scopes, inputs)
  evaluator.add(inputs.computes.values())
  return evaluator.close()
}
