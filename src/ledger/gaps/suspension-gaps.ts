// Gaps between client activities over suspensions. Awake intervals are settled once, so that each gap is found once, when both of its ends
// are final, also in history that operations alone report.
//
// 1. An interval that was settled to its end leaves its last activity: the newest shown; or, where a suspension came later than that
//    activity explains, one delay before the suspension.
// 2. The next interval ends the gap with its start, where a client woke it, else with its first client. An interval without clients ends none.
//    No client causes a restart.
// 3. A shorter gap could have been seen where activity was followed until the suspension; else those under the delay were hidden.
import type { ActivityState, Gap, OpenGap } from '../../model/ledger/gap.ts'
import type { AwakeInterval, Evidence } from '../../model/ledger/evidence.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import { delayMillis, type AutosuspendDelay } from '../../model/service/compute.ts'
import {
  instant,
  latest,
  SECOND,
  seconds,
  type Instant,
  type Interval,
  type Seconds,
} from '../../model/units.ts'
import type { Delays } from '../evidence/past-delay.ts'
import { clientActivities } from '../evidence/activity.ts'
import type { Watermark } from '../evidence/intervals.ts'
import { provisionalIntervals } from '../settle/settle.ts'
import { NO_ACTIVITY, wasFollowed } from './follow-activity.ts'
import { activityAt, lengthOf, maskedBy, WAKE_TIME } from './gap-length.ts'
import { clientsIn, firstActivity, hiddenClient, isStartedWithoutClient } from './interval-clients.ts'
import { endedInterval, GRACE, isExplainedBy, type EndedInterval } from './suspension-cause.ts'

type SettledIntervals = Delays &
  Readonly<{
    /** Settled to their ends now, in order. */
    closed: readonly AwakeInterval[]
    /** Later ones, in order. */
    remaining: readonly AwakeInterval[]
    watermark: Watermark
    /** Before pruning. */
    evidence: Evidence
    /** Shorter ones are left out. */
    minGap: Seconds
  }>

export function suspensionGaps(
  activity: ActivityState,
  { closed, remaining, watermark, evidence, delay, pastDelays, minGap }: SettledIntervals,
): Readonly<{ activity: ActivityState; gaps: readonly Omit<Gap, 'ref'>[] }> {
  const { settledUntil, partlySettled } = watermark
  const followed = activity.followed.filter(({ to }) => to > settledUntil)
  if (closed.length === 0 && !(activity.open && partlySettled))
    return { activity: { ...activity, followed }, gaps: [] }
  const intervals = partlySettled ? [...closed, partlySettled.interval] : closed
  const gaps: Omit<Gap, 'ref'>[] = []
  const { lag, shownBeforeSleep, unusedUntil, ...before } = activity
  let { open } = activity
  intervals.forEach((interval, index) => {
    const looked = { evidence, lag, unusedUntil }
    const clients = clientsIn(interval, evidence, shownBeforeSleep)
    const next = intervals[index + 1] ?? remaining[0]
    const ended = endedInterval(interval, next, { evidence, delay, pastDelays })
    const first = firstActivity(interval, clients, looked) ?? (ended && hiddenClient(ended, looked))
    if (open && first) {
      const gap = lengthOf(open, first, minGap)
      if (gap) gaps.push(gap)
      open = undefined
    }
    if (ended) open = openGapAfter(ended, { open, clients, first, delay, followed: activity.followed })
  })
  const settledTo = closed.at(-1)?.to?.latest ?? 0
  const unsettled = {
    ...(isAfter(shownBeforeSleep, settledTo) && { shownBeforeSleep }),
    ...(isAfter(unusedUntil, settledTo) && { unusedUntil }),
  }
  return { activity: { ...before, ...unsettled, lag, followed, open }, gaps }
}

const isAfter = (at: Instant | undefined, settledTo: number) => at !== undefined && at > settledTo

/** What later facts may restate. */
export type ProvisionalGaps = Readonly<{
  /** By wakes whose awake intervals are not settled. */
  ended: readonly Omit<Gap, 'ref'>[]
  /** Newest activity of a client; undefined where none is known. */
  newest: Instant | undefined
}>

export function provisionalGaps(
  entry: ComputeEntry,
  { delay, minGap, now }: Readonly<{ delay: AutosuspendDelay; minGap: Seconds; now: Instant }>,
): ProvisionalGaps {
  const { settledUntil, evidence, activity = NO_ACTIVITY } = entry
  const intervals = provisionalIntervals(entry, delay, now).map(({ interval }) => interval)
  const last = intervals.at(-1)
  const isAwake = last && last.to === undefined
  const { gaps, activity: after } = suspensionGaps(activity, {
    closed: isAwake ? intervals.slice(0, -1) : intervals,
    remaining: [],
    watermark: { settledUntil, partlySettled: isAwake ? { interval: last, cuTime: {} } : undefined },
    evidence,
    delay,
    minGap,
  })
  const starts = intervals.filter((interval) => isStartedWithoutClient(interval, evidence))
  const isOfClient = (at: Instant) =>
    !starts.some(({ from }) => at >= from.earliest - WAKE_TIME && at < from.latest + SECOND)
  const known = [...clientActivities(evidence), after.shown?.from, after.open?.from]
  const ofClients = known.filter((at) => at !== undefined).filter(isOfClient)
  return { ended: gaps, newest: ofClients.length > 0 ? latest(...ofClients) : undefined }
}

type EndedContext = Readonly<{
  open: OpenGap | undefined
  clients: readonly Instant[]
  first: Interval | undefined
  /** In force now. */
  delay: AutosuspendDelay
  followed: ActivityState['followed']
}>

/** Undefined where it is not known when a client was active last. */
function openGapAfter(
  interval: EndedInterval,
  { open, clients, first, delay, followed }: EndedContext,
): OpenGap | undefined {
  const newest = clients.at(-1)
  const isUsed = newest !== undefined || first !== undefined
  // Without clients, the gap from before goes on.
  if (!isUsed) return open
  const last = isInsideAwakeTime(interval) ? undefined : lastActivity(interval, newest)
  if (!last) return undefined
  const isFollowed =
    newest !== undefined && last.isShown && wasFollowed(followed, { from: newest, to: interval.to.earliest })
  const hiddenBelow = isFollowed ? seconds(0) : longestHidden(interval, delay)
  return hiddenBelow === 'never' ? undefined : { from: last.from, within: last.within, hiddenBelow }
}

/** Gaps under the delay in force were hidden. Without autosuspend any was; the delay that was set since stands for their length. */
const longestHidden = ({ cause }: EndedInterval, now: AutosuspendDelay): AutosuspendDelay =>
  cause.delay === 'never' ? now : cause.delay

/** Whether a restart ended it that no look shows as sleep: looks find the gap, inside awake time. */
const isInsideAwakeTime = ({ to, next }: EndedInterval): boolean =>
  next?.restart === true &&
  !(to.source === 'record' && next.from.source === 'record' && next.from.earliest > to.earliest)

/** Instant one delay before the suspension, where the newest activity known does not explain it. */
function lastActivity(
  interval: EndedInterval,
  newest: Instant | undefined,
): (Pick<OpenGap, 'from' | 'within'> & { readonly isShown: boolean }) | undefined {
  const { from, to, cause } = interval
  if (newest !== undefined && isExplainedBy(newest, interval)) {
    const shown = activityAt(wholeSecond(newest), wholeSecond(from.likely))
    return { ...maskedBy(shown, cause.own), isShown: true }
  }
  if (cause.isOther || cause.delay === 'never') return undefined
  const reach = delayMillis(cause.delay)
  const begin = wholeSecond(latest(from.earliest, instant(to.earliest - reach - GRACE)))
  const end = latest(begin, from.latest, instant(to.latest - reach))
  return { from: begin, within: seconds(Math.ceil((end - begin) / SECOND) + 1), isShown: false }
}

const wholeSecond = (at: Instant) => instant(Math.floor(at / SECOND) * SECOND)
