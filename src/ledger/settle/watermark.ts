// Up to where an account is settled: an instant at which the compute's state is known, behind which nothing is expected to change.
import { ALLOWED_LATENESS } from '../../model/inference/transition.ts'
import type { AwakeInterval, Evidence } from '../../model/ledger/evidence.ts'
import type { Span } from '../../model/ledger/slice.ts'
import { earliest, instant, latest, seconds, type Instant, type Seconds } from '../../model/units.ts'
import { isAwakeState } from '../evidence/boundaries.ts'
import type { Watermark, Timeline } from '../evidence/intervals.ts'
import type { MeteredSizes } from './sizing.ts'

/** How long settling waits for operations that cannot be read. Doubled, that much more evidence is kept while the service fails. */
const PATIENCE = seconds(6 * 3600)
/** Facts of one edge differ by no more than this; edges nearer to each other may still be told apart by a later fact. */
const APART = 2000
/** The least that is settled inside a stretch that goes on, ms. Doubled, twice the looks are kept of a compute that is always on, and half the slices are handed out. */
const STEP = 3_600_000
/** More looks than this are settled before a step is over. Doubled, a fold of a compute that is polled every second takes twice as long. */
const MANY = 200

/** How long after its end an interval may still be restated. */
export const allowedLateness = (awaiting: boolean): Seconds => (awaiting ? PATIENCE : ALLOWED_LATENESS)

export type WatermarkAdvance = {
  /** How many intervals are final. */
  readonly count: number
  readonly until: Instant
  /** The interval that goes on at `until`. */
  readonly carried: AwakeInterval | undefined
}

type Unsettled = {
  readonly history: Timeline
  readonly evidence: Evidence
  readonly frontier: Watermark
  readonly awaiting: boolean
  readonly counted: MeteredSizes
}

/** How long settling waits for what the service will have counted. Doubled, a count that comes two hours late is still heeded, and twice the evidence is kept of ranges. */
const COUNT_WAIT = seconds(3600)

/** Behind this nothing is expected to change any more. */
function horizonOf({ awaiting, counted: { until } }: Unsettled, now: Instant): Instant {
  const horizon = instant(now - allowedLateness(awaiting) * 1000)
  return until === undefined ? horizon : earliest(horizon, latest(until, instant(now - COUNT_WAIT * 1000)))
}

export function advanceWatermark(account: Unsettled, now: Instant): WatermarkAdvance {
  const { history, evidence, frontier } = account
  const { intervals } = history
  const horizon = horizonOf(account, now)
  const count =
    intervals.findLastIndex((interval, index) => isFinal(interval, intervals[index + 1], horizon)) + 1
  const last = intervals[count - 1]?.to
  const next = intervals[count]
  const base: WatermarkAdvance = {
    count,
    until: last ? instant(last.latest + APART) : frontier.settledUntil,
    carried: last ? undefined : frontier.partlySettled && next,
  }
  const goal = { history, evidence, horizon: coveredUntil(evidence, horizon) }
  return beyond(base, goal, evidence.states.length > MANY ? 0 : STEP)
}

/** Further inside what goes on, where that is worth it. */
function beyond(base: WatermarkAdvance, goal: Goal, step: number): WatermarkAdvance {
  const next = goal.history.intervals[base.count]
  const awake = next && awakeUntil(goal, next)
  if (awake !== undefined && awake >= latest(base.until, next?.from.latest ?? base.until) + step)
    return { ...base, until: awake, carried: next }
  const asleep = base.carried ? undefined : sleepUntil(goal, next, base.until)
  return asleep !== undefined && asleep >= base.until + step ? { ...base, until: asleep } : base
}

const isFinal = ({ to }: AwakeInterval, next: AwakeInterval | undefined, horizon: Instant): boolean =>
  to !== undefined && to.latest < horizon && (!next || next.from.earliest > to.latest + APART)

type Goal = { readonly history: Timeline; readonly evidence: Evidence; readonly horizon: Instant }

/** What operations will say is waited for, where they are read and the record does not say it. */
function coveredUntil({ covered, states }: Evidence, horizon: Instant): Instant {
  const isRead = covered !== undefined && horizon - covered[1] < PATIENCE * 1000
  return isRead && states.at(-1)?.record?.startedAt === undefined ? earliest(horizon, covered[1]) : horizon
}

/** The last instant before the horizon at which the compute was surely awake in `interval`. */
function awakeUntil({ history, evidence, horizon }: Goal, interval: AwakeInterval): Instant | undefined {
  const limit = earliest(horizon, interval.to?.earliest ?? horizon)
  const seen = evidence.states.findLast((one) => isAwakeState(one) && one.askedAt <= limit)?.askedAt
  const sure = lastInside(history.sure, limit)
  const at = Math.max(seen ?? 0, sure ?? 0)
  return at > interval.from.latest ? instant(at) : undefined
}

/** The last instant before the horizon and before `next` at which the compute was surely asleep. */
function sleepUntil(
  { history, evidence, horizon }: Goal,
  next: AwakeInterval | undefined,
  base: Instant,
): Instant | undefined {
  const limit = earliest(horizon, instant(next ? next.from.earliest - APART : horizon))
  const looks = evidence.states.filter((one) => !isAwakeState(one) && one.askedAt <= limit)
  const seen = looks.at(-1)?.askedAt
  if (seen === undefined && base === 0) return undefined
  const doubted = history.doubts.some(([from, to]) => from < limit && limit < to)
  const at = doubted ? seen : limit
  return at !== undefined && at > base ? at : undefined
}

const lastInside = (spans: readonly Span[], limit: Instant): Instant | undefined => {
  const span = spans.findLast(([from]) => from <= limit)
  return span && earliest(span[1], limit)
}
