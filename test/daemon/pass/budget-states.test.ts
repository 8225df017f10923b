// From when on a budget knows its spend, where computes are first seen whose operations were not read.
import { expect, test } from 'vitest'
import { settleBudgetsOfChunk, sweptLedger } from '../../../src/daemon/pass/budget-states.ts'
import { settleBudgets } from '../../../src/ledger/budgets/account-budgets.ts'
import { newComputeEntry } from '../../../src/ledger/apply-facts.ts'
import type { PendingRetries, Sweep } from '../../../src/model/observation.ts'
import { budgetOf, money } from '../../ledger/budgets/build.ts'
import { at, ledger, look, operation, sweep } from '../../support/build.ts'
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
