// Gaps of one compute as the delay is judged by them: the last 28 days, the gap in progress, and which time was followed.
import { COARSE_STEP } from '../../model/ledger/rollup.ts'
import { union } from '../../model/time.ts'
import { isObserverActivity } from '../../ledger/evidence/activity.ts'
import { showsActivity } from '../../ledger/rollup/state-spans.ts'
import { provisionalGaps } from '../../ledger/gaps/suspension-gaps.ts'
import { duration } from '../../ledger/interval-math.ts'
import { MAX_GAPS } from '../../model/ledger/gap.ts'
import {
  after,
  DAY,
  earliest,
  instant,
  latest,
  ratio,
  seconds,
  type Instant,
  type Interval,
  type Ratio,
} from '../../model/units.ts'
import { effectiveDelay } from '../../model/service/compute.ts'
import { sumOf } from '../../std/sum.ts'
import { lengthBounds, type BacktestGap } from '../backtest.ts'
import type { AdviseInput } from '../input.ts'
import { HISTORY_SECONDS } from './choose.ts'
import type { GapLength } from './hazard.ts'

/** `isOpen`: in progress. `isFollowed`: a shorter gap would have been seen. */
export type ObservedGap = BacktestGap &
  Readonly<{ isOpen: boolean; isFollowed: boolean; hiddenBelow: number }>

export type ObservedGaps = Interval &
  Readonly<{
    /** In order, cut at `from`. */
    gaps: readonly ObservedGap[]
    /** In order, not overlapping. */
    followed: readonly Interval[]
    followedDays: number
  }>

/**
 * The time begins with the first evidence, at most 28 days ago. The gap in progress is always followed: the record shows the newest
 * activity, so there was none since. Time between two gaps is followed if both are, and so is an hour in use that looks followed: a busy
 * compute has no gaps.
 */
export function observedGaps(input: AdviseInput): ObservedGaps {
  const { now, settings } = input
  const all = endedAndOpenGaps(input)
  const stored = input.gaps
  const [observed, first] = [settings[0]?.since ?? now, all[0]?.from ?? now]
  // older gaps may have been dropped
  const begin = stored.length < MAX_GAPS ? Math.min(observed, first) : first
  const from = latest(instant(begin), instant(now - HISTORY_SECONDS * 1000))
  const gaps = all.filter((gap) => endOf(gap) > from).map((gap) => cutAt(gap, from))
  const spans = union([...followedTime(gaps, { from, to: now }), ...followedHours(input, from)])
  // a look may be dated after `now`, which is estimated
  const followed = spans.map((span) => ({ from: span.from, to: earliest(span.to, now) }))
  return { from, to: now, gaps, followed, followedDays: sumOf(followed, duration) / DAY }
}

export type GapInput = Pick<AdviseInput, 'gaps' | 'entry' | 'project' | 'needs' | 'settings' | 'now'>

/** In order; the one in progress is the last. */
export function endedAndOpenGaps(input: GapInput): readonly ObservedGap[] {
  const { entry, project, needs, now } = input
  const delay = effectiveDelay(entry.compute, project?.project)
  // without gaps that are not settled, sleep before the last wake would count as awake time for up to an hour
  const unsettled = provisionalGaps(entry, { delay, minGap: needs.grid, now })
  const inOrder = [...input.gaps, ...unsettled.ended].toSorted((a, b) => a.from - b.from)
  const ended = inOrder.map((gap): ObservedGap => {
    const { from, hiddenBelow } = gap
    return { from, length: lengthBounds(gap), isOpen: false, isFollowed: hiddenBelow === 0, hiddenBelow }
  })
  return [...ended, ...openGap(input, unsettled.newest ?? recordedActivity(input), ended.at(-1))]
}

export const endOf = ({ from, length }: BacktestGap): Instant => instant(from + length.likely * 1000)

/** The part of a gap from an instant on, which is before its end. */
export function cutAt(gap: ObservedGap, from: Instant): ObservedGap {
  const before = (from - gap.from) / 1000
  if (before <= 0) return gap
  const { low, high } = gap.length
  const length = lengthBounds({ low: seconds(Math.max(0, low - before)), high: seconds(high - before) })
  return { ...gap, from, length }
}

/**
 * From the last client activity until the last look. None where operations alone do not show that activity, and for a compute without
 * autosuspend that is asleep: its silence costs nothing.
 */
function openGap(input: GapInput, newest: Instant, last: ObservedGap | undefined): readonly ObservedGap[] {
  const { entry, needs } = input
  if (!showsActivity(entry.compute) || isAsleepForFree(input)) return []
  const from = latest(newest, last ? endOf(last) : newest)
  const length = seconds((entry.observedAt - from) / 1000)
  if (length < needs.grid) return []
  const bounds = { low: length, likely: length, high: length }
  return [{ from, length: bounds, isOpen: true, isFollowed: true, hiddenBelow: 0 }]
}

const isAsleepForFree = ({ entry: { compute }, project }: GapInput) =>
  compute.state === 'idle' && effectiveDelay(compute, project?.project) === 'never'

/** Share of the awake time of an hour that looks must have followed; the rest is the step to the first look after a wake. */
const FOLLOWED_SHARE = 0.9

function followedHours({ hours, entry, now }: AdviseInput, from: Instant): readonly Interval[] {
  const { coarse } = entry.rollups
  return [...hours, ...(coarse ? [coarse] : [])].flatMap(({ from: begin, time, followed }) => {
    if (time.active === 0 || followed < FOLLOWED_SHARE * time.active) return []
    return [{ from: latest(begin, from), to: earliest(after(begin, COARSE_STEP), now) }]
  })
}

/** For a compute without known clients. Where own activity hides theirs, the first observation: a client may have come just before. */
function recordedActivity({ entry, settings }: GapInput): Instant {
  const { evidence, compute, observedAt } = entry
  const { lastActive } = compute
  const isOwn = lastActive === undefined || isObserverActivity(lastActive, evidence.ownSessions)
  return isOwn ? (settings[0]?.since ?? observedAt) : lastActive
}

function followedTime(gaps: readonly ObservedGap[], { from, to }: Interval): readonly Interval[] {
  const followed: Interval[] = []
  const add = (span: Interval) => {
    const last = followed.at(-1)
    if (last && last.to >= span.from)
      followed[followed.length - 1] = { from: last.from, to: latest(last.to, span.to) }
    else if (span.from < span.to) followed.push(span)
  }
  let isFollowed = gaps[0]?.isFollowed ?? false
  let until = from
  for (const gap of gaps) {
    if (isFollowed && gap.isFollowed) add({ from: until, to: gap.from })
    if (gap.isFollowed) add({ from: gap.from, to: endOf(gap) })
    isFollowed = gap.isFollowed
    until = endOf(gap)
  }
  if (isFollowed) add({ from: until, to })
  return followed
}

/** What money and wakes are computed from: gaps, and the time they stand for. */
export type JudgedGaps = Interval &
  Readonly<{ gaps: readonly ObservedGap[]; observed: readonly Interval[]; followedShare: Ratio }>

export const followedGaps = (all: ObservedGaps): JudgedGaps => ({
  ...everyGap(all),
  gaps: all.gaps.filter(({ isFollowed }) => isFollowed),
  observed: all.followed,
})

/** For delays that no hidden gap is longer than. */
export const everyGap = ({ from, to, gaps, followedDays }: ObservedGaps): JudgedGaps => ({
  from,
  to,
  gaps,
  observed: [{ from, to }],
  followedShare: ratio(to > from ? Math.min(1, (followedDays * DAY) / (to - from)) : 0),
})

export const gapLengths = (gaps: readonly ObservedGap[]): readonly GapLength[] =>
  gaps.map(({ length: { low, high }, hiddenBelow, isOpen }) => ({ low, high, hiddenBelow, isOpen }))
