// The fleet board: spend of the fleet, budgets, and a table of computes.
import { BY_LABELS } from '../rules/rule.ts'
import { ANNOTATIONS, type Board, type BoardSection } from './board.ts'
import { BUDGETS_SECTION, TIGHTEST_BUDGET, LIKELY_END, BUDGET_SHARE } from './fleet-budgets.ts'
import { SPEND_SECTION } from './fleet-spend.ts'
import { SAVING_AVAILABLE } from './rightsizing-recommendations.ts'
import { statPanel, statePanel } from './kinds.ts'
import {
  seriesOf,
  increaseOver,
  perCompute,
  moneyPerCompute,
  owned,
  perBudget,
  perComputeAnd,
  STATE,
  named,
  COMPUTE_FACTS,
  hitRatio,
  CONNECTION_SHARE,
} from './query.ts'
import { COMPUTE_HIDDEN, COMPUTE_LABELS, STATE_MAPPING, TO_COMPUTE } from './states.ts'
import { tablePanel } from './table.ts'

const NOW: BoardSection = {
  title: 'Now',
  lines: [
    {
      height: 5,
      panels: [
        statPanel({
          title: 'Spent in this period',
          description: 'Likely spend of each budget since the start of its period, in its unit.',
          width: 4,
          unit: 'short',
          decimals: 2,
          queries: [{ expr: perBudget('budget_spent', 'unit'), legend: '{{budget}}, {{unit}}' }],
        }),
        statPanel({
          title: 'Share of the limit',
          description: 'Spend divided by the limit of the period.',
          width: 3,
          unit: 'percentunit',
          decimals: 0,
          bad: TIGHTEST_BUDGET,
          queries: [{ expr: BUDGET_SHARE, legend: '{{budget}}' }],
        }),
        statPanel({
          title: 'Forecast of this period',
          description:
            'Spend expected at the end of the period: one in ten ends below p10, one in ten above p90. Empty until a day has ended.',
          width: 5,
          unit: 'short',
          decimals: 2,
          queries: [
            {
              expr: perBudget('budget_forecast', 'unit', 'percentile'),
              legend: '{{budget}} p{{percentile}}, {{unit}}',
            },
          ],
        }),
        statPanel({
          title: 'Probability to exceed',
          description: 'Probability that the period ends above the limit.',
          width: 3,
          unit: 'percentunit',
          decimals: 0,
          bad: LIKELY_END,
          queries: [{ expr: perBudget('budget_overrun_probability'), legend: '{{budget}}' }],
        }),
        statPanel({
          title: 'Computes',
          description:
            'Awake computes cost money. Chosen: computes with series of their own that match the variables above. Known: all computes.',
          width: 3,
          unit: 'none',
          queries: [
            {
              expr: `sum(${owned(perCompute('compute_state', undefined, 'state="active"'))})`,
              legend: 'awake',
            },
            { expr: `count(${owned(perCompute('compute_cu_min'))})`, legend: 'chosen' },
            { expr: `sum(max by (state) (${seriesOf('computes')}))`, legend: 'known' },
          ],
        }),
        statPanel({
          title: 'Saving available, $currency',
          description:
            'Likely saving in 30 days with all open recommendations applied together. The rightsizing board has them one by one.',
          width: 3,
          unit: 'short',
          decimals: 2,
          queries: [{ expr: SAVING_AVAILABLE, legend: 'in 30 days' }],
        }),
        statPanel({
          title: 'Age of the data',
          description: 'Time since the last pass. A pass starts every minute; nothing here is newer.',
          width: 3,
          unit: 's',
          decimals: 0,
          bad: [
            [180, 'orange'],
            [600, 'red'],
          ],
          queries: [{ expr: `time() - max(${seriesOf('snapshot_timestamp_seconds')})`, legend: 'age' }],
        }),
      ],
    },
  ],
}

const WEEK = '7d'
const weekOf = (part: 'compute_awake_seconds_total' | 'compute_idle_tail_seconds_total'): string =>
  perCompute(part, increaseOver(WEEK))

const COMPUTES: BoardSection = {
  title: 'Computes',
  lines: [
    {
      height: 12,
      panels: [
        tablePanel({
          title: 'Computes, the last 7 days, money in $currency',
          description:
            'Spend and shares are of the last 7 days, whatever the time range; the other columns are current. Largest saving: of its open recommendations, in 30 days.',
          width: 24,
          rows: COMPUTE_FACTS,
          labels: COMPUTE_LABELS,
          hidden: COMPUTE_HIDDEN,
          links: TO_COMPUTE,
          sortBy: 'Spend',
          columns: [
            { name: 'State', expr: STATE, unit: 'none', mapping: STATE_MAPPING },
            { name: 'CU, smallest', expr: perCompute('compute_cu_min'), unit: 'none' },
            { name: 'CU, largest', expr: perCompute('compute_cu_max'), unit: 'none' },
            { name: 'CU now', expr: perCompute('compute_cu'), unit: 'none', decimals: 2 },
            {
              name: 'Spend',
              expr: moneyPerCompute('compute_spend_total', increaseOver(WEEK)),
              unit: 'short',
              decimals: 2,
            },
            {
              name: 'Of it for nothing',
              expr: `${moneyPerCompute('compute_unproductive_spend_total', increaseOver(WEEK))} / (${moneyPerCompute('compute_spend_total', increaseOver(WEEK))} > 0)`,
              unit: 'percentunit',
              decimals: 0,
              bad: [
                [0.2, 'orange'],
                [0.5, 'red'],
              ],
            },
            {
              name: 'Awake',
              expr: `${weekOf('compute_awake_seconds_total')} / ${7 * 86_400}`,
              unit: 'percentunit',
              decimals: 0,
            },
            {
              name: 'Idle tail of it',
              expr: `${weekOf('compute_idle_tail_seconds_total')} / (${weekOf('compute_awake_seconds_total')} > 0)`,
              unit: 'percentunit',
              decimals: 0,
              bad: [
                [0.3, 'orange'],
                [0.6, 'red'],
              ],
            },
            {
              name: 'Wakes',
              expr: perCompute('compute_wakes_total', increaseOver(WEEK)),
              unit: 'none',
              decimals: 0,
            },
            {
              name: 'Hit ratio',
              expr: hitRatio(increaseOver(WEEK)),
              unit: 'percentunit',
              decimals: 1,
              good: [
                [0.9, 'orange'],
                [0.99, 'green'],
              ],
            },
            {
              name: 'Connections',
              expr: CONNECTION_SHARE,
              unit: 'percentunit',
              decimals: 0,
              bad: [
                [0.8, 'orange'],
                [0.95, 'red'],
              ],
            },
            {
              name: 'Recommendations',
              expr: `count ${BY_LABELS.compute} (${perComputeAnd(['kind'], 'recommendation_info')})`,
              unit: 'none',
            },
            {
              name: 'Largest saving',
              expr: moneyPerCompute('recommendation_saving_per_month'),
              unit: 'short',
              decimals: 2,
            },
          ],
        }),
      ],
    },
    {
      height: 12,
      panels: [
        statePanel({
          title: 'State of every compute',
          description: 'Twenty at a time. Unknown: the service does not answer.',
          width: 24,
          unit: 'none',
          mapping: STATE_MAPPING,
          queries: [{ expr: named(owned(STATE)), legend: '{{project_name}} {{endpoint_id}}' }],
        }),
      ],
    },
  ],
}

export const FLEET_BOARD: Board = {
  uid: 'dormouse-fleet',
  title: 'Dormouse: fleet and spend',
  description: 'Spend of the computes against their budgets, the unproductive part of it, and the teams.',
  from: 'now-24h',
  sections: [NOW, BUDGETS_SECTION, SPEND_SECTION, COMPUTES],
  annotations: [ANNOTATIONS.RUNGS, ANNOTATIONS.RESIZED],
}
