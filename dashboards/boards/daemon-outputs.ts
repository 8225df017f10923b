// Sections of the daemon board: outputs, and the process.
import type { BoardSection } from './board.ts'
import { statPanel } from './kinds.ts'
import { seriesOf, ofProcess, rateBy, since, quantile } from './query.ts'
import { timeseriesPanel } from './timeseries.ts'

/** A measurement includes the time between two of them, which is the shortest of them. */
const lagOf = (percentile: 'p50' | 'p99') =>
  `${ofProcess(`nodejs_eventloop_lag_${percentile}_seconds`)} - ${ofProcess('nodejs_eventloop_lag_min_seconds')}`

export const OUTPUTS_SECTION: BoardSection = {
  title: 'Outputs',
  lines: [
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Notifications',
          description:
            'Attempts by receiver and result, per hour or per longer interval. Failed: given up. Dropped: the queue was full.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          bars: '1h',
          queries: [
            {
              expr: `sum by (sink, result) (increase(${seriesOf('notifications_total')}[$__interval]))`,
              legend: '{{sink}} {{result}}',
            },
          ],
        }),
        timeseriesPanel({
          title: 'Reports',
          description:
            'Attempts to deliver a report, by receiver and result, per day or per longer interval.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          bars: '1d',
          queries: [
            {
              expr: `sum by (sink, result) (increase(${seriesOf('report_deliveries_total')}[$__interval]))`,
              legend: '{{sink}} {{result}}',
            },
          ],
        }),
        statPanel({
          title: 'Last report delivered',
          description:
            'Time since the last success. A report is due by report.schedule, every week where nothing else is configured.',
          width: 4,
          unit: 's',
          decimals: 0,
          bad: [[8 * 86_400, 'red']],
          queries: [
            {
              expr: since('report_last_success_timestamp_seconds', 'account', 'sink'),
              legend: '{{account}} {{sink}}',
            },
          ],
        }),
        timeseriesPanel({
          title: 'HTTP responses by route',
          description: 'Per second, of both listeners, and connections beyond a limit.',
          width: 8,
          unit: 'reqps',
          min: 0,
          queries: [
            { expr: rateBy('http_requests_total', 'route', 'code'), legend: '{{route}} {{code}}' },
            {
              expr: rateBy('http_connections_refused_total', 'listener', 'limit'),
              legend: '{{listener}} connections refused, {{limit}}',
            },
          ],
        }),
      ],
    },
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Series, and computes without series',
          description:
            'In the last snapshot. Computes have no series of their own beyond metrics.max_series, or when metrics.per_compute excludes them.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          queries: [
            { expr: `max(${seriesOf('series')})`, legend: 'series' },
            { expr: `max(${seriesOf('computes_dropped')})`, legend: 'computes without' },
          ],
        }),
        timeseriesPanel({
          title: 'Left out of the exposition',
          description:
            'Per second, by metric: beyond the cap, duplicate labels, or failed to render. The last two are faults of Dormouse.',
          width: 6,
          unit: 'ops',
          min: 0,
          queries: [
            { expr: rateBy('series_dropped_total', 'family'), legend: '{{family}} cap' },
            { expr: rateBy('series_duplicate_total', 'family'), legend: '{{family}} twice' },
            { expr: rateBy('render_errors_total', 'family'), legend: '{{family}} failed' },
          ],
        }),
        timeseriesPanel({
          title: 'Duration of rendering and of responses',
          description:
            'Duration of the last rendering of the exposition, and of responses until their body begins.',
          width: 6,
          unit: 's',
          min: 0,
          queries: [
            { expr: `max(${seriesOf('render_duration_seconds')})`, legend: 'rendering' },
            { expr: quantile(0.99, 'http_request_duration_seconds', 'route'), legend: '{{route}} p99' },
          ],
        }),
        statPanel({
          title: 'Own metrics missing',
          description: '1 where the metrics of the process could not be read for the last scrape.',
          width: 6,
          unit: 'none',
          decimals: 0,
          bad: [[1, 'red']],
          queries: [
            { expr: `max by (instance) (${seriesOf('self_metrics_error')})`, legend: '{{instance}}' },
          ],
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
          description: 'Resident memory, and the heap in use.',
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
          description: 'Share of one core.',
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
          description: 'How late due timers run: the time between two measurements, less the shortest.',
          width: 8,
          unit: 's',
          min: 0,
          queries: [
            { expr: lagOf('p50'), legend: '{{instance}} p50' },
            { expr: lagOf('p99'), legend: '{{instance}} p99' },
          ],
        }),
      ],
    },
  ],
}
