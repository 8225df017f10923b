// Starts and ends of awake intervals, from operations and records, each in the window that the sightings leave it.
import type { Edge, Evidence, StateObservation } from '../../model/ledger/evidence.ts'
import { awakeEffect, type Operation } from '../../model/service/operation.ts'
import { earliest, instant, latest, type Instant } from '../../model/units.ts'
import { deletionIn } from './evidence.ts'

export type Boundary = {
  readonly kind: 'start' | 'end'
  readonly edge: Edge
  /** Of a start: the service brought the compute back itself after stopping it. */
  readonly restart: boolean
}

/** The compute was seen, or was active, which shows that it was awake. */
export type Sighting = StateObservation & { readonly isActivity: boolean }

/** Boundaries in order of time, and for each gap between them (one more) the marks that fall into it. */
export type BoundarySequence = {
  readonly boundaries: readonly Boundary[]
  readonly gaps: readonly (readonly Sighting[])[]
}

/** The interface writes instants in whole seconds: the true one lies less than this after. */
const SECOND = 1000
/** How far a record's time may lie outside its operation's: two clocks that round. Doubled, an edge two seconds from another could borrow its time. */
const ROUNDING = SECOND

/** @param awakeSince where the interval began that goes on at `settledUntil`; undefined when none does */
export function findBoundaries(
  evidence: Evidence,
  { settledUntil, awakeSince }: { readonly settledUntil: Instant; readonly awakeSince: Instant | undefined },
): BoundarySequence {
  const boundaries = [...boundariesOf(evidence, 'start'), ...boundariesOf(evidence, 'end')]
    .filter(({ edge }) => edge.likely > settledUntil)
    .toSorted((a, b) => a.edge.likely - b.edge.likely || a.edge.earliest - b.edge.earliest)
  const ordered = alternated(boundaries, awakeSince === undefined ? undefined : 'start')
  const gaps: Sighting[][] = Array.from({ length: ordered.length + 1 }, () => [])
  for (const mark of marksOf(evidence, { settledUntil, activeSince: awakeSince ?? settledUntil })) {
    gaps[ordered.findLastIndex((boundary) => isAfter(mark, boundary)) + 1]?.push(mark)
  }
  // Deleting is for good: whatever the clocks show, everything known of the compute was before.
  const departure = deletionIn(evidence)
  if (departure) gaps.at(-1)?.push({ ...departure, isActivity: false })
  const looks = gaps.map((marks) => marks.filter(({ isActivity }) => !isActivity))
  return {
    boundaries: ordered.map((boundary, index) => narrowed(boundary, looks[index], looks[index + 1])),
    gaps,
  }
}

/** In order of time; a look was made at its beginning at the earliest. */
function marksOf(
  evidence: Evidence,
  { settledUntil, activeSince }: { readonly settledUntil: Instant; readonly activeSince: Instant },
): readonly Sighting[] {
  const { states, activities } = evidence
  const departure = deletionIn(evidence)
  const looks = states
    .filter((one) => one !== departure && one.answeredAt >= settledUntil)
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
  return [...looks, ...active].toSorted((a, b) => a.askedAt - b.askedAt)
}

export const isAwakeState = ({ state }: Pick<StateObservation, 'state'>): boolean => state === 'active'

/** Within one second the order of a start and an end is not known by their times: they take turns. */
function alternated(
  boundaries: readonly Boundary[],
  before: Boundary['kind'] | undefined,
): readonly Boundary[] {
  const left = [...boundaries]
  const ordered: Boundary[] = []
  while (left.length > 0) {
    const first = left[0]
    if (!first) break
    const wanted = (ordered.at(-1)?.kind ?? before) === first.kind
    const swap = wanted
      ? left.findIndex((other) => other.kind !== first.kind && other.edge.earliest < first.edge.latest)
      : 0
    ordered.push(...left.splice(Math.max(0, swap), 1))
  }
  return ordered
}

function boundariesOf(evidence: Evidence, kind: Boundary['kind']): Boundary[] {
  const effect = kind === 'start' ? 'starts' : 'suspends'
  const operations = evidence.operations.filter((operation) => awakeEffect(operation) === effect)
  const records = kind === 'start' ? evidence.starts : evidence.ends
  const recordedAt = matched(operations, records)
  const taken = new Set(recordedAt.values())
  const dated = operations.map((operation): Boundary => {
    const at = recordedAt.get(operation)
    const restart = kind === 'start' && isRestart(operation, evidence.operations)
    return { kind, edge: at === undefined ? operationEdge(operation) : recordEdge(at), restart }
  })
  const alone = records.filter((at) => !taken.has(at))
  return [...dated, ...alone.map((at) => ({ kind, edge: recordEdge(at), restart: false }))]
}

/** Operations and the instants of records that tell of the same edge, the closest pairs first. */
function matched(
  operations: readonly Operation[],
  records: readonly Instant[],
): ReadonlyMap<Operation, Instant> {
  const pairs = operations.flatMap((operation) =>
    records
      .filter((at) => at >= operation.createdAt - ROUNDING && at <= operation.updatedAt + ROUNDING)
      .map((at) => ({ operation, at, distance: Math.abs(at - operation.updatedAt) })),
  )
  const found = new Map<Operation, Instant>()
  const taken = new Set<Instant>()
  for (const { operation, at } of pairs.toSorted((a, b) => a.distance - b.distance)) {
    if (found.has(operation) || taken.has(at)) continue
    found.set(operation, at)
    taken.add(at)
  }
  return found
}

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

/** The service had the start in its queue before the suspension was done, or suspended in order to apply a configuration. */
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

/** Whether `sighting` was made after `boundary`, as its record says; else as their windows say, and where they leave that open, its state. */
function isAfter(sighting: StateObservation, boundary: Boundary): boolean {
  const told = toldBy(sighting, boundary)
  if (told !== undefined) return told
  const { kind, edge } = boundary
  if (sighting.answeredAt < edge.earliest) return false
  if (sighting.askedAt >= edge.latest) return true
  return isAwakeState(sighting) === (kind === 'start')
}

/**
 * A record names the last start and the last suspension before it, by the clock that dated the boundary: whatever ours shows, a look
 * whose record does not name the start that another record told of was made before it.
 */
function toldBy({ record, state }: StateObservation, { kind, edge }: Boundary): boolean | undefined {
  const last = kind === 'start' ? record?.startedAt : record?.suspendedAt
  if (!record || edge.source !== 'record') return undefined
  if (last !== undefined) return last >= edge.earliest
  return state === (kind === 'start' ? 'idle' : 'active') ? false : undefined
}

function narrowed(
  boundary: Boundary,
  before: readonly StateObservation[] = [],
  behind: readonly StateObservation[] = [],
): Boundary {
  const { kind, edge } = boundary
  const last = before.at(-1)
  const first = behind[0]
  const from = fits(last, kind === 'end') ? latest(edge.earliest, last.askedAt) : edge.earliest
  const to = fits(first, kind === 'start') ? earliest(edge.latest, first.answeredAt) : edge.latest
  if (from > to) return boundary
  const likely = edge.source === 'record' ? (from + to) / 2 : Math.min(to, Math.max(from, edge.likely))
  const whole = instant(Math.round(likely))
  return { ...boundary, edge: { earliest: from, likely: whole, latest: to, source: edge.source } }
}

const fits = (sighting: StateObservation | undefined, awake: boolean): sighting is StateObservation =>
  sighting !== undefined && isAwakeState(sighting) === awake
