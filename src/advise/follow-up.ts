// What an implemented recommendation saved, for 30 days: the old setting replayed over what came (replayed-setting.ts).
import type { Bounds } from '../model/ledger/quantities.ts'
import type { Recommendation, Setting } from '../model/policy/recommendation.ts'
import {
  after,
  DAY,
  earliest,
  latest,
  seconds,
  type Instant,
  type Interval,
  type Micros,
  type Seconds,
} from '../model/units.ts'
import { sizingKey } from './hysteresis.ts'
import type { AdviseInput } from './input.ts'
import { SAVING_PERIOD } from './interval.ts'
import { replaySetting } from './replayed-setting.ts'

/** Time after an implementation in which its saving is measured and no other one of its kind is made, 28 days: four weekday cycles. */
export const FOLLOW_UP: Seconds = seconds(28 * 86_400)
/** Part of it that must be covered by history, 14 days, ms: less does not show two weekday cycles. */
const MIN_COVERED = 14 * DAY

/**
 * Undefined before the follow-up has ended, without enough history, where the setting did not last as long, and for kinds whose saving nothing
 * can measure.
 */
export function realisedSaving(
  { from, to, life }: Recommendation,
  input: AdviseInput,
): Bounds<Micros> | undefined {
  const isOver = life.state === 'implemented' && input.now >= after(life.at, FOLLOW_UP)
  if (!isOver || input.entry.deletedAt !== undefined) return undefined
  const seenUntil = earliest(input.entry.observedAt, after(life.at, FOLLOW_UP))
  const period = { from: life.at, to: latest(life.at, seenUntil) }
  if (lastsUntil(to, input, period) < period.to) return undefined
  const replayed = replaySetting(input, period, { from, to, at: life.at })
  if (!replayed || replayed.covered < MIN_COVERED) return undefined
  return replayed.moneyTimes(SAVING_PERIOD / replayed.covered)
}

/**
 * When somebody set another value, as a change that is taken back does; the end of `period` where nobody did. The delays of its schedule come and
 * go.
 */
export const lastsUntil = (
  setting: Setting,
  { settings, scheduled = [] }: Pick<AdviseInput, 'settings' | 'scheduled'>,
  { from, to }: Interval,
): Instant =>
  settings.find(
    ({ since, delay, sizing }) =>
      since > from &&
      since < to &&
      ((setting.delay !== undefined && setting.delay !== delay && !scheduled.includes(delay)) ||
        (setting.sizing !== undefined && sizingKey(setting.sizing) !== sizingKey(sizing))),
  )?.since ?? to
