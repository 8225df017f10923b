// The rightsizing board: grounds for changing sizes and delays, and effects of changes.
import { ANNOTATIONS, type Board, type BoardSection } from './board.ts'
import { SIZES_SECTION, DELAYS_SECTION, COST, WASTE, MOST_CONNECTIONS } from './rightsizing-tables.ts'
import { CHANGES_SECTION } from './rightsizing-changes.ts'
import { RECOMMENDATIONS_SECTION } from './rightsizing-recommendations.ts'
import { statPanel } from './kinds.ts'
import {
  seriesOf,
  rate,
  increaseOver,
  over,
  perCompute,
  moneyPerCompute,
  owned,
  hitRatio,
  CONNECTION_SHARE,
} from './query.ts'
import { timeseriesPanel } from './timeseries.ts'

const NOW: BoardSection = {
  title: 'Where to begin, in the time shown',
  lines: [
    {
      height: 5,
      panels: [
        statPanel({
          title: 'Spend, $currency',
          description:
            'Of all chosen computes in the time shown: all spend, and the unproductive part (awake for nothing).',
          width: 6,
          unit: 'short',
          decimals: 2,
          queries: [
            { expr: `sum(${owned(COST, over('last'))})`, legend: 'spend' },
            { expr: `sum(${owned(WASTE, over('last'))})`, legend: 'for nothing' },
          ],
        }),
        statPanel({
          title: 'Autosuspend off',
          description: 'Computes that never suspend cost money day and night.',
          width: 6,
          unit: 'none',
          bad: [[1, 'orange']],
          queries: [
            {
              expr: `sum((${owned(perCompute('compute_autosuspend_enabled'))}) == bool 0)`,
              legend: 'computes',
            },
          ],
        }),
        statPanel({
          title: 'Cache too small',
          description:
            'Computes that found less than 99 % of their pages in the file cache: raising the smallest size helps.',
          width: 6,
          unit: 'none',
          bad: [[1, 'orange']],
          queries: [{ expr: `sum((${owned(hitRatio(increaseOver()))}) < bool 0.99)`, legend: 'computes' }],
        }),
        statPanel({
          title: 'Near their connection limit',
          description:
            'Computes that used more than 80 % of their connections at some time: use the pooled host, or raise the smallest size.',
          width: 6,
          unit: 'none',
          bad: [[1, 'orange']],
          queries: [{ expr: `sum((${owned(MOST_CONNECTIONS)}) > bool 0.8)`, legend: 'computes' }],
        }),
      ],
    },
  ],
}

const ONE = '{{endpoint_id}}'

const EFFECTS: BoardSection = {
  title: 'Effects of changes: marks show where somebody changed a size or a delay',
  lines: [
    {
      height: 9,
      panels: [
        timeseriesPanel({
          title: 'Spend per hour, $currency',
          description: 'Before and after a change.',
          width: 8,
          unit: 'short',
          decimals: 3,
          min: 0,
          queries: [{ expr: `3600 * (${owned(moneyPerCompute('compute_spend_total', rate))})`, legend: ONE }],
        }),
        timeseriesPanel({
          title: 'Hit ratio of the file cache',
          description: 'It falls at every restart and should recover.',
          width: 8,
          unit: 'percentunit',
          decimals: 1,
          max: 1,
          good: [[0.99, 'green']],
          queries: [{ expr: owned(hitRatio(rate)), legend: ONE }],
        }),
        timeseriesPanel({
          title: 'Connections, share of the limit',
          description: 'The limit follows the smallest size. Needs the rules of dashboards/alerts.yaml.',
          width: 8,
          unit: 'percentunit',
          decimals: 0,
          min: 0,
          bad: [[0.8, 'red']],
          queries: [{ expr: owned(CONNECTION_SHARE), legend: ONE }],
        }),
      ],
    },
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Wakes',
          description: 'Per hour, or per longer interval. A shorter delay means more wakes.',
          width: 8,
          unit: 'none',
          decimals: 0,
          min: 0,
          bars: '1h',
          queries: [
            { expr: owned(perCompute('compute_wakes_total', increaseOver('$__interval'))), legend: ONE },
          ],
        }),
        timeseriesPanel({
          title: 'Restarts',
          description: 'Per hour, or per longer interval. Each restart interrupts connections.',
          width: 8,
          unit: 'none',
          decimals: 0,
          min: 0,
          bars: '1h',
          queries: [
            { expr: owned(perCompute('compute_restarts_total', increaseOver('$__interval'))), legend: ONE },
          ],
        }),
        timeseriesPanel({
          title: 'Operations of the service',
          description:
            'Operations on all computes per hour, or per longer interval, by action and outcome; and failed attempts.',
          width: 8,
          unit: 'none',
          decimals: 0,
          min: 0,
          bars: '1h',
          queries: [
            {
              expr: `max by (action, status) (increase(${seriesOf('operations_total')}[$__interval]))`,
              legend: '{{action}} {{status}}',
            },
            {
              expr: `max by (action) (increase(${seriesOf('operation_failures_total')}[$__interval]))`,
              legend: '{{action}}, failed attempts',
            },
          ],
        }),
      ],
    },
  ],
}

export const RIGHTSIZING_BOARD: Board = {
  uid: 'dormouse-rightsizing',
  title: 'Dormouse: rightsizing and changes',
  description:
    'Recommendations, grounds for changing the size or the delay of a compute, and the effects of changes.',
  from: 'now-7d',
  sections: [NOW, RECOMMENDATIONS_SECTION, CHANGES_SECTION, SIZES_SECTION, DELAYS_SECTION, EFFECTS],
  annotations: [ANNOTATIONS.RESIZED, ANNOTATIONS.DELAYED, ANNOTATIONS.RESTARTS],
}
