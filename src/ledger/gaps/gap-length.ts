// Where a gap begins, and how long it is: the record dates activity to whole seconds, and some of it is masked.
import { MAX_FOLLOWED_STEP, type Gap, type OpenGap } from '../../model/ledger/gap.ts'
import { instant, SECOND, seconds, type Instant, type Interval, type Seconds } from '../../model/units.ts'

/** Largest time from a client's connection to the start that it causes, 3 s, ms. Source: service interface, "States and transitions". */
export const WAKE_TIME = 3 * SECOND

/** Activity dated to the second `at`. A client that woke the compute came before its start. */
export function activityAt(at: Instant, startedAt: Instant | undefined): Pick<OpenGap, 'from' | 'within'> {
  const isWake = startedAt !== undefined && at >= startedAt - SECOND && at <= startedAt + WAKE_TIME
  const from = instant(isWake ? startedAt - WAKE_TIME : at)
  return { from, within: seconds((at - from) / SECOND + 1) }
}

/**
 * The newest client activity where own activity at `own` may hide newer: a client often comes back soon. A later session hides some seconds
 * of a long silence, and changes nothing.
 */
export function maskedBy<Activity extends Pick<OpenGap, 'from' | 'within'>>(
  activity: Activity,
  own: Instant,
): Activity {
  const within = Math.ceil((own - activity.from) / SECOND) + 1
  return within > activity.within && within <= MAX_FOLLOWED_STEP
    ? { ...activity, within: seconds(within) }
    : activity
}

/**
 * The gap that activity ends somewhere in `until`, which is dated to whole seconds; undefined where its likely length is under `minGap`.
 */
export function lengthOf(
  { from, within, hiddenBelow }: OpenGap,
  until: Interval,
  minGap: Seconds,
): Omit<Gap, 'ref'> | undefined {
  const low = Math.max(0, Math.floor((until.from - from) / SECOND) - within)
  const high = Math.ceil((until.to - from) / SECOND) + 1
  return low + high < 2 * minGap ? undefined : { from, low: seconds(low), high: seconds(high), hiddenBelow }
}
