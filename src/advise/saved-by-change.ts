// Saved and extra spend of the changes of one compute: the setting before each replayed over what came (replayed-setting.ts).
//
// 1. A change that was sent counts from the instant at which it was done, for 28 days, or until another value was seen. One that takes another
//    back does not count: the other one ends with it.
// 2. Only time counts whose gaps and awake intervals are final. An evaluation counts what became final since the one before, as one part. No
//    part is counted again or restated, so that sums of them do not fall.
// 3. The likely money of a part is saved or extra spend, by its sign. Where the replay needs gaps that nobody could see, it is neither.
import type { Change, EndedChange } from '../model/policy/change.ts'
import type { Setting } from '../model/policy/recommendation.ts'
import type { SavedPart } from '../model/policy/saved.ts'
import { DEFAULT_AUTOSUSPEND_DELAY } from '../model/service/compute.ts'
import {
  after,
  earliest,
  instant,
  latest,
  micros,
  SECOND,
  type Instant,
  type Interval,
  type Micros,
} from '../model/units.ts'
import { ALLOWED_LATENESS } from '../model/inference/transition.ts'
import { FOLLOW_UP, lastsUntil } from './follow-up.ts'
import type { AdviseInput } from './input.ts'
import { replaySetting, type SettingChange } from './replayed-setting.ts'

type DoneChange = Change & Readonly<{ state: EndedChange }>

export type CountedChanges = Readonly<{
  /** Changes of the compute or project, in any order. */
  changes: readonly Change[]
  /** Counted parts of these changes, in any order. */
  parts: readonly SavedPart[]
  /** Owner of the compute or project now; empty without one. */
  team: string
}>

/** New parts, in the order of the changes. */
export const savedParts = (
  given: AdviseInput,
  { changes, parts, team }: CountedChanges,
): readonly SavedPart[] =>
  changes.filter(isCounted).flatMap((change) => {
    // each opening of a window has a change of its own
    const input = change.origin.by === 'schedule' ? { ...given, scheduled: [] } : given
    const settings = settingsOf(change, input)
    const lasted = lastsUntil(settings.to, input, followUpOf(change))
    const period = { from: countedUntil(change, parts), to: earliest(lasted, finalUntil(input)) }
    if (period.from >= period.to) return []
    const money = replaySetting(input, period, settings)?.moneyTimes(1).likely
    return [savedPart(change, { period, money: money ?? micros(0), team })]
  })

/** Whether its request set something that nobody had set before. */
export const isCounted = (change: Change): change is DoneChange =>
  change.state.at === 'done' &&
  change.state.sent !== undefined &&
  change.kind !== 'restart' &&
  !('of' in change.origin && change.origin.of)

/** Time in which a change counts, unless another value is set. */
export const followUpOf = ({ state: { endedAt } }: DoneChange): Interval => ({
  from: endedAt,
  to: after(endedAt, FOLLOW_UP),
})

export const countedUntil = (change: DoneChange, parts: readonly SavedPart[]): Instant =>
  latest(change.state.endedAt, ...parts.flatMap(({ changeId, to }) => (changeId === change.id ? [to] : [])))

/** A delay of 0 s asks for the default. */
function settingsOf({ before, desired, state }: DoneChange, { project }: AdviseInput): SettingChange {
  const defaultDelay = project?.project.defaultAutosuspendDelay ?? DEFAULT_AUTOSUSPEND_DELAY
  const settingOf = ({ autosuspendDelay: delay, sizing }: Change['desired']): Setting => ({
    ...(delay !== undefined && { delay: delay === 0 ? defaultDelay : delay }),
    ...(sizing && { sizing }),
  })
  return { from: settingOf(before), to: settingOf(desired), at: state.endedAt }
}

/**
 * Until when gaps and awake intervals are final:
 * 1. of a compute that sleeps, until shortly before the last look: later wakes are listed by then;
 * 2. of one that has woken since what is settled, until the gap that this ended began: it has no length yet;
 * 3. else until what is settled.
 */
function finalUntil({ entry }: AdviseInput): Instant {
  const { settledUntil, observedAt, activity, current, provisional } = entry
  const hasWoken = current !== undefined || provisional.some(({ likely }) => likely.from < likely.to)
  if (!hasWoken) return latest(settledUntil, instant(observedAt - ALLOWED_LATENESS * SECOND))
  return activity?.open ? earliest(settledUntil, activity.open.from) : settledUntil
}

export const savedPart = (
  { id, ref }: Pick<Change, 'id' | 'ref'>,
  { period, money, team }: Readonly<{ period: Interval; money: Micros; team: string }>,
): SavedPart => ({
  changeId: id,
  ref,
  team,
  ...period,
  saved: micros(Math.max(0, money)),
  extra: micros(Math.max(0, 0 - money)),
})
