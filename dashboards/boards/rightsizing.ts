// C: what an engineer has to see to give a compute another size or another delay, and what came of it.
import { ANNOTATIONS, type Board, type BoardSection } from './board.ts'
import { SIZES_SECTION, DELAYS_SECTION, COST, WASTE, MOST_CONNECTIONS } from './rightsizing-tables.ts'
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
          description: 'Of all chosen computes in the time shown, and what nobody got anything for.',
          width: 6,
          unit: 'short',
          decimals: 2,
          queries: [
            { expr: `sum(${owned(COST, over('last'))})`, legend: 'spend' },
            { expr: `sum(${owned(WASTE, over('last'))})`, legend: 'for nothing' },
          ],
        }),
        statPanel({
          title: 'Never suspend, by their settings',
          description: 'Computes with autosuspend off are paid for day and night.',
          width: 6,
          unit: 'none',
          bad: [[1, 'orange']],
          queries: [
            { expr: `sum((${owned(perCompute('autosuspendEnabled'))}) == bool 0)`, legend: 'computes' },
          ],
        }),
        statPanel({
          title: 'Cache too small',
          description:
            'Computes that found less than 99 % of their pages in the file cache: a larger least size helps.',
          width: 6,
          unit: 'none',
          bad: [[1, 'orange']],
          queries: [{ expr: `sum((${owned(hitRatio(increaseOver()))}) < bool 0.99)`, legend: 'computes' }],
        }),
        statPanel({
          title: 'Near their connection limit',
          description:
            'Computes above 80 % of their connections at some time: the pooled host, or a larger least size.',
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

const CHANGES: BoardSection = {
  title: 'What came of changes: marks show where sizes or delays were changed, whoever did it',
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
          queries: [{ expr: `3600 * (${owned(moneyPerCompute('computeSpend', rate))})`, legend: ONE }],
        }),
        timeseriesPanel({
          title: 'Hit ratio of the file cache',
          description: 'It falls with every restart, and has to come back.',
          width: 8,
          unit: 'percentunit',
          decimals: 1,
          max: 1,
          good: [[0.99, 'green']],
          queries: [{ expr: owned(hitRatio(rate)), legend: ONE }],
        }),
        timeseriesPanel({
          title: 'Connections of the limit',
          description: 'A smaller least size has a lower limit. Needs the rules of dashboards/alerts.yaml.',
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
          description: 'By the hour, or longer. A shorter delay means more of them.',
          width: 8,
          unit: 'none',
          decimals: 0,
          min: 0,
          bars: '1h',
          queries: [{ expr: owned(perCompute('wakes', increaseOver('$__interval'))), legend: ONE }],
        }),
        timeseriesPanel({
          title: 'Restarts',
          description: 'By the hour, or longer. Each interrupts connections.',
          width: 8,
          unit: 'none',
          decimals: 0,
          min: 0,
          bars: '1h',
          queries: [{ expr: owned(perCompute('restarts', increaseOver('$__interval'))), legend: ONE }],
        }),
        timeseriesPanel({
          title: 'Operations of the service',
          description:
            'By the hour, or longer: what it did to computes, by what became of it, and attempts that failed. Of all computes.',
          width: 8,
          unit: 'none',
          decimals: 0,
          min: 0,
          bars: '1h',
          queries: [
            {
              expr: `max by (action, status) (increase(${seriesOf('operationsEnded')}[$__interval]))`,
              legend: '{{action}} {{status}}',
            },
            {
              expr: `max by (action) (increase(${seriesOf('operationFailures')}[$__interval]))`,
              legend: '{{action}}, attempts that failed',
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
  description: 'What has to be seen to give a compute another size or another delay, and what came of it.',
  from: 'now-7d',
  sections: [NOW, SIZES_SECTION, DELAYS_SECTION, CHANGES],
  annotations: [ANNOTATIONS.RESIZED, ANNOTATIONS.DELAYED, ANNOTATIONS.RESTARTS],
}
