// D: whether Dormouse itself runs, sees, is right, and does no harm.
import { ANNOTATIONS, type Board, type Section } from './board.ts'
import { HARM, RIGHT, OUTPUTS, SELF } from './daemon-self.ts'
import { API, SIGHT } from './daemon-service.ts'
import { heatmap, stat } from './kinds.ts'
import { of, ofProcess, rateBy, since, quantile, buckets } from './query.ts'
import { YES } from './states.ts'
import { table } from './table.ts'
import { timeseries } from './timeseries.ts'

const RUNS: Section = {
  title: 'Runs',
  lines: [
    {
      height: 5,
      panels: [
        table({
          title: 'What runs',
          description: 'Each process that is scraped. Mode: how far it may go.',
          width: 12,
          rows: `max by (instance, version, node_version, tzdata, mode) (${of('buildInfo')} * on (job, instance) group_left (mode) ${of('configInfo')})`,
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
              expr: `1000 * max by (instance) (${of('configReloadTime')})`,
              unit: 'dateTimeFromNow',
            },
            {
              name: 'The last could be taken over',
              expr: `max by (instance) (${of('configReloaded')})`,
              unit: 'none',
              mapping: YES,
            },
          ],
        }),
        stat({
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
            { expr: `time() - max(${of('snapshotTimestamp')})`, legend: 'over' },
            { expr: `time() - max(${of('loopLastTick')})`, legend: 'begun' },
          ],
        }),
        stat({
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
        stat({
          title: 'Until it is late',
          description: 'When one should have succeeded again. Below 0 nothing shown is to be relied on.',
          width: 3,
          unit: 's',
          decimals: 0,
          good: [[0, 'green']],
          queries: [{ expr: `min by (job_name) (${of('jobDeadline')}) - time()`, legend: '{{job_name}}' }],
        }),
        stat({
          title: 'Next run',
          description: 'In how long. The wait doubles while the service cannot be asked.',
          width: 3,
          unit: 's',
          decimals: 0,
          queries: [{ expr: `min by (job_name) (${of('jobNext')}) - time()`, legend: '{{job_name}}' }],
        }),
      ],
    },
    {
      height: 8,
      panels: [
        heatmap({
          title: 'How long passes take',
          description: 'Of a minute each; one that takes longer loses the next.',
          width: 8,
          unit: 's',
          queries: [{ expr: buckets('jobDuration'), legend: '{{le}}' }],
        }),
        timeseries({
          title: 'Passes by result',
          description: 'Per second. A failure dropped what it saw; the next pass sees it again.',
          width: 8,
          unit: 'ops',
          min: 0,
          queries: [{ expr: rateBy('jobRuns', 'job_name', 'result'), legend: '{{job_name}} {{result}}' }],
        }),
        timeseries({
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

export const DAEMON: Board = {
  uid: 'dormouse-daemon',
  title: 'Dormouse: daemon',
  description: 'Whether Dormouse itself runs, sees, is right, and does no harm.',
  from: 'now-6h',
  sections: [RUNS, HARM, API, SIGHT, RIGHT, OUTPUTS, SELF],
  annotations: [ANNOTATIONS.RESTARTS],
}
