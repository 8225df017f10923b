// Sections of the daemon board: what observing costs, and how accurate the ledger is.
import type { BoardSection } from './board.ts'
import { statPanel } from './kinds.ts'
import { seriesOf, increaseOver, perCompute, ownedProject, perBudget, MATCHERS } from './query.ts'
import { timeseriesPanel } from './timeseries.ts'

const ALL_AWAKE = `sum(${perCompute('awakeSeconds', increaseOver('1d'))})`

export const OBSERVER_EFFECT_SECTION: BoardSection = {
  title: 'Harm: what looking costs',
  lines: [
    {
      height: 8,
      panels: [
        timeseriesPanel({
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
              expr: `sum by (reason) (max by (project_id, reason) (increase(${seriesOf('wakeupsCaused', ...MATCHERS.project)}[$__range])))`,
              legend: '{{reason}}',
            },
          ],
        }),
        timeseriesPanel({
          title: 'Wakes by who caused them',
          description:
            'By the hour, or longer, of all computes. Unknown: the service names nobody, so it was a client, a user or the service.',
          width: 6,
          unit: 'none',
          decimals: 0,
          min: 0,
          bars: '1h',
          queries: [
            {
              expr: `max by (initiator) (increase(${seriesOf('wakesBy')}[$__interval]))`,
              legend: '{{initiator}}',
            },
          ],
        }),
        timeseriesPanel({
          title: 'Awake time added by readings',
          description: 'Of all awake time of 24 hours. At most one in a hundred is planned for.',
          width: 6,
          unit: 'percentunit',
          decimals: 2,
          min: 0,
          bad: [[0.01, 'red']],
          queries: [
            {
              expr: `sum(${perCompute('awakeExtension', increaseOver('1d'))}) / (${ALL_AWAKE} > 0)`,
              legend: 'added',
            },
          ],
        }),
        statPanel({
          title: 'What watching cost, $currency',
          description: 'The awake time that readings added, in the time shown.',
          width: 6,
          unit: 'short',
          decimals: 4,
          queries: [
            {
              expr: `max by (currency) (increase(${seriesOf('observerSpend', ...MATCHERS.money)}[$__range]))`,
              legend: '{{currency}}',
            },
          ],
        }),
      ],
    },
  ],
}

export const ACCURACY_SECTION: BoardSection = {
  title: 'How right the account is',
  lines: [
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Against what the service counts',
          description:
            'How far its CU-seconds of a project lie outside the bounds of the ledger; 0 inside. Above 2 % either way somebody has to look.',
          width: 8,
          unit: 'percentunit',
          decimals: 2,
          queries: [
            {
              expr: ownedProject(
                `max by (project_id) (${seriesOf('reconciliationError', ...MATCHERS.project)})`,
              ),
              legend: '{{project_id}}',
            },
          ],
        }),
        timeseriesPanel({
          title: 'Spend that is not sure',
          description:
            'Width of the spend of a project, by the likely value; and CU-time of which no fact dates an end.',
          width: 8,
          unit: 'percentunit',
          decimals: 2,
          min: 0,
          queries: [
            {
              expr: ownedProject(
                `max by (project_id) (${seriesOf('spendUncertainty', ...MATCHERS.project)})`,
              ),
              legend: '{{project_id}} width',
            },
            {
              expr: ownedProject(`max by (project_id) (${seriesOf('assumed', ...MATCHERS.project)})`),
              legend: '{{project_id}} assumed',
            },
          ],
        }),
        timeseriesPanel({
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
