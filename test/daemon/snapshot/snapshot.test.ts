import { expect, test } from 'vitest'
import { newComputeEntry } from '../../../src/ledger/apply-facts.ts'
import { createTallies } from '../../../src/daemon/changes/tallies.ts'
import { newPassState, type Persistence } from '../../../src/daemon/pass/pass-state.ts'
import type { AccountInput } from '../../../src/daemon/snapshot/account-view.ts'
import { buildSnapshot, createSnapshotBuilder } from '../../../src/daemon/snapshot/snapshot.ts'
import type { BudgetForecast } from '../../../src/model/policy/budget.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import { orderedMap } from '../../../src/std/ordered-map.ts'
import { createOwners } from '../../../src/model/policy/owner.ts'
import { ratio, seconds } from '../../../src/model/units.ts'
import { advanceBudget, budgetOf, inputAt, money } from '../../ledger/budgets/build.ts'
import { at, ledger, look, preset, prices } from '../../support/build.ts'
import { changeOf, tallyOf } from '../../support/changes.ts'

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

const owners = createOwners([])

/** One compute that sleeps. */
const asleep = () => {
  const ref = { account: 'main', projectId: 'project-one', endpointId: 'ep-one' }
  const seen = look(0, { state: 'idle', startedAt: at(-100), suspendedAt: at(-50), lastActive: at(-60) })
  const computes = orderedMap([[computeKey(ref), newComputeEntry(ref, seen, false)]])
  return { ...newPassState({ ...ledger(), computes }) }
}

test('the view of a sleeping compute is kept until a change of it moves, and not while one is open', () => {
  const build = createSnapshotBuilder()
  const state = asleep()
  const shown = (changes: AccountInput['changes']) => {
    const snapshot = build({
      now: at(600),
      version: 1,
      passSeconds: seconds(1),
      staleAfter: seconds(600),
      activityLag: seconds(60),
      owners,
    })
    const account = snapshot.account({ state, prices, preset, changes })
    account.add(state.ledger.computes.values())
    account.close()
    return snapshot.finish()
  }
  const none = createTallies([])
  const first = shown(none.views([])).computes[0]
  expect(first).not.toHaveProperty('changes')
  expect(first).not.toHaveProperty('changeTallies')
  expect(shown(none.views([])).computes[0]).toBe(first)

  const open = [{ change: changeOf(), hold: undefined }]
  const waiting = shown(none.views(open))
  expect(waiting.computes[0]?.changes).toEqual(open)
  expect(waiting.accounts[0]?.changes).toEqual({ open, ended: new Map(), restartsAvoided: 0 })
  const held = [{ change: changeOf(), hold: { because: 'awake', until: undefined, since: at(1) } as const }]
  expect(shown(none.views(held)).computes[0]?.changes).toEqual(held)

  const tallies = createTallies([tallyOf()])
  const ended = shown(tallies.views([])).computes[0]
  expect(ended).not.toHaveProperty('changes')
  expect(ended?.changeTallies).toEqual([tallyOf()])
  expect(shown(tallies.views([])).computes[0]).toBe(ended)
  expect(shown(none.views([])).computes[0]).not.toHaveProperty('changeTallies')
})

test('what was seen and could not be stored is unknown: a sleeping compute may have been awake, and states become outdated', () => {
  const state = asleep()
  const shown = (after: number, persistence: Partial<Persistence>) => {
    const snapshot = createSnapshotBuilder()({
      now: at(after),
      version: 1,
      passSeconds: seconds(1),
      staleAfter: seconds(600),
      activityLag: seconds(60),
      owners,
    })
    const account = snapshot.account({
      state: {
        ...state,
        service: { ...state.service, status: 'ok', lastSweepAt: at(after) },
        persistence: { ...state.persistence, ...persistence },
      },
      prices,
      preset,
    })
    account.add(state.ledger.computes.values())
    account.close()
    const view = snapshot.finish().computes[0]
    return [view?.state.shown, view?.ledger.awake.low, view?.ledger.awake.high]
  }
  const failure = new Error('the disk is full')
  expect(shown(0, { storedAt: at(0) })).toEqual(['idle', 0, 0])
  expect(shown(500, { storedAt: at(500) })).toEqual(['idle', 0, 0])
  expect(shown(500, { storedAt: at(0), failure })).toEqual(['idle', 0, 500_000])
  expect(shown(700, { storedAt: at(0), failure })).toEqual(['unknown', 0, 700_000])
  expect(shown(700, { failure })).toEqual(['unknown', 0, 700_000])
})
