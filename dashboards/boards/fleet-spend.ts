// Section of the fleet board: spend by project, team and cause.
import type { BoardSection } from './board.ts'
import { barPanel } from './kinds.ts'
import {
  seriesOf,
  rate,
  increaseOver,
  over,
  atEnd,
  moneyPerCompute,
  owned,
  withTeam,
  named,
  MATCHERS,
} from './query.ts'
import { timeseriesPanel } from './timeseries.ts'

const SPEND_BY_PROJECT = `sum by (project_id) (${owned(moneyPerCompute('compute_spend_total', rate))})`
const LARGEST = `topk(10, sum by (project_id) (${owned(moneyPerCompute('compute_spend_total', atEnd('increase')), atEnd('last_over_time'))}))`

export const SPEND_SECTION: BoardSection = {
  title: 'Spend, $currency',
  lines: [
    {
      height: 9,
      panels: [
        timeseriesPanel({
          title: 'Spend per hour by project, $currency',
          description:
            'The ten projects with the highest spend in the time shown, and the sum of all others.',
          width: 12,
          unit: 'short',
          decimals: 3,
          min: 0,
          stacked: true,
          queries: [
            {
              expr: named(`3600 * ${SPEND_BY_PROJECT} and on (project_id) ${LARGEST}`),
              legend: '{{project_name}}',
            },
            {
              expr: `3600 * sum(${SPEND_BY_PROJECT} unless on (project_id) ${LARGEST})`,
              legend: 'all others',
            },
          ],
        }),
        timeseriesPanel({
          title: 'Spend per hour by team, $currency',
          description: 'By the team that owns each compute; nobody where no owner is configured.',
          width: 12,
          unit: 'short',
          decimals: 3,
          min: 0,
          stacked: true,
          queries: [
            {
              expr: `3600 * sum by (team) (${withTeam(moneyPerCompute('compute_spend_total', rate), '$__rate_interval')})`,
              legend: '{{team}}',
            },
          ],
        }),
      ],
    },
    {
      height: 9,
      panels: [
        barPanel({
          title: 'Spend by team, $currency',
          description: 'In the time shown, deleted computes included.',
          width: 8,
          unit: 'short',
          decimals: 2,
          queries: [
            {
              expr: `sort_desc(sum by (team) (${withTeam(moneyPerCompute('compute_spend_total', increaseOver()), '$__range')}))`,
              legend: '{{team}}',
            },
          ],
        }),
        barPanel({
          title: 'Awake for nothing by cause, $currency',
          description:
            'Unproductive spend in the time shown, by cause and team. Spend with autosuspend off is not included.',
          width: 8,
          unit: 'short',
          decimals: 2,
          queries: [
            {
              expr: `topk(15, max by (team, cause) (increase(${seriesOf('unproductive_spend_total', ...MATCHERS.team, ...MATCHERS.money)}[$__range])) > 0)`,
              legend: '{{cause}} {{team}}',
            },
          ],
        }),
        barPanel({
          title: 'Awake for nothing, ten computes, $currency',
          description: 'The ten computes with the highest unproductive spend in the time shown.',
          width: 8,
          unit: 'short',
          decimals: 2,
          queries: [
            {
              expr: `topk(10, ${named(owned(moneyPerCompute('compute_unproductive_spend_total', increaseOver()), over('last')), over('last'))})`,
              legend: '{{project_name}} {{endpoint_id}}',
            },
          ],
        }),
      ],
    },
  ],
}
