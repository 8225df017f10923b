// Awake intervals out of evidence: a walk along the timeline that keeps one piece of state, whether the compute is awake.
import type { AwakeInterval, Edge, Evidence, ObservedRecord } from '../../model/ledger/evidence.ts'
import type { PartlySettledInterval } from '../../model/ledger/ledger.ts'
import { mayStartCompute } from '../../model/service/operation.ts'
import type { Span } from '../../model/ledger/slice.ts'
import { earliest, instant, latest, type Instant } from '../../model/units.ts'
import { isAwakeState, operationEdge, findBoundaries, type Boundary, type Sighting } from './boundaries.ts'
import { deriveContinuity } from './continuity.ts'
import { unionSpans } from '../interval-math.ts'
import { possiblyAwake, certainlyAwake, type StateSample } from './certainty.ts'

/** Where the evidence begins. */
export type Watermark = {
  readonly settledUntil: Instant
  /** The interval that goes on then; undefined when the compute was not awake. */
  readonly partlySettled: PartlySettledInterval | undefined
}

export type Timeline = {
  /** In order of time, never overlapping; only the last may be open. The one that was carried over comes first. */
  readonly intervals: readonly AwakeInterval[]
  /** Where the compute was surely awake, ascending, inside intervals. */
  readonly sure: readonly Span[]
  /** Where it may have been awake outside intervals, ascending. */
  readonly doubts: readonly Span[]
}

type Walk = {
  readonly updates: readonly Instant[]
  /** The shortest delay that was seen, ms. */
  readonly shortest: number
  /** When the last operation began. */
  readonly toldAt: Instant
  /** Where operations may have started the compute, ascending. */
  readonly hints: readonly Edge[]
  readonly done: { readonly interval: AwakeInterval; readonly points: readonly StateSample[] }[]
  readonly asleep: (readonly StateSample[])[]
  open: AwakeInterval | undefined
  /** Of the stretch that the walk is in. */
  points: StateSample[]
  /** The last instant at which the compute is known not to be awake; undefined before anything is known. */
  asleepAt: Instant | undefined
  /** The last activity that was told. */
  activeAt: Instant | undefined
  isGone: boolean
}

/**
 * What the evidence tells of the time after the frontier. An interval that began before the first evidence is left out when
 * no fact dates its start.
 *
 * @param now until when a compute may have been awake since it was last seen; undefined of one that is gone
 */
export function deriveTimeline(evidence: Evidence, frontier: Watermark, now: Instant | undefined): Timeline {
  const walk = walked(evidence, frontier)
  const continuity = deriveContinuity(evidence)
  const awake = walk.open ? [...walk.done, { interval: walk.open, points: walk.points }] : walk.done
  const until = walk.isGone ? undefined : now
  const asleep = walk.asleep.flatMap((points) => possiblyAwake(points, continuity, undefined))
  const last = walk.open ? [] : possiblyAwake(walk.points, continuity, until)
  return {
    intervals: awake.map(({ interval }) => interval),
    sure: unionSpans(awake.flatMap(({ interval, points }) => certainlyAwake(interval, points, continuity))),
    doubts: unionSpans([...asleep, ...last]),
  }
}

function walked(evidence: Evidence, { settledUntil, partlySettled }: Watermark): Walk {
  const { boundaries, gaps } = findBoundaries(evidence, {
    settledUntil,
    awakeSince: partlySettled?.interval.from.earliest,
  })
  const walk: Walk = {
    updates: evidence.states.flatMap(({ record }) => (record ? [record.updatedAt] : [])),
    shortest: 1000 * Math.min(...evidence.states.map(({ record }) => delayOf(record))),
    toldAt: evidence.operations.at(-1)?.createdAt ?? instant(0),
    hints: evidence.operations.filter(mayStartCompute).map(operationEdge),
    done: [],
    asleep: [],
    open: partlySettled?.interval,
    points: settledUntil > 0 ? [pointAt(settledUntil)] : [],
    asleepAt: !partlySettled && settledUntil > 0 ? settledUntil : undefined,
    activeAt: undefined,
    isGone: false,
  }
  // A polled start may be that of the first look, which the compute was awake before.
  if (partlySettled)
    walk.points.unshift(
      startPoint(partlySettled.interval.from, partlySettled.interval.from.source !== 'poll'),
    )
  gaps.forEach((marks, index) => {
    for (const mark of marks) pass(walk, mark)
    const boundary = boundaries[index]
    if (boundary?.kind === 'start') start(walk, boundary)
    else if (boundary) end(walk, boundary)
  })
  return walk
}

const delayOf = (record: ObservedRecord | undefined): number =>
  record === undefined || record.holds === 'never' ? Number.POSITIVE_INFINITY : record.holds

const pointAt = (at: Instant): StateSample => ({ from: at, to: at, holds: false })
const startPoint = ({ earliest: from, latest: to }: Edge, holds: boolean): StateSample => ({
  from,
  to,
  holds,
})

/** A mark that contradicts the walk dates a transition nothing else tells of. */
function pass(walk: Walk, mark: Sighting): void {
  const point: StateSample = {
    from: mark.askedAt,
    to: mark.answeredAt,
    holds: mark.isActivity,
    unusedUntil: mark.record?.unusedUntil,
  }
  if (mark.isActivity) walk.activeAt = mark.askedAt
  if (isAwakeState(mark)) {
    if (walk.open) walk.open = { ...walk.open, knownUntil: latest(walk.open.knownUntil, mark.askedAt) }
    // Activity from before anything was seen tells of no interval that was.
    else if (mark.isActivity && walk.asleepAt === undefined) return
    else {
      open(walk, unseenStart(walk, mark), mark.askedAt)
    }
    walk.points.push(point)
    return
  }
  walk.isGone = mark.state === 'gone'
  if (walk.open)
    close(walk, walk.isGone ? deletion(walk, walk.open, mark) : unseenEnd(walk, walk.open.knownUntil, mark))
  walk.points.push(point)
  walk.asleepAt = mark.askedAt
}

/**
 * The likeliest: when the record was updated. Else halfway since it was seen asleep, but before the last activity of a short use
 * no longer than a delay, because that is how far apart its activities can be.
 */
function unseenStart(walk: Walk, { askedAt, answeredAt, isActivity }: Sighting): Edge {
  const edge = polled(walk.asleepAt ?? askedAt, answeredAt)
  const near = isActivity ? latest(edge.likely, instant(answeredAt - walk.shortest)) : edge.likely
  return { ...edge, likely: updateIn(walk, edge) ?? near }
}

/** A second in which the record was updated is the likeliest for a change of state that nothing else dates. */
function updateIn({ updates }: Walk, { earliest: from, latest: to }: Edge): Instant | undefined {
  const found = updates.findLast((at) => at + SECOND > from && at <= to)
  return found === undefined ? undefined : instant(Math.min(to, Math.max(from, found + SECOND / 2)))
}

/** The interface writes instants in whole seconds. */
const SECOND = 1000

/** The likeliest: when the record was updated, else when the delay after the last activity was over. */
function unseenEnd(walk: Walk, knownUntil: Instant, { answeredAt, record }: Sighting): Edge {
  const edge = polled(knownUntil, answeredAt)
  const silent =
    record?.lastActive === undefined || record.holds === 'never'
      ? undefined
      : record.lastActive + SECOND / 2 + record.holds * 1000
  const expected =
    silent !== undefined && silent > edge.earliest && silent < edge.latest ? silent : edge.likely
  return { ...edge, likely: updateIn(walk, edge) ?? instant(Math.round(expected)) }
}

/**
 * Nothing suspended it, so it went while it was awake, not before the last of its operations. The likeliest: with what it went with, else
 * when the delay after the last activity was over, else halfway, but no longer than a delay after it was last known to be there.
 */
function deletion(walk: Walk, { from, knownUntil }: AwakeInterval, mark: Sighting): Edge {
  const { answeredAt, delay, likelyAt = from.earliest } = mark
  const edge = polled(latest(knownUntil, earliest(walk.toldAt, answeredAt)), answeredAt)
  const reach = delay === undefined || delay === 'never' ? Number.POSITIVE_INFINITY : delay * 1000
  const silent = latest(from.likely, walk.activeAt ?? from.likely) + reach
  const halfway = (edge.earliest + Math.min(edge.latest, edge.earliest + reach)) / 2
  const likely = [likelyAt, silent].find((at) => at > edge.earliest && at < edge.latest)
  return { ...edge, likely: instant(Math.round(likely ?? halfway)) }
}

function start(walk: Walk, { edge, restart }: Boundary): void {
  const running = walk.open
  if (running)
    close(walk, {
      ...edge,
      earliest: earliest(running.knownUntil, edge.likely),
      source: 'assumed',
    })
  const from = notBefore(edge, walk.done.at(-1)?.interval.to)
  open(walk, from, from.likely)
  if (restart || running) walk.open = walk.open && { ...walk.open, restart: true }
}

function end(walk: Walk, { edge }: Boundary): void {
  if (!walk.open) {
    if (walk.asleepAt === undefined) {
      walk.asleepAt = edge.latest
      walk.points = [pointAt(edge.latest)]
      return
    }
    open(walk, untoldStart(walk, walk.asleepAt, edge), edge.earliest)
  }
  close(walk, edge)
  walk.asleepAt = edge.latest
}

/** A suspension shows that the compute was awake: what may have started it did, else nobody knows since when. */
function untoldStart({ hints }: Walk, asleepAt: Instant, suspension: Edge): Edge {
  const hint = hints.findLast((edge) => edge.latest > asleepAt && edge.earliest <= suspension.latest)
  if (!hint) return { ...polled(asleepAt, suspension.latest), source: 'assumed' }
  const begun = latest(hint.earliest, asleepAt)
  return {
    ...hint,
    earliest: begun,
    likely: latest(begun, earliest(hint.likely, suspension.likely)),
    latest: earliest(hint.latest, suspension.latest),
  }
}

function open(walk: Walk, from: Edge, knownUntil: Instant): void {
  if (walk.points.length > 0) walk.asleep.push([...walk.points, pointAt(from.earliest)])
  walk.points = [startPoint(from, from.source !== 'poll' || walk.asleepAt !== undefined)]
  walk.open = { from, to: undefined, knownUntil: latest(from.likely, knownUntil), restart: false }
}

function close(walk: Walk, edge: Edge): void {
  if (!walk.open) return
  const to = notBefore(edge, walk.open.from)
  walk.done.push({
    interval: { ...walk.open, to, knownUntil: to.likely },
    points: [...walk.points, { from: to.earliest, to: to.latest, holds: false }],
  })
  walk.points = [pointAt(to.latest)]
  walk.open = undefined
}

/** `edge` moved so that it does not lie before `limit`: two edges within one second share it in their order. */
function notBefore(edge: Edge, limit: Edge | undefined): Edge {
  if (!limit) return edge
  return {
    earliest: latest(edge.earliest, limit.earliest),
    likely: latest(edge.likely, limit.likely),
    latest: latest(edge.latest, limit.likely),
    source: edge.source,
  }
}

const polled = (from: Instant, to: Instant): Edge => ({
  earliest: earliest(from, to),
  likely: instant(Math.round((from + to) / 2)),
  latest: latest(from, to),
  source: 'poll',
})
