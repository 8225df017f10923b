// All batches of a sweep at once, in the order in which a pass commits them.
import {
  applyChunk,
  chunksOf,
  finishSweep,
  prepareSweep,
  type LedgerBatch,
} from '../../src/ledger/apply-sweep.ts'
import {
  openBudgets,
  type BudgetInputs,
  type BudgetScopes,
  type BudgetsEvaluation,
} from '../../src/ledger/budgets/account-budgets.ts'
import type { LedgerContext } from '../../src/ledger/context.ts'
import { ledgerAfter } from '../../src/ledger/ledger-after.ts'
import type { Ledger } from '../../src/model/ledger/ledger.ts'
import type { Sweep } from '../../src/model/observation.ts'
import type { Batch } from '../../src/model/ports/store.ts'

export function applyWholeSweep(
  ledger: Ledger,
  sweep: Sweep,
  context: LedgerContext,
): readonly LedgerBatch[] {
  let prepared = prepareSweep(ledger, sweep, context)
  const batches: LedgerBatch[] = []
  for (const facts of chunksOf(prepared.facts)) {
    const chunk = applyChunk(ledger, facts, { prepared, context })
    prepared = chunk.prepared
    batches.push(chunk.batch)
  }
  return [...batches, ...finishSweep(ledger, sweep, { prepared, context })]
}

export const ledgerAfterAll = (ledger: Ledger, batches: readonly Batch[]): Ledger =>
  batches.reduce(ledgerAfter, ledger)

export function evaluateAllBudgets(
  scopes: BudgetScopes,
  inputs: BudgetInputs & Pick<Ledger, 'computes'>,
): BudgetsEvaluation {
  const evaluator = openBudgets(scopes, inputs)
  evaluator.add(inputs.computes.values())
  return evaluator.close()
}
