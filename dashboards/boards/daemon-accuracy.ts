// Sections of the daemon board: observer effect, and accuracy of the ledger.
import type { BoardSection } from './board.ts'
import { statPanel } from './kinds.ts'
import { seriesOf, increaseOver, perCompute, ownedProject, perBudget, MATCHERS } from './query.ts'
import { timeseriesPanel } from './timeseries.ts'

const ALL_AWAKE = `sum(${perCompute('compute_awake_seconds_total', increaseOver('1d'))})`

export const OBSERVER_EFFECT_SECTION: BoardSection = {
  title: 'Observer effect',
  lines: [
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Wakes that observing caused',
          description:
            'In the chosen projects, in the time shown. It must stay 0: anything else is a fault of Dormouse.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          bad: [[1, 'red']],
          queries: [
            {
              expr: `sum by (reason) (max by (project_id, reason) (increase(${seriesOf('wakeups_caused_total', ...MATCHERS.project)}[$__range])))`,
              legend: '{{reason}}',
            },
          ],
        }),
        timeseriesPanel({
          title: 'Wakes by initiator',
          description:
            'Per hour, or per longer interval, of all computes. Unknown: the service names no initiator, so it was a client, a user or the service.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          bars: '1h',
          queries: [
            {
              expr: `max by (initiator) (increase(${seriesOf('wakes_total')}[$__interval]))`,
              legend: '{{initiator}}',
            },
          ],
        }),
        timeseriesPanel({
          title: 'Awake time added by readings',
          description: 'Share of all awake time of 24 hours. The target is at most 1 %.',
          width: 6,
          unit: 'percentunit',
          decimals: 2,
          min: 0,
          bad: [[0.01, 'red']],
          queries: [
            {
              expr: `sum(${perCompute('compute_awake_extension_seconds_total', increaseOver('1d'))}) / (${ALL_AWAKE} > 0)`,
              legend: 'added',
            },
          ],
        }),
        statPanel({
          title: 'What watching cost, $currency',
          description: 'Cost of the awake time that readings added, in the time shown.',
          width: 6,
          unit: 'short',
          decimals: 4,
          queries: [
            {
              expr: `max by (currency) (increase(${seriesOf('observer_spend_total', ...MATCHERS.money)}[$__range]))`,
              legend: '{{currency}}',
            },
          ],
        }),
      ],
    },
  ],
}

export const ACCURACY_SECTION: BoardSection = {
  title: 'Accuracy of the ledger',
  lines: [
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Difference from the metering of the service',
          description:
            'How far the metered CU-seconds of a project lie outside the bounds of the ledger; 0 inside. More than 2 % either way needs a look.',
          width: 8,
          unit: 'percentunit',
          decimals: 2,
          queries: [
            {
              expr: ownedProject(
                `max by (project_id) (${seriesOf('ledger_reconciliation_error_ratio', ...MATCHERS.project)})`,
              ),
              legend: '{{project_id}}',
            },
          ],
        }),
        timeseriesPanel({
          title: 'Uncertainty of spend',
          description:
            'Width of the bounds of the spend of a project, divided by its likely value; and the share of CU-time that is assumed, without a fact.',
          width: 8,
          unit: 'percentunit',
          decimals: 2,
          min: 0,
          queries: [
            {
              expr: ownedProject(
                `max by (project_id) (${seriesOf('spend_uncertainty_ratio', ...MATCHERS.project)})`,
              ),
              legend: '{{project_id}} width',
            },
            {
              expr: ownedProject(
                `max by (project_id) (${seriesOf('ledger_assumed_ratio', ...MATCHERS.project)})`,
              ),
              legend: '{{project_id}} assumed',
            },
          ],
        }),
        timeseriesPanel({
          title: 'Accuracy of forecasts',
          description:
            'Backtests over finished periods as long as the remaining days: error of p50, and share of outcomes between p10 and p90, which is 0.8 for a well calibrated forecast.',
          width: 8,
          unit: 'percentunit',
          decimals: 0,
          min: 0,
          queries: [
            { expr: perBudget('forecast_error_ratio'), legend: '{{budget}} off by' },
            { expr: perBudget('forecast_coverage_ratio'), legend: '{{budget}} held' },
          ],
        }),
      ],
    },
  ],
}
