// Section of the rightsizing board: changes that Dormouse makes: what is open, how they ended, whom they interrupted.
import { BY_LABELS } from '../rules/rule.ts'
import type { BoardSection } from './board.ts'
import { barPanel, statPanel } from './kinds.ts'
import { increaseOver, MATCHERS, named, owned, perCompute, perComputeAnd, seriesOf } from './query.ts'
import { TO_COMPUTE } from './states.ts'
import { tablePanel } from './table.ts'
import { timeseriesPanel } from './timeseries.ts'

const PENDING = perComputeAnd(['kind'], 'compute_change_pending_since_timestamp_seconds')

/** A line per compute and kind; `topk` picks one team where replicas disagree. */
const OPEN = (() => {
  const team = `max by (project_id, endpoint_id, team) (${seriesOf('compute_info', ...MATCHERS.team)})`
  return named(
    `(${PENDING}) * on (project_id, endpoint_id) group_left (team) topk ${BY_LABELS.compute} (1, ${team})`,
  )
})()

type Ended = 'compute_change_last_failure_timestamp_seconds' | 'compute_change_last_success_timestamp_seconds'

/** Only beside an open change: others would be lines of their own. */
const endedBeside = (key: Ended): string =>
  `1000 * ${perComputeAnd(['kind'], key)} and on (project_id, endpoint_id, kind) ${PENDING}`

export const CHANGES_SECTION: BoardSection = {
  title: 'Changes by Dormouse',
  lines: [
    {
      height: 7,
      panels: [
        statPanel({
          title: 'Open changes by state',
          description:
            'Of the whole fleet. Proposed: waits for an approval. Scheduled: waits for a moment when nobody is connected. Applying and verifying take minutes.',
          width: 8,
          unit: 'none',
          queries: [{ expr: `max by (state) (${seriesOf('changes_open')})`, legend: '{{state}}' }],
        }),
        statPanel({
          title: 'Oldest open change',
          description: 'Of the chosen computes. Changes that wait for a week are an alert.',
          width: 4,
          unit: 's',
          bad: [[7 * 86_400, 'orange']],
          queries: [{ expr: `max(${owned(`time() - ${PENDING}`)})`, legend: 'open for' }],
        }),
        barPanel({
          title: 'Ended in the time shown, by outcome',
          description:
            'Of the whole fleet. Superseded: somebody else set another value. Expired: no moment fitted before the deadline. Unknown: nobody can tell whether it took effect.',
          width: 8,
          unit: 'none',
          decimals: 0,
          queries: [
            {
              expr: `sort_desc(sum by (outcome) (max by (kind, outcome) (${increaseOver()(seriesOf('changes_total'))})))`,
              legend: '{{outcome}}',
            },
          ],
        }),
        statPanel({
          title: 'Brakes',
          description: '1: engaged, no change is sent. dormouse kill off releases the kill switch.',
          width: 4,
          unit: 'none',
          decimals: 0,
          bad: [[1, 'red']],
          queries: [{ expr: `max by (brake) (${seriesOf('brake_engaged')})`, legend: '{{brake}}' }],
        }),
      ],
    },
    {
      height: 9,
      panels: [
        tablePanel({
          title: 'Open changes',
          description:
            'dormouse plan says what each waits for, and whether that is likely before its deadline.',
          width: 16,
          rows: OPEN,
          labels: { project_name: 'Project', endpoint_id: 'Compute', team: 'Team', kind: 'Kind' },
          hidden: ['project_id'],
          links: TO_COMPUTE,
          sortBy: 'Open for',
          columns: [
            { name: 'Open for', expr: `time() - ${PENDING}`, unit: 's', bad: [[7 * 86_400, 'orange']] },
            {
              name: 'Last failure',
              expr: endedBeside('compute_change_last_failure_timestamp_seconds'),
              unit: 'dateTimeFromNow',
            },
            {
              name: 'Last success',
              expr: endedBeside('compute_change_last_success_timestamp_seconds'),
              unit: 'dateTimeFromNow',
            },
          ],
        }),
        timeseriesPanel({
          title: 'Client sessions interrupted',
          description:
            'By changes, per hour, or per longer interval, without sessions of the pooler. Changes that wait for an idle compute interrupt none.',
          width: 8,
          unit: 'none',
          decimals: 0,
          min: 0,
          bars: '1h',
          queries: [
            {
              expr: owned(perCompute('connections_interrupted_total', increaseOver('$__interval'))),
              legend: '{{endpoint_id}}',
            },
          ],
        }),
      ],
    },
  ],
}
