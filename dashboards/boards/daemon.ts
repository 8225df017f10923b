// The daemon board: whether Dormouse runs, observes, is accurate and causes no wakes.
import { ANNOTATIONS, type Board, type BoardSection } from './board.ts'
import { OBSERVER_EFFECT_SECTION, ACCURACY_SECTION } from './daemon-accuracy.ts'
import { OUTPUTS_SECTION, PROCESS_SECTION } from './daemon-outputs.ts'
import { API_SECTION, OBSERVATION_SECTION } from './daemon-service.ts'
import { heatmapPanel, statPanel } from './kinds.ts'
import { seriesOf, ofProcess, rateBy, since, quantile, buckets } from './query.ts'
import { YES_MAPPING } from './states.ts'
import { tablePanel } from './table.ts'
import { timeseriesPanel } from './timeseries.ts'

const STATUS: BoardSection = {
  title: 'Status',
  lines: [
    {
      height: 5,
      panels: [
        tablePanel({
          title: 'Processes',
          description: 'Every process that is scraped.',
          width: 12,
          rows: `max by (instance, version, node_version, tzdata, mode) (${seriesOf('build_info')} * on (job, instance) group_left (mode) ${seriesOf('config_info')})`,
          labels: {
            instance: 'Instance',
            version: 'Version',
            node_version: 'Node',
            tzdata: 'Time zones',
            mode: 'Mode',
          },
          sortBy: 'Running for',
          columns: [
            {
              name: 'Running for',
              expr: `time() - max by (instance) (${ofProcess('process_start_time_seconds')})`,
              unit: 's',
            },
            {
              name: 'Configuration loaded',
              expr: `1000 * max by (instance) (${seriesOf('config_last_reload_success_timestamp_seconds')})`,
              unit: 'dateTimeFromNow',
            },
            {
              name: 'Last reload accepted',
              expr: `max by (instance) (${seriesOf('config_last_reload_successful')})`,
              unit: 'none',
              mapping: YES_MAPPING,
            },
          ],
        }),
        statPanel({
          title: 'Age of the data',
          description: 'Time since the last pass ended, and since it started.',
          width: 3,
          unit: 's',
          decimals: 0,
          bad: [
            [180, 'orange'],
            [600, 'red'],
          ],
          queries: [
            { expr: `time() - max(${seriesOf('snapshot_timestamp_seconds')})`, legend: 'ended' },
            { expr: `time() - max(${seriesOf('loop_last_tick_timestamp_seconds')})`, legend: 'started' },
          ],
        }),
        statPanel({
          title: 'Last success',
          description: 'Time since the last successful run, of the account that is furthest behind.',
          width: 3,
          unit: 's',
          decimals: 0,
          bad: [
            [180, 'orange'],
            [600, 'red'],
          ],
          queries: [
            { expr: since('job_last_success_timestamp_seconds', 'job_name'), legend: '{{job_name}}' },
          ],
        }),
        statPanel({
          title: 'Time until overdue',
          description: 'Time until the next success is overdue. Below 0 the data is out of date.',
          width: 3,
          unit: 's',
          decimals: 0,
          good: [[0, 'green']],
          queries: [
            {
              expr: `min by (job_name) (${seriesOf('job_deadline_timestamp_seconds')}) - time()`,
              legend: '{{job_name}}',
            },
          ],
        }),
        statPanel({
          title: 'Next run',
          description: 'Time until the next run. The wait doubles while the service does not answer.',
          width: 3,
          unit: 's',
          decimals: 0,
          queries: [
            {
              expr: `min by (job_name) (${seriesOf('job_next_run_timestamp_seconds')}) - time()`,
              legend: '{{job_name}}',
            },
          ],
        }),
      ],
    },
    {
      height: 8,
      panels: [
        heatmapPanel({
          title: 'Duration of passes',
          description: 'A pass starts every minute; one that takes longer skips the next.',
          width: 6,
          unit: 's',
          queries: [{ expr: buckets('job_duration_seconds'), legend: '{{le}}' }],
        }),
        timeseriesPanel({
          title: 'Passes by stage',
          description: 'The 95th percentile of each stage of a pass.',
          width: 6,
          unit: 's',
          min: 0,
          queries: [{ expr: quantile(0.95, 'pass_stage_duration_seconds', 'stage'), legend: '{{stage}}' }],
        }),
        timeseriesPanel({
          title: 'Passes by result',
          description: 'Per second. A failed pass drops its observations; the next one observes them again.',
          width: 6,
          unit: 'ops',
          min: 0,
          queries: [
            { expr: rateBy('job_runs_total', 'job_name', 'result'), legend: '{{job_name}} {{result}}' },
          ],
        }),
        timeseriesPanel({
          title: 'Duration of store commits',
          description: 'A pass makes many commits; each is on disk when it ends.',
          width: 6,
          unit: 's',
          min: 0,
          queries: [
            { expr: quantile(0.5, 'store_commit_seconds'), legend: 'p50' },
            { expr: quantile(0.99, 'store_commit_seconds'), legend: 'p99' },
          ],
        }),
      ],
    },
  ],
}

export const DAEMON_BOARD: Board = {
  uid: 'dormouse-daemon',
  title: 'Dormouse: daemon',
  description: 'Whether Dormouse runs, observes, is accurate and causes no wakes.',
  from: 'now-6h',
  sections: [
    STATUS,
    OBSERVER_EFFECT_SECTION,
    API_SECTION,
    OBSERVATION_SECTION,
    ACCURACY_SECTION,
    OUTPUTS_SECTION,
    PROCESS_SECTION,
  ],
  annotations: [ANNOTATIONS.RESTARTS],
}
