// Sections of the rightsizing board: sizes and delays against use, by compute.
import type { BoardSection } from './board.ts'
import { barPanel } from './kinds.ts'
import {
  seriesOf,
  increaseOver,
  over,
  perCompute,
  moneyPerCompute,
  perComputeAnd,
  owned,
  named,
  COMPUTE_FACTS,
  hitRatio,
  connectionsIn,
  MATCHERS,
} from './query.ts'
import { COMPUTE_HIDDEN, COMPUTE_LABELS, TO_COMPUTE, YES_MAPPING } from './states.ts'
import { tablePanel } from './table.ts'
import { timeseriesPanel } from './timeseries.ts'

/** Mean size while awake. */
const MEAN_CU = `${perCompute('compute_cu_seconds_total', increaseOver())} / (${perCompute('compute_awake_seconds_total', increaseOver())} > 0)`
const LARGEST_CU = perCompute('compute_cu', over('max'))
const IDLE_SHARE = `${perCompute('compute_idle_tail_seconds_total', increaseOver())} / (${perCompute('compute_awake_seconds_total', increaseOver())} > 0)`
export const MOST_CONNECTIONS = `max_over_time((${connectionsIn()})[$__range:5m]) / ${perCompute('compute_max_connections')}`
/** Working set of the widest window of full readings. */
const WORKING_SET = perCompute('compute_working_set_bytes', over('max'), 'window="1h"')
export const COST = moneyPerCompute('compute_spend_total', increaseOver())
export const WASTE = moneyPerCompute('compute_unproductive_spend_total', increaseOver())

export const SIZES_SECTION: BoardSection = {
  title: 'Sizes against use, in the time shown',
  lines: [
    {
      height: 12,
      panels: [
        tablePanel({
          title: 'Sizes against use, money in $currency',
          description:
            'Largest CU seen below the largest size: that size is never reached and can be lowered. Hit ratio below 0.99, or a working set larger than the cache: the smallest size is too small. Connections: the limit follows the smallest size. A change of sizes restarts the compute.',
          width: 24,
          rows: COMPUTE_FACTS,
          labels: COMPUTE_LABELS,
          hidden: COMPUTE_HIDDEN,
          links: TO_COMPUTE,
          sortBy: 'Spend',
          columns: [
            { name: 'Spend', expr: COST, unit: 'short', decimals: 2 },
            { name: 'CU, smallest', expr: perCompute('compute_cu_min'), unit: 'none' },
            { name: 'CU, largest', expr: perCompute('compute_cu_max'), unit: 'none' },
            { name: 'CU while awake, mean', expr: MEAN_CU, unit: 'none', decimals: 2 },
            { name: 'CU, largest seen', expr: LARGEST_CU, unit: 'none', decimals: 2 },
            {
              name: 'Hit ratio',
              expr: hitRatio(increaseOver()),
              unit: 'percentunit',
              decimals: 1,
              good: [
                [0.9, 'orange'],
                [0.99, 'green'],
              ],
            },
            { name: 'Working set of 1 h', expr: WORKING_SET, unit: 'bytes' },
            { name: 'Cache', expr: perCompute('compute_file_cache_size_bytes', over('last')), unit: 'bytes' },
            {
              name: 'Connections, most',
              expr: MOST_CONNECTIONS,
              unit: 'percentunit',
              decimals: 0,
              bad: [
                [0.8, 'orange'],
                [0.95, 'red'],
              ],
            },
            {
              name: 'Statements at a time, most',
              expr: perCompute('compute_average_active_sessions', over('max')),
              unit: 'none',
              decimals: 1,
            },
          ],
        }),
      ],
    },
    {
      height: 9,
      panels: [
        barPanel({
          title: 'Mean size while awake, share of the largest',
          description:
            'The ten computes that use the smallest share of their largest size. A fixed size is always 100 %.',
          width: 8,
          unit: 'percentunit',
          decimals: 0,
          min: 0,
          max: 1,
          queries: [
            {
              expr: `bottomk(10, ${named(owned(`${MEAN_CU} / ${perCompute('compute_cu_max')}`))})`,
              legend: '{{project_name}} {{endpoint_id}}',
            },
          ],
        }),
        barPanel({
          title: 'Lowest hit ratios',
          description: 'The ten computes that found the smallest share of their pages in the file cache.',
          width: 8,
          unit: 'percentunit',
          decimals: 1,
          min: 0,
          max: 1,
          good: [
            [0.9, 'orange'],
            [0.99, 'green'],
          ],
          queries: [
            {
              expr: `bottomk(10, ${named(owned(hitRatio(increaseOver())))})`,
              legend: '{{project_name}} {{endpoint_id}}',
            },
          ],
        }),
        barPanel({
          title: 'Connections, share of the limit',
          description: 'The ten computes that came closest to their limit.',
          width: 8,
          unit: 'percentunit',
          decimals: 0,
          min: 0,
          max: 1,
          bad: [
            [0.8, 'orange'],
            [0.95, 'red'],
          ],
          queries: [
            {
              expr: `topk(10, ${named(owned(MOST_CONNECTIONS))})`,
              legend: '{{project_name}} {{endpoint_id}}',
            },
          ],
        }),
      ],
    },
  ],
}

export const DELAYS_SECTION: BoardSection = {
  title: 'Delays against sleep, in the time shown',
  lines: [
    {
      height: 12,
      panels: [
        tablePanel({
          title: 'Delays against sleep, money in $currency',
          description:
            'Large idle tail: a shorter delay saves that share, as long as the compute does not wake much more often. Many wakes: each makes a client wait. A change of the delay does not restart the compute.',
          width: 24,
          rows: COMPUTE_FACTS,
          labels: COMPUTE_LABELS,
          hidden: COMPUTE_HIDDEN,
          links: TO_COMPUTE,
          sortBy: 'For nothing',
          columns: [
            {
              name: 'Suspends by itself',
              expr: perCompute('compute_autosuspend_enabled'),
              unit: 'none',
              mapping: YES_MAPPING,
            },
            { name: 'Delay', expr: perCompute('compute_autosuspend_delay_seconds'), unit: 's' },
            { name: 'Awake', expr: perCompute('compute_awake_seconds_total', increaseOver()), unit: 's' },
            {
              name: 'Idle tail of it',
              expr: IDLE_SHARE,
              unit: 'percentunit',
              decimals: 0,
              bad: [
                [0.3, 'orange'],
                [0.6, 'red'],
              ],
            },
            {
              name: 'Wakes',
              expr: perCompute('compute_wakes_total', increaseOver()),
              unit: 'none',
              decimals: 0,
            },
            {
              name: 'Awake per wake',
              expr: `${perCompute('compute_awake_seconds_total', increaseOver())} / (${perCompute('compute_wakes_total', increaseOver())} > 0)`,
              unit: 's',
            },
            { name: 'Spend', expr: COST, unit: 'short', decimals: 2 },
            { name: 'For nothing', expr: WASTE, unit: 'short', decimals: 2 },
          ],
        }),
      ],
    },
    {
      height: 9,
      panels: [
        barPanel({
          title: 'Kept awake, by cause',
          description: 'Time that each cause kept computes awake, summed over computes, from readings.',
          width: 8,
          unit: 's',
          queries: [
            {
              expr: `sort_desc(sum by (cause) (300 * count_over_time((${perComputeAnd(['cause'], 'compute_suspend_blocked')})[$__range:5m])))`,
              legend: '{{cause}}',
            },
          ],
        }),
        timeseriesPanel({
          title: 'Awake for nothing per hour by cause, $currency',
          description: 'Unproductive spend, by what kept the computes awake.',
          width: 16,
          unit: 'short',
          decimals: 3,
          min: 0,
          stacked: true,
          queries: [
            {
              expr: `3600 * sum by (cause) (max by (team, cause) (rate(${seriesOf('unproductive_spend_total', ...MATCHERS.team, ...MATCHERS.money)}[$__rate_interval])))`,
              legend: '{{cause}}',
            },
          ],
        }),
      ],
    },
  ],
}
