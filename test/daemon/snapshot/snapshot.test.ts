import { expect, test } from 'vitest'
import { newComputeEntry } from '../../../src/ledger/apply-facts.ts'
import { newPassState } from '../../../src/daemon/pass/pass-state.ts'
import { buildSnapshot, createSnapshotBuilder } from '../../../src/daemon/snapshot/snapshot.ts'
import type { BudgetForecast } from '../../../src/model/policy/budget.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import { orderedMap } from '../../../src/std/ordered-map.ts'
import { createOwners } from '../../../src/model/policy/owner.ts'
import { ratio, seconds } from '../../../src/model/units.ts'
import { advanceBudget, budgetOf, inputAt, money } from '../../ledger/budgets/build.ts'
import { at, ledger, look, preset, prices } from '../../support/build.ts'

const forecast = (p50: number): BudgetForecast => ({
  p10: p50,
  p50,
  p90: p50,
  learning: true,
  days: 12,
  probabilityOver: ratio(0),
  held: undefined,
  exhaustedAt: undefined,
})

/** An account with one compute and one budget. */
function stateOf(account: string) {
  const ref = { account, projectId: 'project-one', endpointId: 'ep-one' }
  const { view } = advanceBudget(budgetOf({ limit: money(100) }), undefined, inputAt(at(600)))
  const computes = orderedMap([[computeKey(ref), newComputeEntry(ref, look(0), false)]])
  return { ...newPassState({ ...ledger(), account, computes }), budgets: view ? [view] : [] }
}

test('a forecast that is made while a snapshot is built belongs to the next', async () => {
  let made = forecast(11.34)
  const clock = {
    yield: () => {
      made = forecast(11.39)
      return Promise.resolve()
    },
  }
  const context = { now: at(600), version: 1, passSeconds: seconds(1), staleAfter: seconds(600) }
  const inputs = ['main', 'lab'].map((account) => ({
    state: stateOf(account),
    prices,
    preset,
    forecasts: { of: () => ({ forecast: made }) },
  }))
  const build = createSnapshotBuilder()
  const shown = async (): Promise<readonly unknown[]> => {
    const snapshot = build({ ...context, activityLag: seconds(60), owners: createOwners([]) })
    const { accounts } = await buildSnapshot(snapshot, inputs, clock)
    return accounts.map(({ budgets }) => budgets[0]?.forecast?.p50)
  }
  expect(await shown()).toEqual([11.34, 11.34])
  expect(await shown()).toEqual([11.39, 11.39])
})
