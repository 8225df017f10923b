// The compute board: state of one compute or a few, why it is awake, whether its size fits.
import { ANNOTATIONS, type Board, type BoardSection } from './board.ts'
import { SIZE_SECTION, COST_SECTION } from './compute-size.ts'
import { heatmapPanel, statPanel, statePanel } from './kinds.ts'
import type { Mapping } from './panel.ts'
import {
  rate,
  increaseOver,
  over,
  perCompute,
  moneyPerCompute,
  perComputeAnd,
  owned,
  bucketsByRegion,
  STATE,
  COMPUTE_FACTS,
} from './query.ts'
import { COMPUTE_HIDDEN, STATE_MAPPING, YES_MAPPING, COMPUTE_LABELS } from './states.ts'
import { tablePanel } from './table.ts'
import { timeseriesPanel } from './timeseries.ts'

const ONE = '{{endpoint_id}}'

const SETTINGS: BoardSection = {
  title: 'Compute',
  lines: [
    {
      height: 5,
      panels: [
        tablePanel({
          title: 'Settings',
          description:
            'As the service reports them. Choose a compute above: with many the board is slow and hard to read.',
          width: 16,
          rows: COMPUTE_FACTS,
          labels: { ...COMPUTE_LABELS, tier: 'Tier' },
          hidden: COMPUTE_HIDDEN.filter((name) => name !== 'tier'),
          sortBy: 'CU, largest',
          columns: [
            { name: 'CU, smallest', expr: perCompute('compute_cu_min'), unit: 'none' },
            { name: 'CU, largest', expr: perCompute('compute_cu_max'), unit: 'none' },
            {
              name: 'Suspends by itself',
              expr: perCompute('compute_autosuspend_enabled'),
              unit: 'none',
              mapping: YES_MAPPING,
            },
            { name: 'Delay', expr: perCompute('compute_autosuspend_delay_seconds'), unit: 's' },
            {
              name: 'Created',
              expr: `${perCompute('compute_created_timestamp_seconds')} * 1000`,
              unit: 'dateTimeFromNow',
            },
            {
              name: 'Last read',
              expr: `${perCompute('compute_reading_timestamp_seconds')} * 1000`,
              unit: 'dateTimeFromNow',
            },
            {
              name: 'Readable',
              expr: perCompute('compute_reading_success'),
              unit: 'none',
              mapping: YES_MAPPING,
            },
          ],
        }),
        statPanel({
          title: 'Spend, $currency',
          description: 'In the time shown: all spend, and the unproductive part (awake for nothing).',
          width: 4,
          unit: 'short',
          decimals: 2,
          queries: [
            {
              expr: `sum(${owned(moneyPerCompute('compute_spend_total', increaseOver()), over('last'))})`,
              legend: 'spend',
            },
            {
              expr: `sum(${owned(moneyPerCompute('compute_unproductive_spend_total', increaseOver()), over('last'))})`,
              legend: 'for nothing',
            },
          ],
        }),
        statPanel({
          title: 'Awake for',
          description: 'Time since the last wake; empty while it sleeps. A restart does not end it.',
          width: 4,
          unit: 's',
          decimals: 0,
          queries: [
            { expr: `time() - (${owned(perCompute('compute_awake_since_timestamp_seconds'))})`, legend: ONE },
          ],
        }),
      ],
    },
  ],
}

/** Awake time without the idle tail. */
const used = `${perCompute('compute_awake_seconds_total', rate)} - ${perCompute('compute_idle_tail_seconds_total', rate)}`

const CAUSES: Mapping = { 1: { text: 'held', color: 'orange', index: 0 } }

const AWAKE: BoardSection = {
  title: 'Awake',
  lines: [
    {
      height: 6,
      panels: [
        statePanel({
          title: 'State',
          description: 'Unknown: the service does not answer.',
          width: 24,
          unit: 'none',
          mapping: STATE_MAPPING,
          queries: [{ expr: owned(STATE), legend: ONE }],
        }),
      ],
    },
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Use and idle tail',
          description:
            'Share of time awake: in use, and idle tail (after the last activity, waiting for the delay).',
          width: 12,
          unit: 'percentunit',
          min: 0,
          stacked: true,
          queries: [
            { expr: owned(used), legend: `${ONE} in use` },
            { expr: owned(perCompute('compute_idle_tail_seconds_total', rate)), legend: `${ONE} idle tail` },
          ],
        }),
        statePanel({
          title: 'What keeps it awake',
          description:
            'Causes that readings found while it is awake. Empty: it is in use, or only waits for its delay.',
          width: 12,
          unit: 'none',
          mapping: CAUSES,
          queries: [
            { expr: owned(perComputeAnd(['cause'], 'compute_suspend_blocked')), legend: `${ONE} {{cause}}` },
          ],
        }),
      ],
    },
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Wakes',
          description:
            'Per hour, or per longer interval over a long time range. More than twelve an hour mean a client that returns just after each suspension.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          bars: '1h',
          queries: [
            { expr: owned(perCompute('compute_wakes_total', increaseOver('$__interval'))), legend: ONE },
          ],
        }),
        heatmapPanel({
          title: 'How long wakes take',
          description:
            'Duration of starts as the service records them, of all computes in the region. The first client waits that long.',
          width: 6,
          unit: 's',
          queries: [{ expr: bucketsByRegion('wake_latency_seconds'), legend: '{{le}}' }],
        }),
        timeseriesPanel({
          title: 'Suspensions and restarts',
          description:
            'Per hour, or per longer interval. A restart interrupts connections: the service stopped the compute and started it again.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          bars: '1h',
          queries: [
            {
              expr: owned(perCompute('compute_suspends_total', increaseOver('$__interval'))),
              legend: `${ONE} suspensions`,
            },
            {
              expr: owned(perCompute('compute_restarts_total', increaseOver('$__interval'))),
              legend: `${ONE} restarts`,
            },
          ],
        }),
        timeseriesPanel({
          title: 'Awake time added by readings',
          description: 'Share of its awake time that readings of Dormouse added. The target is at most 1 %.',
          width: 6,
          unit: 'percentunit',
          decimals: 2,
          min: 0,
          queries: [
            {
              expr: owned(
                `${perCompute('compute_awake_extension_seconds_total', increaseOver('1d'))} / (${perCompute('compute_awake_seconds_total', increaseOver('1d'))} > 0)`,
              ),
              legend: ONE,
            },
          ],
        }),
      ],
    },
  ],
}

export const COMPUTE_BOARD: Board = {
  uid: 'dormouse-compute',
  title: 'Dormouse: compute',
  description: 'One compute, or a few: its state, what keeps it awake, and whether its size fits its use.',
  from: 'now-24h',
  oneOf: 'compute',
  sections: [SETTINGS, AWAKE, SIZE_SECTION, COST_SECTION],
  annotations: [ANNOTATIONS.WAKES, ANNOTATIONS.RESIZED, ANNOTATIONS.DELAYED, ANNOTATIONS.RESTARTS],
}
