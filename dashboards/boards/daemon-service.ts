// Of D: how the service answers, and what is seen of it.
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
          title: 'Requests by answer',
          description: 'Per second, by status, or network, or timeout.',
          width: 8,
          unit: 'reqps',
          min: 0,
          stacked: true,
          queries: [{ expr: `${rateBy('apiRequests', 'code')} > 0`, legend: '{{code}}' }],
        }),
        timeseriesPanel({
          title: 'Requests by what they ask and for whom',
          description: 'Per second.',
          width: 8,
          unit: 'reqps',
          min: 0,
          stacked: true,
          queries: [
            {
              expr: `${rateBy('apiRequests', 'operation', 'priority')} > 0`,
              legend: '{{operation}} for {{priority}}',
            },
          ],
        }),
        timeseriesPanel({
          title: 'How long it takes to answer',
          description: 'Half of the requests take less than p50, one in a hundred longer than p99.',
          width: 8,
          unit: 's',
          min: 0,
          queries: [
            { expr: quantile(0.5, 'apiDuration', 'operation'), legend: '{{operation}} p50' },
            { expr: quantile(0.99, 'apiDuration', 'operation'), legend: '{{operation}} p99' },
          ],
        }),
      ],
    },
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Waiting for the request budget',
          description: 'Seconds per second that requests waited for it, or for a 429 to end, all together.',
          width: 5,
          unit: 'none',
          min: 0,
          queries: [{ expr: rateBy('apiLimited', 'priority'), legend: 'for {{priority}}' }],
        }),
        timeseriesPanel({
          title: 'What 429 left of the budget',
          description: 'The share that each operation has; it grows back within ten minutes.',
          width: 5,
          unit: 'percentunit',
          min: 0,
          max: 1,
          queries: [
            { expr: `min by (key, operation) (${seriesOf('apiRate')})`, legend: '{{key}} {{operation}}' },
          ],
        }),
        timeseriesPanel({
          title: 'Requests that may go out at once',
          description: 'Of each account, as of its last answer. At 0 they wait for the request budget.',
          width: 5,
          unit: 'none',
          decimals: 0,
          min: 0,
          queries: [{ expr: `min by (key) (${seriesOf('apiTokens')})`, legend: '{{key}}' }],
        }),
        timeseriesPanel({
          title: 'Repeated requests',
          description: 'Per second. Only reads are repeated.',
          width: 5,
          unit: 'reqps',
          min: 0,
          queries: [{ expr: rateBy('apiRetries', 'operation'), legend: '{{operation}}' }],
        }),
        statPanel({
          title: 'API key refused',
          description:
            'How long ago the service last refused the key of an account; nothing if it never did.',
          width: 4,
          unit: 's',
          decimals: 0,
          queries: [{ expr: since('apiLastRejected', 'key'), legend: '{{key}}' }],
        }),
      ],
    },
  ],
}

export const OBSERVATION_SECTION: BoardSection = {
  title: 'What it sees',
  lines: [
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Age of what is known of awake computes',
          description:
            'Half of those that are awake were looked at later than p50; p100 is the one that was longest ago.',
          width: 6,
          unit: 's',
          min: 0,
          queries: [{ expr: `max by (percentile) (${seriesOf('recordAge')})`, legend: 'p{{percentile}}' }],
        }),
        timeseriesPanel({
          title: 'Age of the project list, and of what is waited for',
          description:
            'Of the project that was listed longest ago, and of the one whose operations were needed longest.',
          width: 6,
          unit: 's',
          min: 0,
          queries: [
            { expr: `max by (key) (${seriesOf('listAge')})`, legend: '{{key}} list' },
            { expr: `max by (key) (${seriesOf('operationsWait')})`, legend: '{{key}} operations' },
          ],
        }),
        timeseriesPanel({
          title: 'Left for the next pass',
          description: 'Projects, by why they were to be looked at: the request budget did not pay for them.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          stacked: true,
          queries: [
            { expr: `max by (key, urgency) (${seriesOf('pollBacklog')})`, legend: '{{key}} {{urgency}}' },
          ],
        }),
        timeseriesPanel({
          title: 'What could not be read',
          description: 'Requests, pages and records of the last sweep. The status names them.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          bad: [[1, 'orange']],
          queries: [{ expr: `max by (key) (${seriesOf('sweepProblems')})`, legend: '{{key}}' }],
        }),
      ],
    },
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Readings by result',
          description: 'By the hour, or longer. What is skipped is the quiet rule at work, not an error.',
          width: 8,
          unit: 'none',
          decimals: 0,
          min: 0,
          stacked: true,
          bars: '1h',
          queries: [
            {
              expr: `max by (result) (increase(${seriesOf('readings')}[$__interval]))`,
              legend: '{{result}}',
            },
          ],
        }),
        barPanel({
          title: 'Never read, and why',
          description: 'Computes. Not yet: they sleep, or must not be disturbed.',
          width: 4,
          unit: 'none',
          decimals: 0,
          queries: [{ expr: `max by (reason) (${seriesOf('computesUnreadable')})`, legend: '{{reason}}' }],
        }),
        statPanel({
          title: 'Lag of activity',
          description: 'How late the service shows it, measured.',
          width: 4,
          unit: 's',
          decimals: 0,
          queries: [{ expr: `max by (account) (${seriesOf('activityLag')})`, legend: '{{account}}' }],
        }),
        timeseriesPanel({
          title: 'Operations that go on',
          description: 'Of the service, and how old the oldest is: after a quarter of an hour one is stuck.',
          width: 8,
          unit: 's',
          decimals: 0,
          min: 0,
          bad: [[900, 'red']],
          queries: [
            {
              expr: ownedProject(
                `time() - min by (project_id, action) (${seriesOf('operationOldest', ...MATCHERS.project)})`,
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
          title: 'How long readings take',
          description:
            'Light ones look at sessions, full ones at the file cache, too. Failed ones are among them.',
          width: 12,
          unit: 's',
          min: 0,
          queries: [
            { expr: quantile(0.5, 'readingDuration', 'kind'), legend: '{{kind}} p50' },
            { expr: quantile(0.99, 'readingDuration', 'kind'), legend: '{{kind}} p99' },
          ],
        }),
        barPanel({
          title: 'Computes that differ from the preset',
          description:
            'What was read is another than service.preset says, and is used. With many, another preset fits.',
          width: 12,
          unit: 'none',
          decimals: 0,
          queries: [
            { expr: `sum by (what) (${perComputeAnd(['what'], 'presetMismatch')})`, legend: '{{what}}' },
          ],
        }),
      ],
    },
  ],
}
