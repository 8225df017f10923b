// Sections of the compute board: whether the size fits, and what the compute costs.
import type { BoardSection } from './board.ts'
import { rate, increaseOver, perCompute, moneyPerCompute, perComputeAnd, owned, hitRatio } from './query.ts'
import { timeseriesPanel } from './timeseries.ts'

const ONE = '{{endpoint_id}}'

/** Cache size at another compute size: it is proportional to the size. */
const cacheAt = (limit: 'compute_cu_min' | 'compute_cu_max'): string =>
  `${perCompute('compute_file_cache_size_bytes')} * ${perCompute(limit)} / (${perCompute('compute_cu')} > 0)`

export const SIZE_SECTION: BoardSection = {
  title: 'Size',
  lines: [
    {
      height: 9,
      panels: [
        timeseriesPanel({
          title: 'Size',
          description: 'Current CU between its limits; 0 while the compute sleeps.',
          width: 8,
          unit: 'none',
          decimals: 2,
          min: 0,
          stepped: true,
          limit: ' (smallest|largest)$',
          queries: [
            { expr: owned(perComputeAnd(['source'], 'compute_cu')), legend: `${ONE} now, {{source}}` },
            { expr: owned(perCompute('compute_cu_min')), legend: `${ONE} smallest` },
            { expr: owned(perCompute('compute_cu_max')), legend: `${ONE} largest` },
          ],
        }),
        timeseriesPanel({
          title: 'Hit ratio of the file cache',
          description:
            'Share of requested pages that were in the cache; `since its start` is the ratio that Postgres itself reports. Below 0.99 the working set does not fit.',
          width: 8,
          unit: 'percentunit',
          decimals: 1,
          max: 1,
          good: [[0.99, 'green']],
          queries: [
            { expr: owned(hitRatio(rate)), legend: ONE },
            {
              expr: owned(perCompute('compute_file_cache_lifetime_hit_ratio')),
              legend: `${ONE} since its start`,
            },
          ],
        }),
        timeseriesPanel({
          title: 'Requested pages',
          description: 'Per second: hits are served from the file cache, misses fetched from storage.',
          width: 8,
          unit: 'ops',
          min: 0,
          queries: [
            { expr: owned(perCompute('compute_file_cache_hits_total', rate)), legend: `${ONE} hits` },
            { expr: owned(perCompute('compute_file_cache_misses_total', rate)), legend: `${ONE} misses` },
          ],
        }),
      ],
    },
    {
      height: 9,
      panels: [
        timeseriesPanel({
          title: 'Working set against the cache',
          description:
            'Distinct bytes touched within a window, from full readings. The cache at the smallest and at the largest size is estimated from its present size.',
          width: 8,
          unit: 'bytes',
          min: 0,
          limit: ' cache (now|in use|at smallest|at largest)$',
          queries: [
            {
              expr: owned(perComputeAnd(['window'], 'compute_working_set_bytes')),
              legend: `${ONE} touched in {{window}}`,
            },
            { expr: owned(perCompute('compute_file_cache_size_bytes')), legend: `${ONE} cache now` },
            { expr: owned(perCompute('compute_file_cache_used_bytes')), legend: `${ONE} cache in use` },
            { expr: owned(cacheAt('compute_cu_min')), legend: `${ONE} cache at smallest` },
            { expr: owned(cacheAt('compute_cu_max')), legend: `${ONE} cache at largest` },
          ],
        }),
        timeseriesPanel({
          title: 'Connections against the limit',
          description:
            'Client connections at the last reading. The limit follows the smallest size, however large the compute is now.',
          width: 8,
          unit: 'none',
          decimals: 0,
          min: 0,
          stacked: true,
          limit: ' limit$',
          queries: [
            { expr: owned(perComputeAnd(['state'], 'compute_connections')), legend: `${ONE} {{state}}` },
            { expr: owned(perCompute('compute_max_connections')), legend: `${ONE} limit` },
          ],
        }),
        timeseriesPanel({
          title: 'Statements at a time, and the oldest transaction',
          description:
            'Running statements, averaged between readings; seconds since the oldest open transaction began.',
          width: 8,
          unit: 'none',
          decimals: 1,
          min: 0,
          queries: [
            { expr: owned(perCompute('compute_average_active_sessions')), legend: `${ONE} statements` },
            {
              expr: owned(perCompute('compute_longest_transaction_seconds')),
              legend: `${ONE} transaction, s`,
            },
          ],
        }),
      ],
    },
  ],
}

export const COST_SECTION: BoardSection = {
  title: 'Spend, $currency',
  lines: [
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Spend per hour, $currency',
          description: 'Accrued: spend that was counted. Now: price of an hour at the current size.',
          width: 12,
          unit: 'short',
          decimals: 3,
          min: 0,
          queries: [
            {
              expr: `3600 * (${owned(moneyPerCompute('compute_spend_total', rate))})`,
              legend: `${ONE} accrued`,
            },
            {
              expr: owned(moneyPerCompute('compute_spend_rate_per_hour', (selector) => selector)),
              legend: `${ONE} now`,
            },
          ],
        }),
        timeseriesPanel({
          title: 'Spend per day, $currency',
          description: 'Sum of the 24 hours before each point: all spend, and the unproductive part.',
          width: 12,
          unit: 'short',
          decimals: 2,
          min: 0,
          queries: [
            { expr: owned(moneyPerCompute('compute_spend_total', increaseOver('1d'))), legend: `${ONE} all` },
            {
              expr: owned(moneyPerCompute('compute_unproductive_spend_total', increaseOver('1d'))),
              legend: `${ONE} for nothing`,
            },
          ],
        }),
      ],
    },
  ],
}
