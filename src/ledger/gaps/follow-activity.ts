// Gaps between client activities inside awake time, from looks, and from the project list for a project with one compute. Both show only the
// newest activity: a look late by the activity lag, the list by a lag of its own.
//
// 1. A look without newer activity than the one before excludes any, up to the lag before it.
// 2. Newer activity ends the gap: the first lies after that instant, and not after the activity shown.
// 3. A gap is left out where looks or lists were not close in more than a tenth of it: shorter ones could not have been seen.
// 4. A list does not show whether the compute slept: its gaps wait for the next look.
// 5. Gaps over suspensions are found when their awake intervals are settled (suspension-gaps.ts).
import {
  MAX_FOLLOWED_STEP,
  type ActivityState,
  type Gap,
  type OpenGap,
  type UnconfirmedGap,
} from '../../model/ledger/gap.ts'
import type { OwnSession } from '../../model/ledger/evidence.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import type { ActivityLagSample } from '../../model/ledger/reading-state.ts'
import type { ListedActivity, Look } from '../../model/observation.ts'
import type { Compute, ComputeRef } from '../../model/service/compute.ts'
import { union } from '../../model/time.ts'
import {
  after,
  earliest,
  instant,
  latest,
  SECOND,
  seconds,
  type Instant,
  type Interval,
  type Seconds,
} from '../../model/units.ts'
import { isObserverActivity, isWarmUpActivity } from '../evidence/activity.ts'
import { activityAt, lengthOf, maskedBy, WAKE_TIME } from './gap-length.ts'
import { overlap } from '../interval-math.ts'
import { isLater } from '../rollup/bucketize.ts'
import { stateSpansBetween, type ObservedCompute, type StateSpan } from '../rollup/state-spans.ts'
import { sumOf } from '../../std/sum.ts'

/** Activity lag until looks have measured it, 60 s: no known service shows activity later. */
const UNKNOWN_LAG: ActivityLagSample = { atLeast: seconds(0), atMost: seconds(60) }

export const NO_ACTIVITY: ActivityState = {
  shown: undefined,
  lag: UNKNOWN_LAG,
  followed: [],
  open: undefined,
}

/** Spans of unsettled time that an entry holds, 32: half an hour of wakes, each followed by the shortest delay. */
const MAX_FOLLOWED_SPANS = 32

type FollowInput = Readonly<{
  ref: ComputeRef
  looks: readonly Look[]
  /** Before the looks. */
  listed?: ListedActivity | undefined
  ownSessions: readonly OwnSession[]
  /** When starts of the compute may have been ours; by default never. */
  warmUps?: readonly Interval[] | undefined
  /** Shorter ones are left out. */
  minGap: Seconds
}>

/** @param before undefined before the first look. Looks not later than its own are left out, so that applying them twice is safe. */
export function followActivity(
  before: Pick<ComputeEntry, 'compute' | 'observedAt' | 'activity'> | undefined,
  { ref, looks, listed, ownSessions, warmUps, minGap }: FollowInput,
): Readonly<{ activity: ActivityState; gaps: readonly Gap[] }> {
  const gaps: Gap[] = []
  let activity = before?.activity ?? NO_ACTIVITY
  if (before && listed)
    activity = followListed(activity, listed, {
      startedAt: before.compute.startedAt,
      ownSessions,
      warmUps,
      minGap,
    })
  let last = before && { compute: before.compute, at: before.observedAt }
  for (const look of looks) {
    if (!isLater(look.answeredAt, last?.at)) continue
    const next = followLook(activity, look, { last, ownSessions, warmUps, minGap })
    for (const gap of next.gaps) gaps.push({ ref, ...gap })
    activity = next.activity
    last = { compute: look.compute, at: look.answeredAt }
  }
  return { activity, gaps }
}

type LookContext = Pick<FollowInput, 'ownSessions' | 'warmUps' | 'minGap'> &
  Readonly<{ last: ObservedCompute | undefined }>

function followLook(
  { unconfirmed = [], ...before }: ActivityState,
  look: Look,
  { last, ownSessions, warmUps, minGap }: LookContext,
) {
  const { compute, askedAt, answeredAt: at, listed } = look
  const spans = last ? stateSpansBetween(last, { compute, at, listed }) : []
  const lag = lagAfter(before.lag, look, last)
  const sleeps = spans.filter(isAsleep)
  const earlier = shownBefore(before.shown, look, sleeps)
  const quietUntil = instant(askedAt - Math.max(lag.atLeast, lag.atMost) * SECOND)
  const isIdle = compute.state === 'idle'
  const newest = isIdle
    ? undefined
    : shownAfter(earlier, { ...compute, askedAt, quietUntil, ownSessions, warmUps })
  const close = spans.filter(({ followed: isFollowed }) => isFollowed)
  const followed = union([...before.followed, ...close]).slice(-MAX_FOLLOWED_SPANS)
  const step = { close, followed, sleeps, since: last?.at ?? at, at }
  const gap = earlier && newest && gapBetween(earlier, newest, minGap)
  const seen = [...unconfirmed, ...(gap ? [{ ...gap, unfollowed: earlier.unfollowed }] : [])]
  return {
    activity: {
      ...withUnused(sleptSince(before, isIdle), compute, quietUntil),
      shown: newest && withUnfollowed(newest, step),
      lag,
      followed,
    },
    gaps: seen
      .filter((one) => isConfirmed(one, step))
      .map(({ from, low, high, hiddenBelow }) => ({ from, low, high, hiddenBelow })),
  }
}

const sleptSince = (before: ActivityState, isIdle: boolean): ActivityState =>
  isIdle && before.shown ? { ...before, shownBeforeSleep: before.shown.from } : before

/** Unused while the newest activity is older than the start. */
function withUnused(before: ActivityState, compute: Compute, quietUntil: Instant): ActivityState {
  const { state, lastActive, startedAt } = compute
  const isUnused = state === 'active' && (lastActive ?? Infinity) < (startedAt ?? 0) - SECOND
  return isUnused ? { ...before, unusedUntil: quietUntil } : before
}

/** From the look before to this one. */
type Step = Readonly<{
  /** Time in which activity was followed. */
  close: readonly Interval[]
  /** Followed time of earlier looks and of this one. */
  followed: ActivityState['followed']
  sleeps: readonly Interval[]
  /** Time of the look before. The first look proves silence since the activity that it shows. */
  since: Instant
  at: Instant
}>

function withUnfollowed(shown: Shown, { close, since, at }: Step): Shown {
  const { unfollowed: before = 0, ...newest } = shown
  const unfollowed = before + unfollowedIn({ from: latest(since, newest.from), to: at }, close)
  return unfollowed > 0 ? { ...newest, unfollowed: seconds(unfollowed) } : newest
}

/** Seconds of `span` in which activity was not followed. */
const unfollowedIn = (span: Interval, close: readonly Interval[]): number =>
  Math.max(0, span.to - span.from - sumOf(close, (one) => overlap(one, span))) / SECOND

/** Undefined where the compute slept since. */
function shownBefore(shown: Shown | undefined, { listed, quietUntil }: Look, sleeps: readonly Interval[]) {
  if (!shown || !isAfterAll(sleeps, shown.from)) return undefined
  return listed ? quietAt(shown, quietUntil) : shown
}

/** Part of a gap, a tenth, in which a restart or an outage may have kept looks away. */
const MAX_UNFOLLOWED = 0.1

/** Whether the compute was awake over all of it, and followed. */
function isConfirmed(
  { from, low, high, unfollowed = seconds(0) }: UnconfirmedGap,
  { close, followed, sleeps, since, at }: Step,
): boolean {
  const to = earliest(at, after(from, high))
  const unseen = unfollowed + unfollowedIn({ from: latest(since, from), to }, close)
  const isFollowed = wasFollowed(followed, { from, to }) || unseen <= low * MAX_UNFOLLOWED
  const earlierSleeps = sleeps.filter((one) => one.from < to)
  return isFollowed && isAfterAll(earlierSleeps, from)
}

type ListContext = Pick<FollowInput, 'ownSessions' | 'warmUps' | 'minGap'> & {
  readonly startedAt: Instant | undefined
}

/** Activity that is dated ahead leaves the newest unknown. */
function followListed(
  before: ActivityState,
  listed: ListedActivity,
  { startedAt, ownSessions, warmUps, minGap }: ListContext,
): ActivityState {
  if (isDatedAhead(listed)) return { ...before, shown: undefined }
  const { lastActive, askedAt, askedBefore, lag } = listed
  const quietBefore = askedBefore && after(askedBefore, seconds(0 - lag))
  const earlier = before.shown && quietAt(before.shown, quietBefore)
  const quietUntil = after(askedAt, seconds(0 - lag))
  const shown = shownAfter(earlier, { lastActive, startedAt, askedAt, quietUntil, ownSessions, warmUps })
  const gap = earlier && shown && gapBetween(earlier, shown, minGap)
  const found = gap ? [{ ...gap, ...(earlier.unfollowed && { unfollowed: earlier.unfollowed }) }] : []
  const unconfirmed = [...(before.unconfirmed ?? []), ...found].slice(-MAX_FOLLOWED_SPANS)
  return { ...before, shown, ...(unconfirmed.length > 0 && { unconfirmed }) }
}

/** Longest time from the request of a page to its answer, 30 s, ms. */
const MAX_REQUEST_TIME = 30 * SECOND

/** Whether activity is dated after the answer that showed it. */
const isDatedAhead = ({ lastActive, askedAt }: ListedActivity): boolean =>
  lastActive > askedAt + MAX_REQUEST_TIME

const quietAt = (shown: Shown, until: Instant | undefined): Shown => ({
  ...shown,
  quietUntil: latest(shown.quietUntil, until ?? shown.quietUntil),
})

const isAsleep = ({ state }: StateSpan) => state === 'idle'

/** What woke the compute is dated by looks alone. */
const isAfterAll = (sleeps: readonly Interval[], at: Instant) => sleeps.every(({ to }) => at > to + WAKE_TIME)

/** Whether looks or lists were close over all of `within`, awake; the first may come one step later. */
export const wasFollowed = (followed: ActivityState['followed'], within: Interval): boolean =>
  followed.some(({ from, to }) => from <= within.from + MAX_FOLLOWED_STEP * SECOND && to >= within.to)

type Lag = ActivityState['lag']
type Shown = NonNullable<ActivityState['shown']>

/** Newer activity was not in the look before, and is in this one. The lag is the smallest that explains all of them. */
function lagAfter(lag: Lag, { compute, answeredAt }: Look, last: ObservedCompute | undefined): Lag {
  const { lastActive: at } = compute
  if (!last || at === undefined || at <= (last.compute.lastActive ?? 0) || at > answeredAt) return lag
  const hiddenFor = Math.ceil((last.at - at) / SECOND) - 1
  return {
    atLeast: seconds(Math.max(lag.atLeast, Math.min(hiddenFor, UNKNOWN_LAG.atMost))),
    atMost: seconds(Math.min(lag.atMost, Math.ceil((answeredAt - at) / SECOND))),
  }
}

type ShownInput = Pick<Compute, 'lastActive' | 'startedAt'> &
  Readonly<{
    askedAt: Instant
    /** Newer activity would be shown. */
    quietUntil: Instant
  }> &
  Pick<FollowInput, 'ownSessions' | 'warmUps'>

/** Without `earlier`, activity from before the start is not shown: the compute may have slept since. */
function shownAfter(earlier: Shown | undefined, input: ShownInput): Shown | undefined {
  const { startedAt, askedAt, quietUntil, ownSessions } = input
  const lastActive = recordedActivity(input)
  const isOwn = lastActive !== undefined && isObserverActivity(lastActive, ownSessions)
  const newest = isOwn ? readActivity(ownSessions, askedAt) : lastActive
  const since = earlier ? newestOf(earlier) : instant((startedAt ?? 0) - WAKE_TIME - SECOND)
  if (newest !== undefined && newest > since)
    return { ...activityAt(newest, startedAt), quietUntil: latest(quietUntil, newest) }
  if (!earlier) return undefined
  const activity = isOwn ? maskedBy(earlier, lastActive) : earlier
  return { ...activity, quietUntil: latest(earlier.quietUntil, quietUntil) }
}

/** The start, where nobody has come since; undefined where a warm-up hides it. */
function recordedActivity({ lastActive, startedAt, warmUps }: ShownInput): Instant | undefined {
  if (lastActive === undefined) return startedAt
  return isWarmUpActivity(lastActive, warmUps) ? undefined : lastActive
}

/** The newest that readings until `at` saw, in whole seconds. */
function readActivity(ownSessions: readonly OwnSession[], at: Instant): Instant | undefined {
  const seen = ownSessions.filter(({ disconnectedAt }) => disconnectedAt <= at)
  const newest = Math.max(...seen.map(({ lastClientActivity = 0 }) => lastClientActivity))
  return newest > 0 ? instant(Math.floor(newest / SECOND) * SECOND) : undefined
}

const newestOf = ({ from, within }: Pick<OpenGap, 'from' | 'within'>) => instant(from + (within - 1) * SECOND)

/** Undefined without newer activity, and where the gap is probably too short. */
function gapBetween(earlier: Shown, later: Shown, minGap: Seconds): Omit<Gap, 'ref'> | undefined {
  if (later.from <= newestOf(earlier)) return undefined
  return lengthOf(
    { ...earlier, hiddenBelow: seconds(0) },
    { from: earlier.quietUntil, to: newestOf(later) },
    minGap,
  )
}
