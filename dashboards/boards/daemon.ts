// D: whether Dormouse itself runs, sees, is right, and does no harm.
import { ANNOTATIONS, type Board, type BoardSection } from './board.ts'
import { OBSERVER_EFFECT_SECTION, ACCURACY_SECTION } from './daemon-accuracy.ts'
import { OUTPUTS_SECTION, PROCESS_SECTION } from './daemon-outputs.ts'
import { API_SECTION, OBSERVATION_SECTION } from './daemon-service.ts'
import { heatmapPanel, statPanel } from './kinds.ts'
import { seriesOf, ofProcess, rateBy, since, quantile, buckets } from './query.ts'
import { YES_MAPPING } from './states.ts'
import { tablePanel } from './table.ts'
import { timeseriesPanel } from './timeseries.ts'

const RUNS: BoardSection = {
  title: 'Runs',
  lines: [
    {
      height: 5,
      panels: [
        tablePanel({
          title: 'What runs',
          description: 'Each process that is scraped. Mode: how far it may go.',
          width: 12,
          rows: `max by (instance, version, node_version, tzdata, mode) (${seriesOf('buildInfo')} * on (job, instance) group_left (mode) ${seriesOf('configInfo')})`,
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
              name: 'Configuration of',
              expr: `1000 * max by (instance) (${seriesOf('configReloadTime')})`,
              unit: 'dateTimeFromNow',
            },
            {
              name: 'The last could be taken over',
              expr: `max by (instance) (${seriesOf('configReloaded')})`,
              unit: 'none',
              mapping: YES_MAPPING,
            },
          ],
        }),
        statPanel({
          title: 'Age of what is shown',
          description: 'Since the last pass was over, and since it began.',
          width: 3,
          unit: 's',
          decimals: 0,
          bad: [
            [180, 'orange'],
            [600, 'red'],
          ],
          queries: [
            { expr: `time() - max(${seriesOf('snapshotTimestamp')})`, legend: 'over' },
            { expr: `time() - max(${seriesOf('loopLastTick')})`, legend: 'begun' },
          ],
        }),
        statPanel({
          title: 'Last success',
          description: 'How long ago, of the account that is furthest behind.',
          width: 3,
          unit: 's',
          decimals: 0,
          bad: [
            [180, 'orange'],
            [600, 'red'],
          ],
          queries: [{ expr: since('jobSuccess', 'job_name'), legend: '{{job_name}}' }],
        }),
        statPanel({
          title: 'Until it is late',
          description: 'When one should have succeeded again. Below 0 nothing shown is to be relied on.',
          width: 3,
          unit: 's',
          decimals: 0,
          good: [[0, 'green']],
          queries: [
            { expr: `min by (job_name) (${seriesOf('jobDeadline')}) - time()`, legend: '{{job_name}}' },
          ],
        }),
        statPanel({
          title: 'Next run',
          description: 'In how long. The wait doubles while the service cannot be asked.',
          width: 3,
          unit: 's',
          decimals: 0,
          queries: [{ expr: `min by (job_name) (${seriesOf('jobNext')}) - time()`, legend: '{{job_name}}' }],
        }),
      ],
    },
    {
      height: 8,
      panels: [
        heatmapPanel({
          title: 'How long passes take',
          description: 'Of a minute each; one that takes longer loses the next.',
          width: 8,
          unit: 's',
          queries: [{ expr: buckets('jobDuration'), legend: '{{le}}' }],
        }),
        timeseriesPanel({
          title: 'Passes by result',
          description: 'Per second. A failure dropped what it saw; the next pass sees it again.',
          width: 8,
          unit: 'ops',
          min: 0,
          queries: [{ expr: rateBy('jobRuns', 'job_name', 'result'), legend: '{{job_name}} {{result}}' }],
        }),
        timeseriesPanel({
          title: 'How long a commit to the store takes',
          description: 'A pass has many; each is on the disk when it is over.',
          width: 8,
          unit: 's',
          min: 0,
          queries: [
            { expr: quantile(0.5, 'storeCommit'), legend: 'p50' },
            { expr: quantile(0.99, 'storeCommit'), legend: 'p99' },
          ],
        }),
      ],
    },
  ],
}

export const DAEMON_BOARD: Board = {
  uid: 'dormouse-daemon',
  title: 'Dormouse: daemon',
  description: 'Whether Dormouse itself runs, sees, is right, and does no harm.',
  from: 'now-6h',
  sections: [
    RUNS,
    OBSERVER_EFFECT_SECTION,
    API_SECTION,
    OBSERVATION_SECTION,
    ACCURACY_SECTION,
    OUTPUTS_SECTION,
    PROCESS_SECTION,
  ],
  annotations: [ANNOTATIONS.RESTARTS],
}
