// Periods of a budget that are over, and may still get late usage.
import { expect, test } from 'vitest'
import type { BudgetState } from '../../../src/model/policy/budget.ts'
import { at } from '../../support/zones.ts'
import { advanceBudget, type BudgetInput, budgetOf, inputAt, money, sliceOf } from './build.ts'

const MILLION = 1_000_000

test('a limit that is lowered in a period is no limit of the period before', () => {
  const october = sliceOf('2026-10-30T00:00:00Z', 6)
  const before = advanceBudget(
    budgetOf({ limit: money(10) }),
    undefined,
    inputAt('2026-10-31T00:00:00Z', { settled: [october] }),
  )
  const after = advanceBudget(budgetOf({ limit: money(5) }), before.state, inputAt('2026-11-03T00:00:00Z'))
  expect(before.events).toMatchObject([{ rung: 50 }])
  expect(after.events).toEqual([])
  const late = inputAt('2026-11-03T00:01:00Z', { settled: [sliceOf('2026-10-31T01:00:00Z', 3)] })
  expect(advanceBudget(budgetOf({ limit: money(5) }), after.state, late).events).toMatchObject([
    {
      rung: 80,
      limit: money(10),
      spent: { likely: 9 * MILLION },
      period: { to: at('2026-11-01T00:00:00Z') },
    },
  ])
})

test('a view has the periods before it with their limits, as far as they are still counted', () => {
  const [first, second] = [sliceOf('2026-10-30T00:00:00Z', 2), sliceOf('2026-11-02T10:00:00Z', 3)]
  let state: BudgetState | undefined
  const viewAt = (limit: number, input: BudgetInput) => {
    const pass = advanceBudget(budgetOf({ limit: money(limit) }), state, input)
    state = pass.state
    return pass.view
  }
  expect(viewAt(2, inputAt('2026-10-31T00:00:00Z', { settled: [first] }))).not.toHaveProperty('ended')
  const late = sliceOf('2026-10-31T22:00:00Z', 1)
  const view = viewAt(10, inputAt('2026-11-03T00:00:00Z', { settled: [second], provisional: [late] }))
  expect(view?.spent.likely).toBe(3 * MILLION)
  expect(view?.ended).toMatchObject([
    {
      period: { from: at('2026-10-01T00:00:00Z'), to: at('2026-11-01T00:00:00Z') },
      limit: money(2),
      spent: { likely: 3 * MILLION },
      share: 1.5,
      remaining: -MILLION,
      rungs: [50, 80, 100, 110],
    },
  ])
})
