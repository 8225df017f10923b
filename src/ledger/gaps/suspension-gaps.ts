// Gaps between client activities over suspensions. Awake intervals are settled once, so that each gap is found once, when both of its ends
// are final, also in history that operations alone report.
//
// 1. An interval that was settled to its end leaves its last activity: the newest shown; or, where a suspension came later than that
//    activity explains, one delay before the suspension.
// 2. The next interval ends the gap with its start, where a client woke it, else with its first client. An interval without clients ends none.
// 3. A shorter gap could have been seen where activity was followed until the suspension; else those under the delay were hidden.
import type { ActivityState, Gap, OpenGap } from '../../model/ledger/gap.ts'
import type { AwakeInterval, Evidence } from '../../model/ledger/evidence.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import { delayMillis, type AutosuspendDelay } from '../../model/service/compute.ts'
import { SUSPEND_GRACE } from '../../model/inference/expected-suspension.ts'
import {
  earliest,
  instant,
  latest,
  SECOND,
  seconds,
  type Instant,
  type Interval,
  type Seconds,
} from '../../model/units.ts'
import { isWokenByService } from '../attribution/attribution.ts'
import {
  clientActivities,
  isWokenDuring,
  isWokenByObserver,
  observerActivities,
} from '../evidence/activity.ts'
import type { Watermark } from '../evidence/intervals.ts'
import { provisionalIntervals } from '../settle/settle.ts'
import { NO_ACTIVITY, wasFollowed } from './follow-activity.ts'
import { activityAt, lengthOf, maskedBy, WAKE_TIME } from './gap-length.ts'

type SettledIntervals = Readonly<{
  /** Settled to their ends now, in order. */
  closed: readonly AwakeInterval[]
  watermark: Watermark
  /** Before pruning. */
  evidence: Evidence
  delay: AutosuspendDelay
  /** Shorter ones are left out. */
  minGap: Seconds
}>

export function suspensionGaps(
  activity: ActivityState,
  { closed, watermark, evidence, delay, minGap }: SettledIntervals,
): Readonly<{ activity: ActivityState; gaps: readonly Omit<Gap, 'ref'>[] }> {
  const { settledUntil, partlySettled } = watermark
  const followed = activity.followed.filter(({ to }) => to > settledUntil)
  if (closed.length === 0 && !(activity.open && partlySettled))
    return { activity: { ...activity, followed }, gaps: [] }
  const intervals = partlySettled ? [...closed, partlySettled.interval] : closed
  const gaps: Omit<Gap, 'ref'>[] = []
  const { lag, shownBeforeSleep, ...before } = activity
  let { open } = activity
  intervals.forEach((interval, index) => {
    const clients = clientsIn(interval, evidence, shownBeforeSleep)
    const first = interval.restart ? undefined : firstActivity(interval, clients, { evidence, lag })
    if (open && first) {
      const gap = lengthOf(open, first, minGap)
      if (gap) gaps.push(gap)
      open = undefined
    }
    if (!interval.to) return
    const isRestarted = intervals[index + 1]?.restart === true
    open = openGapAfter(
      { ...interval, to: interval.to },
      { open, clients, first, isRestarted, evidence, delay, followed: activity.followed },
    )
  })
  const settledTo = closed.at(-1)?.to?.latest ?? 0
  const isOpen = shownBeforeSleep !== undefined && shownBeforeSleep > settledTo
  return {
    activity: { ...before, lag, ...(isOpen && { shownBeforeSleep }), followed, open },
    gaps,
  }
}

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
    watermark: { settledUntil, partlySettled: isAwake ? { interval: last, cuTime: {} } : undefined },
    evidence,
    delay,
    minGap,
  })
  const starts = intervals.filter((interval) => isOwnWake(interval, evidence))
  const isOfClient = (at: Instant) =>
    !starts.some(({ from }) => at >= from.earliest - WAKE_TIME && at < from.latest + SECOND)
  const known = [...clientActivities(evidence), after.shown?.from, after.open?.from]
  const ofClients = known.filter((at) => at !== undefined).filter(isOfClient)
  return { ended: gaps, newest: ofClients.length > 0 ? latest(...ofClients) : undefined }
}

/** By the service, a change or a warm-up: records may show such a wake as activity. */
const isOwnWake = (interval: AwakeInterval, evidence: Evidence): boolean =>
  isWokenByService(interval, evidence) ||
  isWokenDuring(interval, evidence.changes) ||
  isWokenDuring(interval, evidence.warmUps)

/** @param shown newest activity of a client that looks showed, which evidence of settled time does not hold any more */
function clientsIn(
  interval: AwakeInterval,
  evidence: Evidence,
  shown: Instant | undefined,
): readonly Instant[] {
  const { from, to } = interval
  const since = isOwnWake(interval, evidence) ? from.latest + SECOND : from.earliest - SECOND
  const isInside = (at: Instant) => at >= since && at <= (to?.latest ?? Infinity)
  const recorded = clientActivities(evidence).filter(isInside)
  const isEarlier = shown !== undefined && isInside(shown) && shown < (recorded[0] ?? Infinity)
  return isEarlier ? [shown, ...recorded] : recorded
}

/** Undefined where no client used the interval, or none is known to have. */
function firstActivity(
  interval: AwakeInterval,
  clients: readonly Instant[],
  { evidence, lag }: Readonly<{ evidence: Evidence }> & Pick<ActivityState, 'lag'>,
): Interval | undefined {
  const { from } = interval
  const [client] = clients
  const isWokenByClient = !isWokenByObserver(interval, evidence.ownSessions) && !isOwnWake(interval, evidence)
  if (!isWokenByClient)
    return client && { from: earliest(client, quietUntil(interval, evidence, lag)), to: client }
  if (client === undefined && isShownUnused(interval, evidence)) return undefined
  return { from: instant(from.earliest - WAKE_TIME), to: from.latest }
}

/** Until when looks show that no client came after a start that none caused. */
function quietUntil({ from }: AwakeInterval, { states }: Evidence, lag: ActivityState['lag']): Instant {
  const quiet = states.findLast(
    ({ askedAt, record }) =>
      askedAt > from.latest && record?.lastActive !== undefined && record.lastActive <= from.latest,
  )
  const hidden = Math.max(lag.atLeast, lag.atMost) * SECOND
  return latest(from.earliest, instant((quiet?.askedAt ?? 0) - hidden))
}

/** A look after the start shows no activity since. */
const isShownUnused = ({ from }: AwakeInterval, { states }: Evidence) =>
  states.some(
    ({ askedAt, record }) =>
      record?.lastActive !== undefined &&
      record.lastActive < from.earliest - SECOND &&
      askedAt > from.latest + 60 * SECOND,
  )

type ClosedInterval = AwakeInterval & { readonly to: NonNullable<AwakeInterval['to']> }

type ClosedContext = Readonly<{
  open: OpenGap | undefined
  clients: readonly Instant[]
  first: Interval | undefined
  /** A restart ended it, not inactivity. */
  isRestarted: boolean
  evidence: Evidence
  delay: AutosuspendDelay
  followed: ActivityState['followed']
}>

/** Undefined where it is not known when a client was active last. */
function openGapAfter(interval: ClosedInterval, context: ClosedContext): OpenGap | undefined {
  const { open, clients, first, delay, followed } = context
  const newest = clients.at(-1)
  const isUsed = newest !== undefined || first !== undefined
  // Without clients, the gap from before goes on.
  if (!isUsed) return open
  const last = lastActivity(interval, newest, context)
  if (!last) return undefined
  const isFollowed =
    newest !== undefined && last.isShown && wasFollowed(followed, { from: newest, to: interval.to.earliest })
  const hiddenBelow = isFollowed ? seconds(0) : delay
  return hiddenBelow === 'never' ? undefined : { from: last.from, within: last.within, hiddenBelow }
}

/** Instant one delay before the suspension, where the newest activity known does not explain it. */
function lastActivity(
  { from, to }: ClosedInterval,
  newest: Instant | undefined,
  { isRestarted, evidence, delay }: ClosedContext,
): (Pick<OpenGap, 'from' | 'within'> & { readonly isShown: boolean }) | undefined {
  const own = observerActivities(evidence).findLast((at) => at <= to.latest) ?? 0
  const reach = delayMillis(delay)
  const hasOtherCause = isRestarted || isDelayChanged(to, evidence)
  const isExplained = hasOtherCause || to.earliest - reach <= Math.max(newest ?? 0, own) + GRACE
  if (newest !== undefined && isExplained) {
    const shown = activityAt(wholeSecond(newest), wholeSecond(from.likely))
    return { ...maskedBy(shown, instant(own)), isShown: true }
  }
  if (hasOtherCause || delay === 'never') return undefined
  const begin = wholeSecond(latest(from.earliest, instant(to.earliest - reach - GRACE)))
  const end = latest(begin, from.latest, instant(to.latest - reach))
  return { from: begin, within: seconds(Math.ceil((end - begin) / SECOND) + 1), isShown: false }
}

/** Whether another delay was set between the last look before a suspension and the first after it, which suspends a compute that is idle. */
function isDelayChanged({ earliest: from, latest: to }: ClosedInterval['to'], { states }: Evidence): boolean {
  const before = states.findLast(({ answeredAt, record }) => record && answeredAt <= from)?.record
  const next = states.find(({ askedAt, record }) => record && askedAt >= to)?.record
  return before !== undefined && next !== undefined && before.holds !== next.holds
}

/** Time by which a suspension may be later than one delay after the last activity, ms. */
const GRACE = (SUSPEND_GRACE + 1) * SECOND

const wholeSecond = (at: Instant) => instant(Math.floor(at / SECOND) * SECOND)
