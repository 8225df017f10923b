import { expect, test } from 'vitest'
import { budgetForSmallerSize } from '../../../src/ledger/budgets/evaluate.ts'
import { eachBound } from '../../../src/model/ledger/quantities.ts'
import type { Budget } from '../../../src/model/policy/budget.ts'
import { ratio } from '../../../src/model/units.ts'
import { advanceBudget, awakeHours, budgetOf, computeOf, inputAt, money } from './build.ts'

const MILLION = 1_000_000

test.each<[string, Partial<Budget>, number, number, string | undefined]>([
  ['spent', {}, 101, 0, 'dev'],
  ['forecast to be', {}, 10, 101, 'dev'],
  ['kept', {}, 100, 100, undefined],
  ['awake hours, which a size does not change', { limit: awakeHours(1) }, 1e9, 0, undefined],
  ['that of others', { scope: { compute: ['ep-b'] } }, 101, 0, undefined],
  ['but the compute is exempt', { exempt: [{ compute: ['ep-a'] }] }, 101, 0, undefined],
])('a budget asks for smaller sizes once its limit is exceeded: %s', (_, over, spent, expected, name) => {
  const budget = budgetOf({ name: 'dev', limit: money(100), ...over })
  const { view } = advanceBudget(budget, undefined, inputAt('2026-11-02T00:00:00Z'))
  if (!view) throw new Error('no period')
  const views = [{ ...view, spent: eachBound(() => spent * MILLION) }]
  const forecastOf = () => ({
    p10: 0,
    p50: expected * MILLION,
    p90: expected * MILLION,
    learning: false,
    days: 30,
    probabilityOver: ratio(0.5),
    exhaustedAt: undefined,
    held: undefined,
  })
  const asking = budgetForSmallerSize(computeOf('ep-a'), { budgets: [budget], views, forecastOf })
  expect(asking).toBe(name)
})
