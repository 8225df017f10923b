// Changes of an account in its report.
import type { Window } from '../../calendar/window.ts'
import { addBounds } from '../../model/ledger/quantities.ts'
import type { ReportPlan, ReportSlot } from '../../model/output/report.ts'
import { isEnded, type Change, type EndedChange } from '../../model/policy/change.ts'
import type { PlacedHold } from '../../model/policy/placed-hold.ts'
import type { Saved } from '../../model/policy/saved.ts'
import { selectorText } from '../../model/policy/selector.ts'
import { toIso } from '../../model/time.ts'
import { micros, type Interval } from '../../model/units.ts'
import { NO_SAVING } from '../../advise/total.ts'
import { sumOf } from '../../std/sum.ts'
import type { ChangeJson } from '../text/change-schema.ts'
import type { ReportChanges } from './changes-schema.ts'

/** Most of a list; the page and the command have all. */
const MAX_CHANGES_LISTED = 50

type Ended = Change & Readonly<{ state: EndedChange }>

export type SelectedChanges = Readonly<{
  /** All that ended in the week, the last first. */
  ended: readonly Ended[]
  /** All that are open, the oldest first. */
  open: readonly Change[]
}>

/** What held changes back in the week. */
export type ReportStops = Readonly<{
  /** The oldest first. */
  holds: readonly PlacedHold[]
  /** In order of time. */
  freezes: readonly Readonly<{ window: string; interval: Interval }>[]
}>

export const selectChanges = (changes: readonly Change[], { from, to }: ReportSlot): SelectedChanges => ({
  ended: changes
    .filter(hasEnded)
    .filter(({ state }) => state.endedAt >= from && state.endedAt < to)
    .toSorted((one, other) => other.state.endedAt - one.state.endedAt),
  open: changes
    .filter(({ state }) => !isEnded(state))
    .toSorted((one, other) => one.createdAt - other.createdAt),
})

/** @param holds of people, the oldest first */
export const selectStops = (
  holds: readonly PlacedHold[],
  freezes: Iterable<readonly [name: string, window: Window | undefined]>,
  { from, to }: ReportSlot,
): ReportStops => ({
  holds: holds.filter(({ placedAt, until, ended }) => placedAt < to && (ended?.at ?? until) > from),
  freezes: [...freezes]
    .flatMap(([window, opens]) => (opens?.between(from, to) ?? []).map((interval) => ({ window, interval })))
    .toSorted((one, other) => one.interval.from - other.interval.from),
})

const wasReverted = ({ state }: Ended): boolean => state.at === 'reverted'

const hasEnded = (change: Change): change is Ended => isEnded(change.state)

export const listedChanges = ({ ended, open }: SelectedChanges): readonly Change[] => [
  ...ended.slice(0, MAX_CHANGES_LISTED),
  ...ended.filter(wasReverted).slice(0, MAX_CHANGES_LISTED),
  ...open.slice(0, MAX_CHANGES_LISTED),
]

type ReportedChanges = Readonly<{
  /** In the week, by changes of any time. */
  saved: Saved
  selected: SelectedChanges
  stops: ReportStops
  plan: ReportPlan
  /** Changes of a list. */
  jsonOf: (change: Change) => ChangeJson
  /** Whether what is open now was open at the end of the week. */
  isCurrent: boolean
}>

export function summariseChanges({
  selected,
  saved,
  stops,
  plan,
  jsonOf,
  isCurrent,
}: ReportedChanges): ReportChanges {
  const { ended, open } = selected
  const sent = ended.flatMap(({ state }) => state.sent ?? [])
  const done = ended.filter(({ state }) => state.at === 'done')
  const namesOf = ({ project_name, name }: ChangeJson) =>
    plan.redact.includes('names') ? { project_name: null, name: null } : { project_name, name }
  const endedJson = (change: Ended) => {
    const json = jsonOf(change)
    const { sent_at, sessions, ended: end } = json
    return { ...fieldsOf(json), ...namesOf(json), sent_at, sessions, ended: end }
  }
  return {
    ended: countsByState(ended),
    sessions_interrupted: sumOf(sent, ({ sessions }) => (sessions === 'unknown' ? 0 : sessions)),
    sessions_uncounted: sent.filter(({ sessions }) => sessions === 'unknown').length,
    promised_micros_per_30_days: done.reduce(
      (sum, { promised }) => (promised ? addBounds(sum, promised, micros) : sum),
      NO_SAVING,
    ),
    saved_micros: saved.saved,
    extra_spend_micros: saved.extra,
    listed: ended.slice(0, MAX_CHANGES_LISTED).map(endedJson),
    waiting: isCurrent
      ? open.slice(0, MAX_CHANGES_LISTED).map((change) => {
          const json = jsonOf(change)
          const { deadline, hold } = json
          return { ...fieldsOf(json), ...namesOf(json), deadline, hold }
        })
      : null,
    waiting_left: isCurrent ? Math.max(0, open.length - MAX_CHANGES_LISTED) : 0,
    reverted: ended.filter(wasReverted).slice(0, MAX_CHANGES_LISTED).map(endedJson),
    holds: stops.holds.slice(-MAX_CHANGES_LISTED).map((hold) => reportedHold(hold, plan)),
    freezes: stops.freezes
      .slice(0, MAX_CHANGES_LISTED)
      .map(({ window, interval: { from, to } }) => ({ window, from: toIso(from), to: toIso(to) })),
  }
}

function reportedHold(hold: PlacedHold, { redact }: ReportPlan): NonNullable<ReportChanges['holds']>[number] {
  const { id, by, reason, placedAt, until, ended } = hold
  return {
    id,
    by,
    reason,
    placed_at: toIso(placedAt),
    until: toIso(until),
    ended: ended ? { at: toIso(ended.at), by: ended.by ?? null } : null,
    what: redact.includes('names') ? null : selectorText(hold.match),
  }
}

function countsByState(ended: readonly Ended[]): ReportChanges['ended'] {
  const groups = Map.groupBy(ended, ({ state }) => state.at)
  return [...groups]
    .map(([state, same]) => ({ state, count: same.length }))
    .toSorted((one, other) => other.count - one.count)
}

/** In the order of the schema. */
function fieldsOf(json: ChangeJson) {
  const { id, kind, state, project_id, project_name, endpoint_id, name, from, to, when, restarts } = json
  const { recommendation_id, promised_micros_per_30_days, asked_by, approved_by, reason, created_at } = json
  const compute = { project_id, project_name, endpoint_id, name }
  const what = { from, to, when, restarts, recommendation_id, promised_micros_per_30_days }
  return { id, kind, state, ...compute, ...what, asked_by, approved_by, reason, created_at }
}
