// Of A: what was planned, and how it stands.
import { BURN_RECORDINGS } from '../rules/burn.ts'
import type { BoardSection } from './board.ts'
import { alertPanel } from './kinds.ts'
import { recorded, perBudget, MATCHERS } from './query.ts'
import { tablePanel } from './table.ts'
import { timeseriesPanel } from './timeseries.ts'

export const BUDGET_SHARE = `${perBudget('budgetSpent', 'unit')} / ${perBudget('budgetLimit', 'unit')}`
export const TIGHTEST_BUDGET = [
  [0.8, 'orange'],
  [1, 'red'],
] as const
export const LIKELY_END = [
  [0.5, 'orange'],
  [0.8, 'red'],
] as const

/** As the rules call them: `dormouse:budget_burn:rate1h`, `dormouse:budget_burn_threshold:1h`. */
const burns = BURN_RECORDINGS.flatMap(({ record }) => {
  const [, what, window = ''] = /^dormouse:budget_burn(_threshold)?:(?:rate)?(1h|6h|1d)$/.exec(record) ?? []
  if (window === '') return []
  const legend = what === undefined ? `{{budget}}, ${window}` : `{{budget}}, ${window}, threshold`
  return [{ expr: recorded(record, ...MATCHERS.budget), legend }]
})

export const BUDGETS_SECTION: BoardSection = {
  title: 'Budgets',
  lines: [
    {
      height: 10,
      panels: [
        timeseriesPanel({
          title: 'Spent and forecast against the limit',
          description: 'In the unit of each budget. What is forecast is of the end of the period.',
          width: 9,
          unit: 'short',
          decimals: 2,
          min: 0,
          limit: 'limit$|p(10|90)$',
          queries: [
            { expr: perBudget('budgetSpent', 'unit'), legend: '{{budget}}, {{unit}}' },
            { expr: perBudget('budgetLimit', 'unit'), legend: '{{budget}}, limit' },
            {
              expr: perBudget('budgetForecast', 'unit', 'percentile'),
              legend: '{{budget}}, p{{percentile}}',
            },
          ],
        }),
        timeseriesPanel({
          title: 'Burn against the thresholds',
          description:
            'How many times as fast as planned a budget is spent; 1 spends exactly the limit. An alert needs more than the threshold and more than one and a half times what is usual at this hour of the week. A window without a threshold is off: what it asks for cannot be reached. Needs the rules of dashboards/alerts.yaml.',
          width: 9,
          unit: 'none',
          decimals: 2,
          min: 0,
          limit: '(threshold|usual)$',
          queries: [
            ...burns,
            { expr: perBudget('budgetExpectedBurn', 'window'), legend: '{{budget}}, {{window}}, usual' },
          ],
        }),
        alertPanel(
          'Alerts',
          'What the rules of dashboards/alerts.yaml raise now. Grafana has to be allowed to show the alerts of the data source.',
          6,
        ),
      ],
    },
    {
      height: 7,
      panels: [
        tablePanel({
          title: 'Budgets',
          description:
            'Empty under Exhausted: not within the period, or already. Burn windows: of 1h, 6h and 1d, those in which a burn worth an alert can be reached.',
          width: 24,
          rows: perBudget('budgetInfo', 'scope', 'per', 'mode'),
          labels: {
            budget: 'Budget',
            team: 'Team',
            scope: 'Of',
            per: 'Per',
            mode: 'Mode',
            unit: 'Unit',
          },
          hidden: ['tier'],
          sortBy: 'Share',
          columns: [
            { name: 'Limit', expr: perBudget('budgetLimit', 'unit'), unit: 'short', decimals: 2 },
            { name: 'Spent', expr: perBudget('budgetSpent', 'unit'), unit: 'short', decimals: 2 },
            {
              name: 'Share',
              expr: `max by (budget, team, tier) (${BUDGET_SHARE})`,
              unit: 'percentunit',
              decimals: 0,
              bad: TIGHTEST_BUDGET,
            },
            {
              name: 'Probability to exceed',
              expr: perBudget('budgetOverrun'),
              unit: 'percentunit',
              decimals: 0,
              bad: LIKELY_END,
            },
            { name: 'Period ends', expr: `${perBudget('budgetEnd')} * 1000`, unit: 'dateTimeFromNow' },
            { name: 'Exhausted', expr: `${perBudget('budgetExhaustion')} * 1000`, unit: 'dateTimeFromNow' },
            {
              name: 'Burn windows on',
              expr: `sum by (budget, team, tier) (${perBudget('budgetTierEnabled', 'window')})`,
              unit: 'none',
              decimals: 0,
            },
            {
              name: 'Highest burn there can be',
              expr: perBudget('budgetMaxBurn'),
              unit: 'none',
              decimals: 1,
            },
          ],
        }),
      ],
    },
  ],
}
