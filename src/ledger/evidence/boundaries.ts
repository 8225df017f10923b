// Starts and ends of awake intervals from operations and records, each narrowed by the observations around it.
import type { Edge, Evidence, StateObservation } from '../../model/ledger/evidence.ts'
import { awakeEffect, type Operation } from '../../model/service/operation.ts'
import { earliest, instant, latest, SECOND, type Instant } from '../../model/units.ts'
import { deletionIn } from './evidence.ts'

export type Boundary = Readonly<{
  kind: 'start' | 'end'
  edge: Edge
  /** Whether a start is part of a restart. */
  restart: boolean
}>

/** A state observation, or an activity, which proves the compute awake. */
export type Sighting = StateObservation & { readonly isActivity: boolean }

/** In order of time, with the sightings before, between and after: one list more than boundaries. */
type BoundarySequence = Readonly<{ boundaries: readonly Boundary[]; gaps: readonly (readonly Sighting[])[] }>

/** Largest distance of a record's time from its operation, 1 s: two clocks that round. Wider, edges could take each other's times. */
const ROUNDING = SECOND
/** Largest distance where no transition of the other kind lies between, 2 s: two clocks that differ. Facts closer to the watermark are settled with it. */
const CLOCK_DIFFERENCE = 2 * SECOND

/** @param awakeSince start of the interval in progress at `settledUntil`; undefined when asleep */
export function findBoundaries(
  evidence: Evidence,
  { settledUntil, awakeSince }: { settledUntil: Instant; awakeSince: Instant | undefined },
): BoundarySequence {
  const boundaries = [...boundariesOf(evidence, 'start'), ...boundariesOf(evidence, 'end')]
    .filter(({ edge }) => edge.likely > settledUntil)
    .toSorted((a, b) => a.edge.likely - b.edge.likely || a.edge.earliest - b.edge.earliest)
  const ordered = alternateKinds(boundaries, awakeSince === undefined ? undefined : 'start')
  const gaps: Sighting[][] = Array.from({ length: ordered.length + 1 }, () => [])
  for (const sighting of sightingsOf(evidence, { settledUntil, activeSince: awakeSince ?? settledUntil })) {
    gaps[ordered.findLastIndex((boundary) => isAfter(sighting, boundary)) + 1]?.push(sighting)
  }
  // Deletion is final: it follows every other fact, whatever the clocks show.
  const deletion = deletionIn(evidence)
  if (deletion) gaps.at(-1)?.push({ ...deletion, isActivity: false })
  const observations = gaps.map((sightings) => sightings.filter(({ isActivity }) => !isActivity))
  return {
    boundaries: ordered.map((boundary, index) =>
      narrowEdge(boundary, observations[index], observations[index + 1]),
    ),
    gaps,
  }
}

/**
 * In order of the earliest instant that each may be of. Where an activity and a look that shows it asleep may be in either order, within a
 * second, the look comes first: after activity a compute stays awake for its delay.
 */
function sightingsOf(
  evidence: Evidence,
  { settledUntil, activeSince }: { settledUntil: Instant; activeSince: Instant },
): readonly Sighting[] {
  const { states, activities } = evidence
  const deletion = deletionIn(evidence)
  const observations = states
    .filter((one) => one !== deletion && one.answeredAt >= settledUntil)
    .map((sighting) => ({ ...sighting, isActivity: false }))
  const active = activities
    .filter((at) => at >= activeSince)
    .map((at): Sighting => ({
      state: 'active',
      askedAt: at,
      answeredAt: instant(at + SECOND),
      record: undefined,
      isActivity: true,
    }))
  const orderOf = (sighting: Sighting): Instant => {
    const { askedAt } = sighting
    const overlaps = (at: Instant) => at <= askedAt && askedAt < at + SECOND
    return isAwakeState(sighting) ? askedAt : (activities.find(overlaps) ?? askedAt)
  }
  return [...observations, ...active]
    .map((sighting) => ({ sighting, at: orderOf(sighting) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ sighting }) => sighting)
}

export const isAwakeState = ({ state }: Pick<StateObservation, 'state'>): boolean => state === 'active'

/** Times within one second do not give their order, so starts and ends alternate. */
function alternateKinds(boundaries: readonly Boundary[], before: Boundary['kind'] | undefined) {
  const remaining = [...boundaries]
  const ordered: Boundary[] = []
  for (let first = remaining[0]; first; first = remaining[0]) {
    const isRepeated = (ordered.at(-1)?.kind ?? before) === first.kind
    const swap = isRepeated
      ? remaining.findIndex((other) => other.kind !== first.kind && other.edge.earliest < first.edge.latest)
      : 0
    ordered.push(...remaining.splice(Math.max(0, swap), 1))
  }
  return ordered
}

function boundariesOf(evidence: Evidence, kind: Boundary['kind']): Boundary[] {
  const { operations, records } = factsOf(evidence, kind)
  const others = factsOf(evidence, kind === 'start' ? 'end' : 'start')
  const recordedAt = matchRecords({ operations, records }, [
    ...others.records,
    ...others.operations.map(({ updatedAt }) => updatedAt),
  ])
  const used = new Set(recordedAt.values())
  const ofOperations = operations.map((operation): Boundary => {
    const at = recordedAt.get(operation)
    const restart = kind === 'start' && isRestart(operation, evidence.operations)
    return { kind, edge: at === undefined ? operationEdge(operation) : recordEdge(at), restart }
  })
  const unmatched = records.filter((at) => !used.has(at))
  return [...ofOperations, ...unmatched.map((at) => ({ kind, edge: recordEdge(at), restart: false }))]
}

type KindFacts = Readonly<{ operations: readonly Operation[]; records: readonly Instant[] }>

function factsOf({ operations, starts, ends }: Evidence, kind: Boundary['kind']): KindFacts {
  const effect = kind === 'start' ? 'starts' : 'suspends'
  return {
    operations: operations.filter((operation) => awakeEffect(operation) === effect),
    records: kind === 'start' ? starts : ends,
  }
}

/** Matches operations and records of the same edge, the closest pairs first. @param others transitions of the other kind */
function matchRecords({ operations, records }: KindFacts, others: readonly Instant[]) {
  const pairs = operations.flatMap((operation) =>
    records.flatMap((at) => {
      const isNear = isWithin(operation, at, ROUNDING)
      const isMatch =
        isNear || (isWithin(operation, at, CLOCK_DIFFERENCE) && !isDivided(operation, at, others))
      return isMatch ? [{ operation, at, isNear, distance: Math.abs(at - operation.updatedAt) }] : []
    }),
  )
  const matches = new Map<Operation, Instant>()
  const used = new Set<Instant>()
  const closestFirst = pairs.toSorted(
    (a, b) => Number(b.isNear) - Number(a.isNear) || a.distance - b.distance,
  )
  for (const { operation, at } of closestFirst) {
    if (matches.has(operation) || used.has(at)) continue
    matches.set(operation, at)
    used.add(at)
  }
  return matches
}

const isWithin = ({ createdAt, updatedAt }: Operation, at: Instant, distance: number) =>
  at >= createdAt - distance && at <= updatedAt + distance

const isDivided = ({ createdAt, updatedAt }: Operation, at: Instant, others: readonly Instant[]) =>
  others.some((other) => other > Math.min(at, createdAt) && other < Math.max(at, updatedAt))

const recordEdge = (at: Instant): Edge => ({
  earliest: at,
  likely: instant(at + SECOND / 2),
  latest: instant(at + SECOND),
  source: 'record',
})

export const operationEdge = ({ createdAt, updatedAt }: Operation): Edge => ({
  earliest: createdAt,
  likely: instant(updatedAt + SECOND / 2),
  latest: instant(updatedAt + SECOND),
  source: 'operation',
})

/** A restart's start is queued before the suspension was done, or follows a suspension that applied a configuration. */
export function isRestart(start: Operation, operations: readonly Operation[]): boolean {
  const suspension = operations.findLast(
    (one) =>
      awakeEffect(one) === 'suspends' && one.updatedAt <= start.updatedAt && one.createdAt <= start.createdAt,
  )
  if (!suspension) return false
  if (start.createdAt < suspension.updatedAt) return true
  const applied = operations.some(
    ({ action, createdAt }) =>
      action === 'apply_config' && Math.abs(createdAt - suspension.createdAt) <= SECOND,
  )
  return applied && start.createdAt - suspension.updatedAt <= SECOND
}

/** Decided by the sighting's record, else by the bounds of both, else by its state. */
function isAfter(sighting: StateObservation, boundary: Boundary): boolean {
  const fromRecord = orderByRecord(sighting, boundary)
  if (fromRecord !== undefined) return fromRecord
  const { kind, edge } = boundary
  if (sighting.answeredAt < edge.earliest) return false
  if (sighting.askedAt >= edge.latest) return true
  return isAwakeState(sighting) === (kind === 'start')
}

/** A record names its last start and suspension: one that does not name this boundary is older. */
function orderByRecord({ record, state }: StateObservation, { kind, edge }: Boundary): boolean | undefined {
  const last = kind === 'start' ? record?.startedAt : record?.suspendedAt
  if (!record || edge.source !== 'record') return undefined
  if (last !== undefined) return last >= edge.earliest
  return state === (kind === 'start' ? 'idle' : 'active') ? false : undefined
}

function narrowEdge(
  boundary: Boundary,
  before: readonly StateObservation[] = [],
  after: readonly StateObservation[] = [],
) {
  const { kind, edge } = boundary
  const last = before.at(-1)
  const first = after[0]
  const from = hasState(last, kind === 'end') ? latest(edge.earliest, last.askedAt) : edge.earliest
  const to = hasState(first, kind === 'start') ? earliest(edge.latest, first.answeredAt) : edge.latest
  if (from > to) return boundary
  const likely = edge.source === 'record' ? (from + to) / 2 : Math.min(to, Math.max(from, edge.likely))
  const whole = instant(Math.round(likely))
  return { ...boundary, edge: { earliest: from, likely: whole, latest: to, source: edge.source } }
}

const hasState = (sighting: StateObservation | undefined, awake: boolean): sighting is StateObservation =>
  sighting !== undefined && isAwakeState(sighting) === awake
