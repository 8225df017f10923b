// From when on a budget knows its spend, where computes are first seen whose operations were not read.
import { expect, test } from 'vitest'
import {
  excludePastOfChunk,
  settleBudgetsOfChunk,
  sweptLedger,
} from '../../../src/daemon/pass/budget-states.ts'
import {
  createBudgetScopes,
  openBudgets,
  settleBudgets,
} from '../../../src/ledger/budgets/account-budgets.ts'
import { newComputeEntry } from '../../../src/ledger/apply-facts.ts'
import type { PendingRetries, Sweep } from '../../../src/model/observation.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import { budgetOf, money, sliceOf } from '../../ledger/budgets/build.ts'
import { at, ledger, look, operation, prices, sweep } from '../../support/build.ts'
import { passPlan } from '../../support/pass-plan.ts'

const SEEN = 600
const [REF, CREATED] = [{ account: 'main', projectId: 'project-one', endpointId: 'ep-one' }, -86_400]
const budget = budgetOf({ limit: money(1) })
const before = ledger({
  budgets: settleBudgets([budget], {}, { settled: [], computes: new Map(), now: at(CREATED) }),
})

const FAILED = { since: at(0), at: at(0) }
const pending = (failed: typeof FAILED | undefined): PendingRetries => ({
  looks: new Map(),
  operations: new Map([[REF.projectId, { since: at(0), failed }]]),
})

/** When the state of the budget begins after a sweep that first saw a compute. */
function since(over: Partial<Sweep>) {
  const seen = look(SEEN, { createdAt: at(CREATED) })
  const entry = newComputeEntry(REF, seen, false)
  const plan = passPlan({ budgets: [budget] })
  const context = { ...sweptLedger(before, sweep(SEEN, over)), ledger: before }
  const writes = settleBudgetsOfChunk({ writes: [{ kind: 'compute', entry }], slices: [] }, context, {
    plan,
    now: at(SEEN),
  })
  return (
    writes.flatMap((write) => (write.kind === 'budget' && write.state ? [write.state.since] : []))[0] ??
    at(CREATED)
  )
}

const OPERATIONS = [operation('start_compute', 0)]

test.each<[string, Partial<Sweep>, number]>([
  ['were read', { operations: OPERATIONS }, CREATED],
  ['cannot be read', { operations: OPERATIONS, operationsReadOf: [] }, SEEN],
  ['are not published', {}, SEEN],
  [
    'wait for room in the next sweep',
    {
      operations: OPERATIONS,
      operationsReadOf: [],
      retries: pending(undefined),
    },
    CREATED,
  ],
  ['wait, of a service that publishes none', { operationsReadOf: [], retries: pending(undefined) }, SEEN],
  [
    'failed',
    {
      operations: OPERATIONS,
      operationsReadOf: [],
      retries: pending(FAILED),
    },
    SEEN,
  ],
])('a budget knows its spend from then on, where operations %s', (_, over, expected) => {
  expect(since(over)).toBe(at(expected))
})

test('what a compute used before it was first seen is spent, and no growth of the counter of its budget', () => {
  const counter = { definition: budget.definition, unit: 'USD', value: 7_000_000, excess: 7_000_000 }
  const known = { ...before, counters: { ...before.counters, budgets: { [budget.name]: counter } } }
  const entry = newComputeEntry(REF, look(SEEN, { createdAt: at(CREATED) }), false)
  const past = sliceOf(at(0), 24, { ref: REF })
  const chunk = { writes: [{ kind: 'compute', entry } as const], slices: [past] }
  const swept = { ...sweptLedger(known, sweep(SEEN)), ledger: known }
  const plan = passPlan({ budgets: [budget] })
  const now = at(7 * 86_400)
  const states = settleBudgetsOfChunk(chunk, swept, { plan, now }).flatMap((write) =>
    write.kind === 'budget' && write.state ? [[budget.name, write.state] as const] : [],
  )
  const counterAfter = (counters: typeof known.counters, isFound: boolean) => {
    const evaluator = openBudgets(createBudgetScopes([budget]), {
      ...known,
      budgets: Object.fromEntries(states),
      counters,
      prices,
      now,
      isFound: () => isFound,
    })
    const recent = sliceOf(at(6 * 86_400), 2, { ref: REF })
    evaluator.add([{ ...entry, settledUntil: at(6 * 86_400), provisional: [recent], appliedAt: now }])
    const { views, budgetCounters } = evaluator.close()
    return { spent: views[0]?.spent.likely, value: budgetCounters[budget.name]?.value }
  }
  expect(counterAfter(known.counters, false)).toEqual({ spent: 26_000_000, value: 33_000_000 })
  const counters = excludePastOfChunk(known.counters, chunk, { ...swept, ...plan })
  expect(counterAfter(counters, true)).toEqual({ spent: 26_000_000, value: 7_000_000 })
})

test('what a compute uses after it was first seen is in the counter of its budget', () => {
  const entry = newComputeEntry(REF, look(0, { createdAt: at(CREATED) }), false)
  const counter = { definition: budget.definition, unit: 'USD', value: 7_000_000, excess: 7_000_000 }
  const known = {
    ...before,
    computes: new Map([[computeKey(REF), entry]]),
    counters: { ...before.counters, budgets: { [budget.name]: counter } },
  }
  const chunk = { writes: [{ kind: 'compute', entry } as const], slices: [sliceOf(at(0), 24, { ref: REF })] }
  const swept = { ...sweptLedger(known, sweep(SEEN)), ledger: known, ...passPlan({ budgets: [budget] }) }
  expect(excludePastOfChunk(known.counters, chunk, swept)).toBe(known.counters)
})
