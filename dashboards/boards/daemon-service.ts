// Sections of the daemon board: responses of the service, and observation.
import type { BoardSection } from './board.ts'
import { barPanel, statPanel } from './kinds.ts'
import { seriesOf, perComputeAnd, ownedProject, rateBy, since, quantile, MATCHERS } from './query.ts'
import { timeseriesPanel } from './timeseries.ts'

export const API_SECTION: BoardSection = {
  title: 'The API of the service',
  lines: [
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Requests by status',
          description: 'Per second, by HTTP status; `network` and `timeout` are requests without a response.',
          width: 8,
          unit: 'reqps',
          min: 0,
          stacked: true,
          queries: [{ expr: `${rateBy('api_requests_total', 'code')} > 0`, legend: '{{code}}' }],
        }),
        timeseriesPanel({
          title: 'Requests by operation and priority',
          description: 'Per second.',
          width: 8,
          unit: 'reqps',
          min: 0,
          stacked: true,
          queries: [
            {
              expr: `${rateBy('api_requests_total', 'operation', 'priority')} > 0`,
              legend: '{{operation}} for {{priority}}',
            },
          ],
        }),
        timeseriesPanel({
          title: 'Response time',
          description: 'Half of the requests take less than p50, one in a hundred longer than p99.',
          width: 8,
          unit: 's',
          min: 0,
          queries: [
            { expr: quantile(0.5, 'api_request_duration_seconds', 'operation'), legend: '{{operation}} p50' },
            {
              expr: quantile(0.99, 'api_request_duration_seconds', 'operation'),
              legend: '{{operation}} p99',
            },
          ],
        }),
      ],
    },
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Waiting for the request allowance',
          description:
            'Seconds per second that requests waited for the allowance or for the end of a 429, summed over all requests.',
          width: 5,
          unit: 'none',
          min: 0,
          queries: [
            { expr: rateBy('api_rate_limited_seconds_total', 'priority'), legend: 'for {{priority}}' },
          ],
        }),
        timeseriesPanel({
          title: 'Request rate after 429',
          description: 'Share of the full rate that each operation has; it recovers within ten minutes.',
          width: 5,
          unit: 'percentunit',
          min: 0,
          max: 1,
          queries: [
            {
              expr: `min by (key, operation) (${seriesOf('api_rate_ratio')})`,
              legend: '{{key}} {{operation}}',
            },
          ],
        }),
        timeseriesPanel({
          title: 'Requests available',
          description:
            'Requests that an account may send at once, as of its last response. At 0 requests wait for the allowance.',
          width: 5,
          unit: 'none',
          decimals: 0,
          min: 0,
          queries: [{ expr: `min by (key) (${seriesOf('api_tokens')})`, legend: '{{key}}' }],
        }),
        timeseriesPanel({
          title: 'Retried requests',
          description: 'Per second. Only reads are retried.',
          width: 5,
          unit: 'reqps',
          min: 0,
          queries: [{ expr: rateBy('api_retries_total', 'operation'), legend: '{{operation}}' }],
        }),
        statPanel({
          title: 'API key refused',
          description: 'Time since the service last refused the key of an account; empty if it never did.',
          width: 4,
          unit: 's',
          decimals: 0,
          queries: [{ expr: since('api_last_rejected_timestamp_seconds', 'key'), legend: '{{key}}' }],
        }),
      ],
    },
  ],
}

export const OBSERVATION_SECTION: BoardSection = {
  title: 'Observation',
  lines: [
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Age of observations of awake computes',
          description:
            'p50: half of the awake computes were observed more recently. p100: the oldest observation.',
          width: 6,
          unit: 's',
          min: 0,
          queries: [
            { expr: `max by (percentile) (${seriesOf('record_age_seconds')})`, legend: 'p{{percentile}}' },
          ],
        }),
        timeseriesPanel({
          title: 'Age of the project list, and wait for operations',
          description:
            'Age of the oldest list entry, and the longest time that needed operations have not been read.',
          width: 6,
          unit: 's',
          min: 0,
          queries: [
            { expr: `max by (key) (${seriesOf('project_list_age_seconds')})`, legend: '{{key}} list' },
            { expr: `max by (key) (${seriesOf('operations_wait_seconds')})`, legend: '{{key}} operations' },
          ],
        }),
        timeseriesPanel({
          title: 'Poll backlog',
          description: 'Projects that the request allowance left for the next pass, by urgency.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          stacked: true,
          queries: [
            { expr: `max by (key, urgency) (${seriesOf('poll_backlog')})`, legend: '{{key}} {{urgency}}' },
          ],
        }),
        timeseriesPanel({
          title: 'Problems of the last sweep',
          description: 'Requests, pages and records that could not be read. `dormouse status` names them.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          bad: [[1, 'orange']],
          queries: [{ expr: `max by (key) (${seriesOf('sweep_problems')})`, legend: '{{key}}' }],
        }),
      ],
    },
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Readings by result',
          description:
            'Per hour, or per longer interval. Skipped readings are refusals of the quiet rule, not errors.',
          width: 8,
          unit: 'none',
          decimals: 0,
          min: 0,
          stacked: true,
          bars: '1h',
          queries: [
            {
              expr: `max by (result) (increase(${seriesOf('readings_total')}[$__interval]))`,
              legend: '{{result}}',
            },
          ],
        }),
        barPanel({
          title: 'Computes never read, by reason',
          description: 'Not yet: they sleep, or the quiet rule has not allowed a reading.',
          width: 4,
          unit: 'none',
          decimals: 0,
          queries: [{ expr: `max by (reason) (${seriesOf('computes_unreadable')})`, legend: '{{reason}}' }],
        }),
        statPanel({
          title: 'Activity lag',
          description: 'How late the service shows client activity, measured.',
          width: 4,
          unit: 's',
          decimals: 0,
          queries: [
            { expr: `max by (account) (${seriesOf('activity_lag_seconds')})`, legend: '{{account}}' },
          ],
        }),
        timeseriesPanel({
          title: 'Oldest operations in progress',
          description:
            'Age of the oldest operation of the service, by action and project. After 15 minutes it counts as stuck.',
          width: 8,
          unit: 's',
          decimals: 0,
          min: 0,
          bad: [[900, 'red']],
          queries: [
            {
              expr: ownedProject(
                `time() - min by (project_id, action) (${seriesOf('operation_oldest_in_progress_timestamp_seconds', ...MATCHERS.project)})`,
              ),
              legend: '{{action}} {{project_id}}',
            },
          ],
        }),
      ],
    },
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Duration of readings',
          description:
            'Light readings query sessions, full readings also the file cache. Failed readings are included.',
          width: 12,
          unit: 's',
          min: 0,
          queries: [
            { expr: quantile(0.5, 'reading_duration_seconds', 'kind'), legend: '{{kind}} p50' },
            { expr: quantile(0.99, 'reading_duration_seconds', 'kind'), legend: '{{kind}} p99' },
          ],
        }),
        barPanel({
          title: 'Computes that differ from the preset',
          description:
            'Values read inside Postgres that differ from service.preset; the values read are used. Many of them mean that another preset fits.',
          width: 12,
          unit: 'none',
          decimals: 0,
          queries: [
            {
              expr: `sum by (what) (${perComputeAnd(['what'], 'compute_preset_mismatch')})`,
              legend: '{{what}}',
            },
          ],
        }),
      ],
    },
  ],
}
