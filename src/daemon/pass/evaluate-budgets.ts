// Stage 3 of a pass: spend, rungs, burn rate and enforcement as of now, with provisional usage.
import { budgetWrites, openBudgets } from '../../ledger/budgets/account-budgets.ts'
import type { AccountCounters } from '../../model/ledger/counters.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import { isReached } from '../../model/observation.ts'
import type { Event } from '../../model/output/event-kinds.ts'
import type { BudgetView } from '../../model/policy/budget.ts'
import type { Ports } from '../../model/ports/ports.ts'
import type { Write } from '../../model/ports/store.ts'
import { inChunks, inTurns } from '../turns.ts'
import type { AppliedSweep } from './apply-in-chunks.ts'
import type { Observed } from './observe-on-service-time.ts'
import type { PassInput } from './pass-state.ts'

export type EvaluatedBudgets = Readonly<{
  /** With the evaluated states and counters. */
  ledger: Ledger
  budgets: readonly BudgetView[]
  events: readonly Event[]
  writes: readonly Write[]
}>

/** Between two yields, some 10 ms. */
const ENTRIES_PER_TURN = 2000

/** Undefined where the sweep could not be stored. */
export async function evaluatePassBudgets(
  clock: Ports['clock'],
  { plan }: PassInput,
  { observed, applied }: { readonly observed: Observed; readonly applied: AppliedSweep },
): Promise<EvaluatedBudgets | undefined> {
  if (applied.failure !== undefined) return undefined
  const { ledger } = applied
  const evaluator = openBudgets(plan.budgets, {
    ...ledger,
    prices: plan.prices,
    now: observed.now,
    atMost: observed.upperBound,
    isUnreachable: !isReached(observed.sweep.service),
  })
  const entries = plan.budgets.budgets.length === 0 ? [] : ledger.computes.values()
  for await (const chunk of inTurns(inChunks(entries, ENTRIES_PER_TURN), clock)) evaluator.add(chunk)
  const { states, budgetCounters, views, events } = evaluator.close()
  const counters = withBudgetCounters(ledger.counters, budgetCounters)
  return {
    ledger: { ...ledger, budgets: states, counters },
    budgets: views,
    events,
    writes: [
      ...budgetWrites(ledger.budgets, states),
      ...(counters === ledger.counters ? [] : [{ kind: 'counters', counters } as const]),
    ],
  }
}

/** `before` itself where no counter changed. */
function withBudgetCounters(before: AccountCounters, budgets: AccountCounters['budgets']): AccountCounters {
  const names = Object.keys(budgets)
  const isSame =
    names.length === Object.keys(before.budgets).length &&
    names.every((name) => before.budgets[name] === budgets[name])
  return isSame ? before : { ...before, budgets }
}
