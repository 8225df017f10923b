// Awake intervals of one compute, derived from its evidence. Evidence is a set, so they are derived anew at every pass: late and
// repeated facts give the same result.
//
// 1. Boundaries (boundaries.ts): operations and records give starts and ends, with the bounds that observations leave them.
// 2. Walk, in order of time, with one piece of state: awake or asleep. A sighting that contradicts it dates a transition that no
//    boundary reports.
// 3. Certainty (certainty.ts): where the compute was certainly awake, and where an unseen wake is possible.
//
// The walk starts at the watermark, with the interval in progress there.
import type { AwakeInterval, Edge, Evidence } from '../../model/ledger/evidence.ts'
import type { PartlySettledInterval } from '../../model/ledger/ledger.ts'
import { delayMillis } from '../../model/service/compute.ts'
import { mayStartCompute } from '../../model/service/operation.ts'
import { union } from '../../model/time.ts'
import { earliest, instant, latest, SECOND, type Instant, type Interval } from '../../model/units.ts'
import { isAwakeState, operationEdge, findBoundaries, type Boundary, type Sighting } from './boundaries.ts'
import {
  certainlyAwake,
  deriveContinuity,
  possiblyAwake,
  type StateSample,
  type UndisturbedSpan,
} from './certainty.ts'

/** The instant behind which an entry is settled; the evidence starts there. */
export type Watermark = Readonly<{
  settledUntil: Instant
  /** The interval in progress at the watermark; undefined when asleep. */
  partlySettled: PartlySettledInterval | undefined
}>

export type Timeline = Readonly<{
  /** In order, never overlapping; only the last may be in progress. One in progress at the watermark comes first. */
  intervals: readonly AwakeInterval[]
  /** Inside intervals, ascending. */
  certainlyAwake: readonly Interval[]
  /** Outside intervals, where an unseen wake is possible, ascending. */
  possiblyAwake: readonly Interval[]
  /** Where only inactivity suspends. */
  undisturbed: readonly UndisturbedSpan[]
}>

type Walk = {
  readonly recordUpdates: readonly Instant[]
  /** Shortest observed autosuspend delay, ms. */
  readonly shortestDelay: number
  readonly lastOperationAt: Instant
  /** Ascending. */
  readonly possibleStarts: readonly Edge[]
  readonly ended: Readonly<{ interval: AwakeInterval; samples: readonly StateSample[] }>[]
  readonly asleep: (readonly StateSample[])[]
  open: AwakeInterval | undefined
  /** Samples of the current state, awake or asleep. */
  samples: StateSample[]
  /** Last instant known asleep; undefined before any fact. */
  asleepAt: Instant | undefined
  lastActiveAt: Instant | undefined
  isDeleted: boolean
}

/** Without an interval before the first evidence whose start nothing dates. `now` ends possible wakes of an existing compute. */
export function deriveTimeline(evidence: Evidence, watermark: Watermark, now: Instant | undefined): Timeline {
  const walk = walkBoundaries(evidence, watermark)
  const continuity = deriveContinuity(evidence)
  const awake = walk.open ? [...walk.ended, { interval: walk.open, samples: walk.samples }] : walk.ended
  const until = walk.isDeleted ? undefined : now
  const asleep = walk.asleep.flatMap((samples) => possiblyAwake(samples, continuity, undefined))
  const last = walk.open ? [] : possiblyAwake(walk.samples, continuity, until)
  return {
    intervals: awake.map(({ interval }) => interval),
    certainlyAwake: union(awake.flatMap((one) => certainlyAwake(one.interval, one.samples, continuity))),
    possiblyAwake: union([...asleep, ...last]),
    undisturbed: continuity.undisturbed,
  }
}

function walkBoundaries(evidence: Evidence, { settledUntil, partlySettled }: Watermark): Walk {
  const from = partlySettled?.interval.from
  const records = evidence.states.flatMap(({ record }) => record ?? [])
  const { boundaries, gaps } = findBoundaries(evidence, { settledUntil, awakeSince: from?.earliest })
  const walk: Walk = {
    recordUpdates: records.map(({ updatedAt }) => updatedAt),
    shortestDelay: Math.min(...records.map(({ holds }) => delayMillis(holds))),
    lastOperationAt: evidence.operations.at(-1)?.createdAt ?? instant(0),
    possibleStarts: evidence.operations.filter(mayStartCompute).map(operationEdge),
    ended: [],
    asleep: [],
    open: partlySettled?.interval,
    samples: settledUntil > 0 ? [pointAt(settledUntil)] : [],
    asleepAt: !partlySettled && settledUntil > 0 ? settledUntil : undefined,
    lastActiveAt: undefined,
    isDeleted: false,
  }
  // An observed start may be the first look, before which the compute was awake already.
  if (from) walk.samples.unshift(startPoint(from, from.source !== 'poll'))
  gaps.forEach((sightings, index) => {
    for (const sighting of sightings) addSighting(walk, sighting)
    const boundary = boundaries[index]
    if (boundary?.kind === 'start') addStart(walk, boundary)
    else if (boundary) addEnd(walk, boundary)
  })
  return walk
}

const pointAt = (at: Instant): StateSample => ({ from: at, to: at, holds: false })
const startPoint = (edge: Edge, holds: boolean): StateSample => ({
  from: edge.earliest,
  to: edge.latest,
  holds,
})

function addSighting(walk: Walk, sighting: Sighting): void {
  const sample: StateSample = {
    from: sighting.askedAt,
    to: sighting.answeredAt,
    holds: sighting.isActivity,
    unusedUntil: sighting.record?.unusedUntil,
  }
  if (sighting.isActivity) walk.lastActiveAt = sighting.askedAt
  if (isAwakeState(sighting)) {
    if (walk.open) walk.open = { ...walk.open, knownUntil: latest(walk.open.knownUntil, sighting.askedAt) }
    // Activity before the first observation belongs to no known interval.
    else if (sighting.isActivity && walk.asleepAt === undefined) return
    else open(walk, unseenStart(walk, sighting), sighting.askedAt)
    walk.samples.push(sample)
    return
  }
  walk.isDeleted = sighting.state === 'gone'
  if (walk.open) {
    const endOf = walk.isDeleted ? deletionEdge : unseenEnd
    close(walk, endOf(walk, walk.open, sighting))
  }
  walk.samples.push(sample)
  walk.asleepAt = sighting.askedAt
}

/** Likely at the record update, else with an operation that may have started it, else halfway, at most the shortest delay before an activity. */
function unseenStart(walk: Walk, { askedAt, answeredAt, isActivity }: Sighting): Edge {
  const edge = pollEdge(walk.asleepAt ?? askedAt, answeredAt)
  const near = isActivity ? latest(edge.likely, instant(answeredAt - walk.shortestDelay)) : edge.likely
  const byOperation = walk.possibleStarts.findLast(
    ({ likely }) => likely > edge.earliest && likely <= edge.latest,
  )
  return { ...edge, likely: updateIn(walk, edge) ?? byOperation?.likely ?? near }
}

/** The last record update within the bounds of an undated transition. */
function updateIn({ recordUpdates }: Walk, { earliest: from, latest: to }: Edge): Instant | undefined {
  const update = recordUpdates.findLast((at) => at + SECOND > from && at <= to)
  return update === undefined ? undefined : instant(Math.min(to, Math.max(from, update + SECOND / 2)))
}

/** Likely at the record update, else when the delay after the last activity was over. */
function unseenEnd(walk: Walk, { knownUntil }: AwakeInterval, { answeredAt, record }: Sighting): Edge {
  const edge = pollEdge(knownUntil, answeredAt)
  const delayOver =
    record?.lastActive === undefined ? Infinity : record.lastActive + SECOND / 2 + delayMillis(record.holds)
  const expected = delayOver > edge.earliest && delayOver < edge.latest ? delayOver : edge.likely
  return { ...edge, likely: updateIn(walk, edge) ?? instant(Math.round(expected)) }
}

/** With the removal of its branch, else when the delay was over, else halfway but at most one delay after it was known. */
function deletionEdge(walk: Walk, { from, knownUntil }: AwakeInterval, sighting: Sighting): Edge {
  const { answeredAt, delay = 'never', likelyAt = from.earliest } = sighting
  const edge = pollEdge(latest(knownUntil, earliest(walk.lastOperationAt, answeredAt)), answeredAt)
  const reach = delayMillis(delay)
  const delayOver = latest(from.likely, walk.lastActiveAt ?? from.likely) + reach
  const halfway = (edge.earliest + Math.min(edge.latest, edge.earliest + reach)) / 2
  const likely = [likelyAt, delayOver].find((at) => at > edge.earliest && at < edge.latest)
  return { ...edge, likely: instant(Math.round(likely ?? halfway)) }
}

function addStart(walk: Walk, { edge, restart }: Boundary): void {
  const current = walk.open
  if (current)
    close(walk, { ...edge, earliest: earliest(current.knownUntil, edge.likely), source: 'assumed' })
  const from = notBefore(edge, walk.ended.at(-1)?.interval.to)
  open(walk, from, from.likely)
  if (restart || current) walk.open = walk.open && { ...walk.open, restart: true }
}

function addEnd(walk: Walk, { edge }: Boundary): void {
  if (!walk.open) {
    if (walk.asleepAt === undefined) {
      walk.asleepAt = edge.latest
      walk.samples = [pointAt(edge.latest)]
      return
    }
    open(walk, assumedStart(walk, walk.asleepAt, edge), edge.earliest)
  }
  close(walk, edge)
  walk.asleepAt = edge.latest
}

/** Where only the suspension is known: an operation that may have started the compute, else unknown. */
function assumedStart({ possibleStarts }: Walk, asleepAt: Instant, end: Edge): Edge {
  const start = possibleStarts.findLast((edge) => edge.latest > asleepAt && edge.earliest <= end.latest)
  if (!start) return { ...pollEdge(asleepAt, end.latest), source: 'assumed' }
  const from = latest(start.earliest, asleepAt)
  return {
    ...start,
    earliest: from,
    likely: latest(from, earliest(start.likely, end.likely)),
    latest: earliest(start.latest, end.latest),
  }
}

function open(walk: Walk, from: Edge, knownUntil: Instant): void {
  if (walk.samples.length > 0) walk.asleep.push([...walk.samples, pointAt(from.earliest)])
  walk.samples = [startPoint(from, from.source !== 'poll' || walk.asleepAt !== undefined)]
  walk.open = { from, to: undefined, knownUntil: latest(from.likely, knownUntil), restart: false }
}

function close(walk: Walk, edge: Edge): void {
  if (!walk.open) return
  const to = notBefore(edge, walk.open.from)
  walk.ended.push({
    interval: { ...walk.open, to, knownUntil: to.likely },
    samples: [...walk.samples, { from: to.earliest, to: to.latest, holds: false }],
  })
  walk.samples = [pointAt(to.latest)]
  walk.open = undefined
}

/** Two edges within one second keep their order. */
const notBefore = (edge: Edge, limit = edge): Edge => ({
  earliest: latest(edge.earliest, limit.earliest),
  likely: latest(edge.likely, limit.likely),
  latest: latest(edge.latest, limit.likely),
  source: edge.source,
})

const pollEdge = (from: Instant, to: Instant): Edge => ({
  earliest: earliest(from, to),
  likely: instant(Math.round((from + to) / 2)),
  latest: latest(from, to),
  source: 'poll',
})
