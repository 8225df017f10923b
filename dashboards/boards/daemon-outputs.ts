// Sections of the daemon board: what leaves the daemon, and what its process needs.
import type { BoardSection } from './board.ts'
import { statPanel } from './kinds.ts'
import { seriesOf, ofProcess, rateBy, since, quantile } from './query.ts'
import { timeseriesPanel } from './timeseries.ts'

export const OUTPUTS_SECTION: BoardSection = {
  title: 'What is told outside',
  lines: [
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Notifications',
          description:
            'By the hour, or longer: attempts by receiver and result. Failed: given up. Dropped: too many waited.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          bars: '1h',
          queries: [
            {
              expr: `sum by (sink, result) (increase(${seriesOf('notifications')}[$__interval]))`,
              legend: '{{sink}} {{result}}',
            },
          ],
        }),
        timeseriesPanel({
          title: 'Reports',
          description: 'By the day, or longer: attempts to deliver one, by receiver and result.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          bars: '1d',
          queries: [
            {
              expr: `sum by (sink, result) (increase(${seriesOf('reportDeliveries')}[$__interval]))`,
              legend: '{{sink}} {{result}}',
            },
          ],
        }),
        statPanel({
          title: 'Last report delivered',
          description: 'How long ago. One is due every week.',
          width: 4,
          unit: 's',
          decimals: 0,
          bad: [[8 * 86_400, 'red']],
          queries: [{ expr: since('reportLastSuccess', 'account', 'sink'), legend: '{{account}} {{sink}}' }],
        }),
        timeseriesPanel({
          title: 'Answers by route',
          description: 'Per second, of both listeners.',
          width: 8,
          unit: 'reqps',
          min: 0,
          queries: [{ expr: rateBy('httpRequests', 'route', 'code'), legend: '{{route}} {{code}}' }],
        }),
      ],
    },
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Series, and computes without',
          description:
            'Of the last snapshot. Computes without series of their own: metrics.max_series or metrics.per_compute.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          queries: [
            { expr: `max(${seriesOf('series')})`, legend: 'series' },
            { expr: `max(${seriesOf('computesDropped')})`, legend: 'computes without' },
          ],
        }),
        timeseriesPanel({
          title: 'Left out of the exposition',
          description:
            'Per second, by metric: because of the cap, because another has the same labels, or because it could not be rendered. The last two are faults of Dormouse.',
          width: 6,
          unit: 'ops',
          min: 0,
          queries: [
            { expr: rateBy('seriesDropped', 'family'), legend: '{{family}} cap' },
            { expr: rateBy('seriesDuplicate', 'family'), legend: '{{family}} twice' },
            { expr: rateBy('renderErrors', 'family'), legend: '{{family}} failed' },
          ],
        }),
        timeseriesPanel({
          title: 'Rendering and answering',
          description:
            'How long the last rendering took, and how long an answer takes until its body begins.',
          width: 6,
          unit: 's',
          min: 0,
          queries: [
            { expr: `max(${seriesOf('renderDuration')})`, legend: 'rendering' },
            { expr: quantile(0.99, 'httpDuration', 'route'), legend: '{{route}} p99' },
          ],
        }),
        statPanel({
          title: 'Own metrics missing',
          description: 'Whether the metrics of the process could not be read for the last scrape.',
          width: 6,
          unit: 'none',
          decimals: 0,
          bad: [[1, 'red']],
          queries: [{ expr: `max by (instance) (${seriesOf('selfMetricsError')})`, legend: '{{instance}}' }],
        }),
      ],
    },
  ],
}

export const PROCESS_SECTION: BoardSection = {
  title: 'The process',
  lines: [
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Memory',
          description: 'Resident, and the heap in use.',
          width: 8,
          unit: 'bytes',
          min: 0,
          queries: [
            { expr: ofProcess('process_resident_memory_bytes'), legend: '{{instance}} resident' },
            { expr: ofProcess('nodejs_heap_size_used_bytes'), legend: '{{instance}} heap' },
          ],
        }),
        timeseriesPanel({
          title: 'CPU',
          description: 'Of one core.',
          width: 8,
          unit: 'percentunit',
          min: 0,
          queries: [
            {
              expr: `rate(${ofProcess('process_cpu_seconds_total')}[$__rate_interval])`,
              legend: '{{instance}}',
            },
          ],
        }),
        timeseriesPanel({
          title: 'Lag of the event loop',
          description: 'How late what is due runs.',
          width: 8,
          unit: 's',
          min: 0,
          queries: [
            { expr: ofProcess('nodejs_eventloop_lag_p50_seconds'), legend: '{{instance}} p50' },
            { expr: ofProcess('nodejs_eventloop_lag_p99_seconds'), legend: '{{instance}} p99' },
          ],
        }),
      ],
    },
  ],
}
