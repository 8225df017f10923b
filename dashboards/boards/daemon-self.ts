// Of D: what looking costs, how right the account is, what is told outside, and what the process needs.
import type { Section } from './board.ts'
import { stat } from './kinds.ts'
import {
  of,
  ofProcess,
  grown,
  perCompute,
  ownedProject,
  perBudget,
  rateBy,
  since,
  quantile,
  CHOSEN,
} from './query.ts'
import { timeseries } from './timeseries.ts'

const ALL_AWAKE = `sum(${perCompute('awakeSeconds', grown('1d'))})`

export const HARM: Section = {
  title: 'Harm: what looking costs',
  lines: [
    {
      height: 8,
      panels: [
        timeseries({
          title: 'Wakes that observing caused',
          description:
            'Of the chosen projects, since the counter began. It must stay 0: anything else is a fault of Dormouse.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          bad: [[1, 'red']],
          queries: [
            {
              expr: `sum by (reason) (max by (project_id, reason) (increase(${of('wakeupsCaused', ...CHOSEN.project)}[$__range])))`,
              legend: '{{reason}}',
            },
          ],
        }),
        timeseries({
          title: 'Wakes by who caused them',
          description:
            'By the hour, or longer, of all computes. Unknown: the service names nobody, so it was a client, a user or the service.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          bars: '1h',
          queries: [
            { expr: `max by (initiator) (increase(${of('wakesBy')}[$__interval]))`, legend: '{{initiator}}' },
          ],
        }),
        timeseries({
          title: 'Awake time added by readings',
          description: 'Of all awake time of 24 hours. At most one in a hundred is planned for.',
          width: 6,
          unit: 'percentunit',
          decimals: 2,
          min: 0,
          bad: [[0.01, 'red']],
          queries: [
            {
              expr: `sum(${perCompute('awakeExtension', grown('1d'))}) / (${ALL_AWAKE} > 0)`,
              legend: 'added',
            },
          ],
        }),
        stat({
          title: 'What watching cost, $currency',
          description: 'The awake time that readings added, in the time shown.',
          width: 6,
          unit: 'short',
          decimals: 4,
          queries: [
            {
              expr: `max by (currency) (increase(${of('observerSpend', ...CHOSEN.money)}[$__range]))`,
              legend: '{{currency}}',
            },
          ],
        }),
      ],
    },
  ],
}

export const RIGHT: Section = {
  title: 'How right the account is',
  lines: [
    {
      height: 8,
      panels: [
        timeseries({
          title: 'Against what the service counts',
          description:
            'How far its CU-seconds of a project lie outside the bounds of the ledger; 0 inside. Above 2 % either way somebody has to look.',
          width: 8,
          unit: 'percentunit',
          decimals: 2,
          queries: [
            {
              expr: ownedProject(`max by (project_id) (${of('reconciliationError', ...CHOSEN.project)})`),
              legend: '{{project_id}}',
            },
          ],
        }),
        timeseries({
          title: 'Spend that is not sure',
          description:
            'Width of the spend of a project, by the likely value; and CU-time of which no fact dates an end.',
          width: 8,
          unit: 'percentunit',
          decimals: 2,
          min: 0,
          queries: [
            {
              expr: ownedProject(`max by (project_id) (${of('spendUncertainty', ...CHOSEN.project)})`),
              legend: '{{project_id}} width',
            },
            {
              expr: ownedProject(`max by (project_id) (${of('assumed', ...CHOSEN.project)})`),
              legend: '{{project_id}} assumed',
            },
          ],
        }),
        timeseries({
          title: 'Forecasts against what came',
          description:
            'On finished windows as long as the days that are left: how far p50 was off, and how often p10 to p90 held, which is 0.8 when they are as wide as they should be.',
          width: 8,
          unit: 'percentunit',
          decimals: 0,
          min: 0,
          queries: [
            { expr: perBudget('forecastError'), legend: '{{budget}} off by' },
            { expr: perBudget('forecastCoverage'), legend: '{{budget}} held' },
          ],
        }),
      ],
    },
  ],
}

export const OUTPUTS: Section = {
  title: 'What is told outside',
  lines: [
    {
      height: 8,
      panels: [
        timeseries({
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
              expr: `sum by (sink, result) (increase(${of('notifications')}[$__interval]))`,
              legend: '{{sink}} {{result}}',
            },
          ],
        }),
        timeseries({
          title: 'Reports',
          description: 'By the day, or longer: attempts to deliver one, by receiver and result.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          bars: '1d',
          queries: [
            {
              expr: `sum by (sink, result) (increase(${of('reportDeliveries')}[$__interval]))`,
              legend: '{{sink}} {{result}}',
            },
          ],
        }),
        stat({
          title: 'Last report delivered',
          description: 'How long ago. One is due every week.',
          width: 4,
          unit: 's',
          decimals: 0,
          bad: [[8 * 86_400, 'red']],
          queries: [{ expr: since('reportLastSuccess', 'account', 'sink'), legend: '{{account}} {{sink}}' }],
        }),
        timeseries({
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
        timeseries({
          title: 'Series, and computes without',
          description:
            'Of the last snapshot. Computes without series of their own: metrics.max_series or metrics.per_compute.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          queries: [
            { expr: `max(${of('series')})`, legend: 'series' },
            { expr: `max(${of('computesDropped')})`, legend: 'computes without' },
          ],
        }),
        timeseries({
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
        timeseries({
          title: 'Rendering and answering',
          description:
            'How long the last rendering took, and how long an answer takes until its body begins.',
          width: 6,
          unit: 's',
          min: 0,
          queries: [
            { expr: `max(${of('renderDuration')})`, legend: 'rendering' },
            { expr: quantile(0.99, 'httpDuration', 'route'), legend: '{{route}} p99' },
          ],
        }),
        stat({
          title: 'Own metrics missing',
          description: 'Whether the metrics of the process could not be read for the last scrape.',
          width: 6,
          unit: 'none',
          decimals: 0,
          bad: [[1, 'red']],
          queries: [{ expr: `max by (instance) (${of('selfMetricsError')})`, legend: '{{instance}}' }],
        }),
      ],
    },
  ],
}

export const SELF: Section = {
  title: 'The process',
  lines: [
    {
      height: 8,
      panels: [
        timeseries({
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
        timeseries({
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
        timeseries({
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
