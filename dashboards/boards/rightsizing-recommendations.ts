// Section of the rightsizing board: open recommendations, what is withheld, what came of earlier ones.
import { BY_LABELS } from '../rules/rule.ts'
import type { BoardSection } from './board.ts'
import { barPanel, statPanel } from './kinds.ts'
import { seriesOf, MATCHERS, named, perComputeAnd } from './query.ts'
import { TO_COMPUTE } from './states.ts'
import { tablePanel } from './table.ts'

/** All accounts: the total of an account is of all its recommendations applied together, so it has no teams. */
export const SAVING_AVAILABLE = `sum(max by (account) (${seriesOf('saving_available_per_month', ...MATCHERS.money)}))`

/** A line per compute and kind; `topk` picks one where replicas disagree. */
const OPEN = (() => {
  const open = perComputeAnd(['kind', 'restarts', 'confidence'], 'recommendation_info')
  const team = `max by (project_id, endpoint_id, team) (${seriesOf('compute_info', ...MATCHERS.team)})`
  return named(
    `topk by (project_id, endpoint_id, kind) (1, ${open}) * on (project_id, endpoint_id) group_left (team) topk ${BY_LABELS.compute} (1, ${team})`,
  )
})()

const SAVING = `max by (project_id, endpoint_id, kind) (${seriesOf('recommendation_saving_per_month', ...MATCHERS.compute, ...MATCHERS.money)})`

const followedUp = (key: 'saving_predicted_per_month' | 'saving_realised_per_month'): string =>
  `max by (kind) (${seriesOf(key, ...MATCHERS.money)})`

export const RECOMMENDATIONS_SECTION: BoardSection = {
  title: 'Recommendations',
  lines: [
    {
      height: 8,
      panels: [
        statPanel({
          title: 'Saving available, $currency',
          description:
            'Likely saving in 30 days with all open recommendations of all computes applied together.',
          width: 4,
          unit: 'short',
          decimals: 2,
          queries: [{ expr: SAVING_AVAILABLE, legend: 'in 30 days' }],
        }),
        statPanel({
          title: 'Recommendations by state',
          description:
            'Implemented: whoever changed the setting, for the 28 days of follow-up. Dismissed: by a person.',
          width: 4,
          unit: 'none',
          queries: [
            {
              expr: `sum by (state) (max by (account, kind, state) (${seriesOf('recommendations')}))`,
              legend: '{{state}}',
            },
          ],
        }),
        barPanel({
          title: 'Withheld, by reason',
          description:
            'Computes without a recommendation of a kind, summed over kinds. fits: the setting is right. dormouse explain says what is missing for one compute.',
          width: 8,
          unit: 'none',
          queries: [
            {
              expr: `sort_desc(sum by (because) (max by (account, kind, because) (${seriesOf('recommendation_withheld')})))`,
              legend: '{{because}}',
            },
          ],
        }),
        barPanel({
          title: 'Predicted against realised, $currency',
          description:
            'Saving in 30 days of recommendations whose follow-up of 28 days ended in the last 28 days, by kind.',
          width: 8,
          unit: 'short',
          decimals: 2,
          queries: [
            { expr: followedUp('saving_predicted_per_month'), legend: '{{kind}}, predicted' },
            { expr: followedUp('saving_realised_per_month'), legend: '{{kind}}, realised' },
          ],
        }),
      ],
    },
    {
      height: 12,
      panels: [
        tablePanel({
          title: 'Open recommendations, money in $currency',
          description:
            'Saving: likely, in 30 days; negative costs more. Savings of one compute are of each alone. dormouse recommendations has the grounds, the request and what people will notice.',
          width: 24,
          rows: OPEN,
          labels: {
            project_name: 'Project',
            endpoint_id: 'Compute',
            team: 'Team',
            kind: 'Kind',
            confidence: 'Confidence',
            restarts: 'Restarts it',
          },
          hidden: ['project_id'],
          links: TO_COMPUTE,
          sortBy: 'Saving',
          columns: [
            { name: 'Saving', expr: SAVING, unit: 'short', decimals: 2 },
            { name: 'Delay', expr: perComputeAnd(['kind'], 'recommendation_delay_seconds'), unit: 's' },
            { name: 'CU, smallest', expr: perComputeAnd(['kind'], 'recommendation_cu_min'), unit: 'none' },
            { name: 'CU, largest', expr: perComputeAnd(['kind'], 'recommendation_cu_max'), unit: 'none' },
            {
              name: 'Open since',
              expr: `1000 * ${perComputeAnd(['kind'], 'recommendation_first_seen_timestamp_seconds')}`,
              unit: 'dateTimeFromNow',
            },
          ],
        }),
      ],
    },
  ],
}
