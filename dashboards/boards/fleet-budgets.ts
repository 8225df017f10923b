// Section of the fleet board: budgets and their burn rates.
import { BURN_RECORDINGS } from '../rules/burn.ts'
import type { BoardSection } from './board.ts'
import { alertPanel } from './kinds.ts'
import { recorded, perBudget, MATCHERS } from './query.ts'
import { tablePanel } from './table.ts'
import { timeseriesPanel } from './timeseries.ts'

export const BUDGET_SHARE = `${perBudget('budget_spent', 'unit')} / ${perBudget('budget_limit', 'unit')}`
export const TIGHTEST_BUDGET = [
  [0.8, 'orange'],
  [1, 'red'],
] as const
export const LIKELY_END = [
  [0.5, 'orange'],
  [0.8, 'red'],
] as const

/** Queries of the recordings `dormouse:budget_burn:rate1h`, `dormouse:budget_burn_threshold:1h` and their like. */
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
          description: 'In the unit of each budget. The forecast is for the end of the period.',
          width: 9,
          unit: 'short',
          decimals: 2,
          min: 0,
          limit: 'limit$|p(10|90)$',
          queries: [
            { expr: perBudget('budget_spent', 'unit'), legend: '{{budget}}, {{unit}}' },
            { expr: perBudget('budget_limit', 'unit'), legend: '{{budget}}, limit' },
            {
              expr: perBudget('budget_forecast', 'unit', 'percentile'),
              legend: '{{budget}}, p{{percentile}}',
            },
          ],
        }),
        timeseriesPanel({
          title: 'Burn rate against the thresholds',
          description:
            'Spend relative to plan; 1 spends exactly the limit. An alert needs more than the threshold and more than 1.5 times what is usual at this hour of the week. A window without a threshold is off, because the fleet cannot burn that fast. Needs the rules of dashboards/alerts.yaml.',
          width: 9,
          unit: 'none',
          decimals: 2,
          min: 0,
          limit: '(threshold|usual)$',
          queries: [
            ...burns,
            { expr: perBudget('budget_expected_burn', 'window'), legend: '{{budget}}, {{window}}, usual' },
          ],
        }),
        alertPanel(
          'Alerts',
          'Firing alerts of the rules in dashboards/alerts.yaml. Grafana needs permission to show the alerts of the data source.',
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
            'Exhausted is empty when the limit is not reached within the period, or has been reached. Burn windows on: how many of 1h, 6h and 1d have a threshold that the fleet can reach.',
          width: 24,
          rows: perBudget('budget_info', 'scope', 'per', 'mode'),
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
            { name: 'Limit', expr: perBudget('budget_limit', 'unit'), unit: 'short', decimals: 2 },
            { name: 'Spent', expr: perBudget('budget_spent', 'unit'), unit: 'short', decimals: 2 },
            {
              name: 'Share',
              expr: `max by (budget, team, tier) (${BUDGET_SHARE})`,
              unit: 'percentunit',
              decimals: 0,
              bad: TIGHTEST_BUDGET,
            },
            {
              name: 'Probability to exceed',
              expr: perBudget('budget_overrun_probability'),
              unit: 'percentunit',
              decimals: 0,
              bad: LIKELY_END,
            },
            {
              name: 'Period ends',
              expr: `${perBudget('budget_window_end_timestamp_seconds')} * 1000`,
              unit: 'dateTimeFromNow',
            },
            {
              name: 'Exhausted',
              expr: `${perBudget('budget_exhaustion_timestamp_seconds')} * 1000`,
              unit: 'dateTimeFromNow',
            },
            {
              name: 'Burn windows on',
              expr: `sum by (budget, team, tier) (${perBudget('budget_burn_tier_enabled', 'window')})`,
              unit: 'none',
              decimals: 0,
            },
            {
              name: 'Highest possible burn',
              expr: perBudget('budget_max_burn'),
              unit: 'none',
              decimals: 1,
            },
          ],
        }),
      ],
    },
  ],
}
