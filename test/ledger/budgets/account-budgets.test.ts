import type { Ledger } from '../../../src/model/ledger/ledger.ts'
import { expect, test } from 'vitest'
import { totalsWithAccrual } from '../../../src/ledger/settle/accrual.ts'
import {
  toBudgetComputes,
  createBudgetScopes,
  settleBudgets,
  type BudgetInputs,
} from '../../../src/ledger/budgets/account-budgets.ts'
import { spendOf } from '../../../src/ledger/settle/cu-time.ts'
import type { Budget, BudgetStates } from '../../../src/model/policy/budget.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import { cu, type Instant } from '../../../src/model/units.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, prices, project, sweep } from '../../support/build.ts'
import { budgetOf, HOUR, inputAt, money, sliceOf } from './build.ts'
import { evaluateAllBudgets } from '../../support/apply-whole-sweep.ts'

const NOW = '2026-11-10T00:00:00Z'
const one = budgetOf({ name: 'one' })
const small = budgetOf({ name: 'small', limit: money(4) })
const shut = budgetOf({ name: 'shut', periodAt: () => undefined })
const settled = [sliceOf('2026-11-02T00:00:00Z', 3)]

const looked = (budgets: readonly Budget[], known: Omit<BudgetInputs, 'prices'> & Pick<Ledger, 'computes'>) =>
  evaluateAllBudgets(createBudgetScopes(budgets), { ...known, prices })

const nobody = (budgets: BudgetStates, now: Instant = inputAt(NOW).now) => ({ ...ledger(), budgets, now })

test('budgets are counted apart, and what has no period has no view', () => {
  const states = settleBudgets([one, small, shut], {}, inputAt(NOW, { settled }))
  const seen = looked([one, small, shut], nobody(states))
  expect(seen.views.map(({ name, share }) => [name, share])).toEqual([
    ['one', 0.03],
    ['small', 0.75],
  ])
  expect(seen.events).toMatchObject([{ budget: 'small', rung: 50 }])
  expect(looked([one, small, shut], nobody(seen.states)).events).toEqual([])
})

test('what was settled part by part is the same as at once, also when nobody looked in between', () => {
  const parts = [settled, [sliceOf('2026-11-03T00:00:00Z', 5, { id: 'ep-b' })]]
  const byPart = parts.reduce(
    (states, part) => settleBudgets([one], states, inputAt(NOW, { settled: part })),
    {},
  )
  expect(byPart).toEqual(settleBudgets([one], {}, inputAt(NOW, { settled: parts.flat() })))
})

test('the state of a budget that is no more is dropped', () => {
  const states = settleBudgets([one, small], {}, inputAt(NOW))
  expect(Object.keys(settleBudgets([small], states, inputAt(NOW)))).toEqual(['small'])
  expect(Object.keys(looked([one], nobody(states)).states)).toEqual(['one'])
})

test('the computes of a ledger', () => {
  const known = accounted(
    ledger(),
    sweep(60, {
      projects: [project({ name: 'shop' })],
      looks: [look(60, { name: 'web', sizing: { min: cu(0.25), max: cu(2) } })],
    }),
    { prices, overhead: 0.01, now: at(60) },
  ).ledger
  const projectOf = (projectId: string) => known.projects.get(projectId)
  const ref = { account: 'main', projectId: 'project-one', endpointId: 'ep-one' }
  expect(toBudgetComputes(known.computes.values(), projectOf)).toEqual(
    new Map([
      [
        computeKey(ref),
        {
          ref,
          projectName: 'shop',
          branchId: 'br-one',
          name: 'web',
          type: 'read_write',
        },
      ],
    ]),
  )
})

/** Awake from ten minutes past each hour until twenty to the next. */
function hourly(minute: number) {
  const past = minute % 60
  const start = minute - past + (past < 10 ? -50 : 10)
  const isAwake = past >= 10 && past < 40
  return look(minute * 60, {
    state: isAwake ? 'active' : 'idle',
    startedAt: at(start * 60),
    suspendedAt: at((isAwake ? start - 30 : start + 30) * 60),
    lastActive: at((isAwake ? start : start + 25) * 60),
  })
}

test('what a ledger amounts to is what its budgets count, at every look, sure, likely and possible', () => {
  const budgets = [budgetOf({ name: 'one' })]
  let known = ledger()
  let states: BudgetStates = {}
  const spent: number[] = []
  for (let minute = 0; minute < 2 * 24 * 60; minute += 7) {
    const now = at(minute * 60)
    const pass = accounted(known, sweep(minute * 60, { looks: [hourly(minute)] }), {
      prices,
      overhead: 0.01,
      now,
    })
    known = pass.ledger
    // the outputs are shown a while after the fold
    const shownAt = at(minute * 60 + 100)
    const { projects } = known
    const computes = toBudgetComputes(known.computes.values(), (projectId) => projects.get(projectId))
    states = settleBudgets(budgets, states, { now, settled: pass.slices.settled, computes })
    const seenNow = looked(budgets, { ...known, budgets: states, now: shownAt })
    const totals = [...known.computes.values()].map((account) =>
      totalsWithAccrual(account, { prices, project: known.projects.get('project-one'), now: shownAt }),
    )
    expect(seenNow.views[0]?.spent).toEqual(spendOf(totals[0]?.cuTime ?? {}))
    spent.push(seenNow.views[0]?.spent.likely ?? 0)
  }
  expect(states['one']?.records[0]?.settled.all.awake.likely).toBeGreaterThan(20 * HOUR)
  expect(spent.at(-1)).toBeGreaterThan(2_000_000)
})
