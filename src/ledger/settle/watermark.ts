// The watermark: an instant of known state, behind which no change is expected.
import { ALLOWED_LATENESS } from '../../model/inference/transition.ts'
import type { AwakeInterval, Evidence } from '../../model/ledger/evidence.ts'
import {
  HOUR,
  after,
  earliest,
  instant,
  latest,
  seconds,
  type Instant,
  type Seconds,
} from '../../model/units.ts'
import { isAwakeState } from '../evidence/boundaries.ts'
import type { Watermark, Timeline } from '../evidence/intervals.ts'
import type { SliceContext } from './slices.ts'

/** Longest wait for operations that cannot be read, 6 h: meanwhile evidence accumulates. */
const MAX_OPERATION_WAIT = seconds(6 * 3600)
/** Facts, 160, some 17 kB, that end this wait: a compute with many wakes would fill its row, and most of them have dates of their own. */
const MAX_WAITING_FACTS = 160
/** Largest distance between facts of one edge, ms. Closer edges may still be separated by a later fact. */
const MIN_DISTANCE = 2000
/** Smallest advance inside an interval in progress, 1 h, ms: bounds evidence and slices of an always-on compute. */
const MIN_ADVANCE = HOUR
/** Facts, 60, above which a shorter advance is enough: applying takes longer with each, and rows get larger. */
const MANY_FACTS = 60
/** Smallest advance above `MANY_FACTS`, 5 min, ms: an always-on compute that is read each minute has two facts a minute. */
const MIN_ADVANCE_WITH_MANY = 300_000

/** After its end an interval may be restated for so long. */
const allowedLateness = (awaiting: boolean): Seconds => (awaiting ? MAX_OPERATION_WAIT : ALLOWED_LATENESS)

type WatermarkAdvance = Readonly<{
  /** Number of final intervals. */
  finalCount: number
  until: Instant
  /** In progress at `until`. */
  partlySettled: AwakeInterval | undefined
}>

type WatermarkInput = Pick<SliceContext, 'evidence' | 'metered' | 'now'> &
  Readonly<{ timeline: Timeline; watermark: Watermark; awaiting: boolean }>

/** Longest wait for metering, 1 h: meanwhile the evidence of ranges stays. */
const MAX_METERING_WAIT = seconds(3600)

function horizonOf({ awaiting, evidence, watermark, metered: { until }, now }: WatermarkInput): Instant {
  const waits = awaiting && countFacts(evidence) <= MAX_WAITING_FACTS
  const firstLook = evidence.states[0]?.askedAt
  // operations of months may still come: settled as asleep, that time would be lost
  if (
    waits &&
    watermark.settledUntil === 0 &&
    firstLook !== undefined &&
    now < after(firstLook, MAX_OPERATION_WAIT)
  )
    return instant(0)
  const horizon = instant(now - allowedLateness(waits) * 1000)
  return until === undefined
    ? horizon
    : earliest(horizon, latest(until, instant(now - MAX_METERING_WAIT * 1000)))
}

/** When an interval that ended at `end` is final, unless new facts come: `horizonOf` is behind it then. */
export function finalAfter(
  end: Instant,
  { awaiting, metered: { until } }: Pick<WatermarkInput, 'awaiting' | 'metered'>,
): Instant {
  const lateness = allowedLateness(awaiting)
  const awaitsMetering = until !== undefined && until <= end
  return instant(after(end, awaitsMetering ? seconds(Math.max(lateness, MAX_METERING_WAIT)) : lateness) + 1)
}

export function advanceWatermark(input: WatermarkInput): WatermarkAdvance {
  const { timeline, evidence, watermark } = input
  const { intervals } = timeline
  const horizon = horizonOf(input)
  const finalCount =
    intervals.findLastIndex((interval, index) => isFinal(interval, intervals[index + 1], horizon)) + 1
  const last = intervals[finalCount - 1]?.to
  const next = intervals[finalCount]
  const base: WatermarkAdvance = {
    finalCount,
    until: last ? instant(last.latest + MIN_DISTANCE) : watermark.settledUntil,
    partlySettled: last ? undefined : watermark.partlySettled && next,
  }
  const target = { timeline, evidence, horizon: coveredUntil(evidence, horizon) }
  return advanceOverRestart(base, target) ?? advanceInside(base, target, next)
}

/**
 * Into the interval after a restart: no instant between the two intervals is certainly asleep. Undefined where the last interval that
 * ended before the horizon is final without it, or too little is certain of the next.
 */
function advanceOverRestart(
  { finalCount, until }: WatermarkAdvance,
  target: Target,
): WatermarkAdvance | undefined {
  const { intervals } = target.timeline
  const ended = intervals.findLastIndex(({ to }) => to !== undefined && to.latest < target.horizon) + 1
  const next = ended > finalCount ? intervals[ended] : undefined
  const awake = next && awakeUntil(target, next)
  return awake !== undefined && awake >= until + minAdvance(target.evidence)
    ? { finalCount: ended, until: awake, partlySettled: next }
    : undefined
}

const minAdvance = (evidence: Evidence): number =>
  countFacts(evidence) > MANY_FACTS ? MIN_ADVANCE_WITH_MANY : MIN_ADVANCE

/** Facts that time adds. */
const countFacts = ({ operations, states, starts, ends, activities, ownSessions }: Evidence): number =>
  [operations, states, starts, ends, activities, ownSessions].reduce((sum, { length }) => sum + length, 0)

/** Inside the interval or the sleep in progress, where that gains enough. */
function advanceInside(base: WatermarkAdvance, target: Target, next: AwakeInterval | undefined) {
  const step = minAdvance(target.evidence)
  const awake = next && awakeUntil(target, next)
  if (awake !== undefined && awake >= latest(base.until, next?.from.latest ?? base.until) + step)
    return { ...base, until: awake, partlySettled: next }
  const asleep = base.partlySettled ? undefined : sleepUntil(target, next, base.until)
  return asleep !== undefined && asleep >= base.until + step ? { ...base, until: asleep } : base
}

const isFinal = ({ to }: AwakeInterval, next: AwakeInterval | undefined, horizon: Instant) =>
  to !== undefined && to.latest < horizon && (!next || next.from.earliest > to.latest + MIN_DISTANCE)

type Target = Pick<WatermarkInput, 'timeline' | 'evidence'> & { readonly horizon: Instant }

/** The time covered by operations, where they are read and records do not report starts. */
function coveredUntil({ covered, states }: Evidence, horizon: Instant): Instant {
  const isRead = covered !== undefined && horizon - covered.to < MAX_OPERATION_WAIT * 1000
  return isRead && states.at(-1)?.record?.startedAt === undefined ? earliest(horizon, covered.to) : horizon
}

/** Last instant before the horizon, certainly awake in `interval`. */
function awakeUntil({ timeline, evidence, horizon }: Target, interval: AwakeInterval): Instant | undefined {
  const limit = earliest(horizon, interval.to?.earliest ?? horizon)
  const observed = evidence.states.findLast((state) => isAwakeState(state) && state.askedAt <= limit)
  const certain = timeline.certainlyAwake.findLast(({ from }) => from <= limit)
  const at = Math.max(observed?.askedAt ?? 0, certain ? earliest(certain.to, limit) : 0)
  return at > interval.from.latest ? instant(at) : undefined
}

/** Last instant before the horizon and `next`, certainly asleep. */
function sleepUntil({ timeline, evidence, horizon }: Target, next: AwakeInterval | undefined, base: Instant) {
  const limit = earliest(horizon, instant(next ? next.from.earliest - MIN_DISTANCE : horizon))
  const observed = evidence.states.findLast((state) => !isAwakeState(state) && state.askedAt <= limit)
  const observedAt = observed?.askedAt
  if (observedAt === undefined && base === 0) return undefined
  const isPossiblyAwake = timeline.possiblyAwake.some(({ from, to }) => from < limit && limit < to)
  const at = isPossiblyAwake ? observedAt : limit
  return at !== undefined && at > base ? at : undefined
}
