import type { BudgetWithForecast } from '../../../src/model/policy/budget.ts'
import { instant, micros, ratio } from '../../../src/model/units.ts'

/** Sixty days at least; 200 USD a month. */
export const budget = (name: string, spent: number, over: number): BudgetWithForecast => {
  const from = instant(Date.UTC(2026, 10, 1))
  return {
    account: 'main',
    name,
    mode: 'soft',
    scope: { project: [`${name}-*`] },
    per: 'month',
    period: { from, to: instant(Date.UTC(2026, 11, 1)) },
    knownFrom: from,
    limit: { unit: 'money', amount: micros(200_000_000), currency: 'USD' },
    spent: { low: spent * 1e6, likely: spent * 1e6, high: spent * 1e6 },
    total: spent * 1e6,
    share: ratio(spent / 200),
    remaining: (200 - spent) * 1e6,
    rungs: [50, 80, 100].filter((rung) => spent >= 2 * rung) as BudgetWithForecast['rungs'],
    assumed: ratio(0),
    enforcement: { kind: 'acts', rungs: [80] },
    maxBurn: 4,
    burns: [],
    team: name,
    tier: '',
    forecast: {
      p10: spent * 1.2e6,
      p50: spent * 1.35e6,
      p90: spent * 1.5e6,
      learning: false,
      days: 80,
      probabilityOver: ratio(over),
      exhaustedAt: undefined,
      held: undefined,
    },
  }
}
