// Section of the rightsizing board: changes that Dormouse makes: what is open and waits for what, how they ended, whom they interrupted, what
// they saved.
import { BY_LABELS } from '../rules/rule.ts'
import type { BoardSection } from './board.ts'
import { barPanel, statePanel, statPanel } from './kinds.ts'
import {
  increaseOver,
  MATCHERS,
  moneyPerCompute,
  named,
  over,
  owned,
  perCompute,
  perComputeAnd,
  seriesOf,
} from './query.ts'
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

type SavedFamily = 'saved_total' | 'extra_spend_total'

/** Money of the chosen teams in the time shown. */
const savedIn = (key: SavedFamily, range?: string): string =>
  `max by (team) (${increaseOver(range)(seriesOf(key, ...MATCHERS.team, ...MATCHERS.money))})`

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
      height: 7,
      panels: [
        barPanel({
          title: 'What open changes wait for',
          description:
            'Computes of the whole fleet whose changes wait, by the reason. dormouse changes says until when, where that is known.',
          width: 8,
          unit: 'none',
          decimals: 0,
          queries: [{ expr: `sort_desc(max by (reason) (${seriesOf('holds')}))`, legend: '{{reason}}' }],
        }),
        statPanel({
          title: 'Restarts and verdicts in the time shown',
          description:
            'Of the whole fleet. Avoided: a compute was to be restarted, and no client noticed. Taken back: the effect was bad, and another change restores the value before. Not judged: readings did not tell within a week, so that the change stays.',
          width: 6,
          unit: 'none',
          decimals: 0,
          queries: [
            { expr: `max(${increaseOver()(seriesOf('restarts_avoided_total'))})`, legend: 'avoided' },
            {
              expr: `sum(max by (kind) (${increaseOver()(seriesOf('changes_total', 'outcome="reverted"'))}))`,
              legend: 'taken back',
            },
            {
              expr: `max(${increaseOver()(seriesOf('verdicts_total', 'verdict="undecided"'))})`,
              legend: 'not judged',
            },
          ],
        }),
        statPanel({
          title: 'Saved and extra spend, $currency',
          description:
            'Of the chosen teams in the time shown, counted for 28 days after each change: what the setting before would have cost, less what was spent; where that is negative it is extra spend.',
          width: 10,
          unit: 'short',
          decimals: 2,
          queries: [
            { expr: `sum(${savedIn('saved_total')})`, legend: 'saved' },
            { expr: `sum(${savedIn('extra_spend_total')})`, legend: 'extra spend' },
          ],
        }),
      ],
    },
    {
      height: 8,
      panels: [
        timeseriesPanel({
          title: 'Saved and extra spend per day by team, $currency',
          description: 'It is counted with the daily evaluation of each compute. Extra spend is below zero.',
          width: 8,
          unit: 'short',
          decimals: 2,
          bars: '1d',
          queries: [
            { expr: savedIn('saved_total', '$__interval'), legend: 'saved {{team}}' },
            { expr: `-(${savedIn('extra_spend_total', '$__interval')})`, legend: 'extra {{team}}' },
          ],
        }),
        barPanel({
          title: 'Saved, ten computes, $currency',
          description: 'The ten computes whose changes saved most in the time shown.',
          width: 8,
          unit: 'short',
          decimals: 2,
          queries: [
            {
              expr: `topk(10, ${named(owned(moneyPerCompute('compute_saved_total', increaseOver()), over('last')), over('last'))})`,
              legend: '{{project_name}} {{endpoint_id}}',
            },
          ],
        }),
        statePanel({
          title: 'Windows and brakes',
          description: 'Windows of the configuration, freezes included, and brakes that hold changes back.',
          width: 8,
          unit: 'none',
          mapping: {
            0: { text: 'closed or released', color: 'transparent', index: 1 },
            1: { text: 'open or engaged', color: 'blue', index: 0 },
          },
          queries: [
            { expr: `max by (window) (${seriesOf('window_active')})`, legend: 'window {{window}}' },
            { expr: `max by (brake) (${seriesOf('brake_engaged')})`, legend: 'brake {{brake}}' },
          ],
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
