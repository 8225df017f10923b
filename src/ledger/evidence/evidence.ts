// Adds what a sweep saw to the evidence of one compute. Operations, states and instants are sets: adding one twice, or in another order, makes no difference.
import { largestCu, smallestCu, type AutosuspendDelay } from '../../model/service/compute.ts'
import type {
  Evidence,
  ObservedRecord,
  StateObservation,
  SizeObservation,
} from '../../model/ledger/evidence.ts'
import type { Deletion, Look, ReadingAttempt } from '../../model/observation.ts'
import { awakeEffect, isOperationOpen, type Operation } from '../../model/service/operation.ts'
import { currentCu, type Preset } from '../../model/service/sizes.ts'
import type { Span } from '../../model/ledger/slice.ts'
import { ALLOWED_LATENESS } from '../../model/inference/transition.ts'
import { earliest, instant, latest, seconds, type Cu, type Instant } from '../../model/units.ts'
import { isSameRecord } from './continuity.ts'

export const EMPTY_EVIDENCE: Evidence = {
  operations: [],
  states: [],
  starts: [],
  ends: [],
  activities: [],
  sizes: [],
  measured: [],
  ownSessions: [],
  attributed: [],
  covered: undefined,
  updates: undefined,
}

export function addLook(evidence: Evidence, look: Look): Evidence {
  const { compute, askedAt, answeredAt } = look
  const sighting = { state: compute.state, askedAt, answeredAt, record: recordOf(look) }
  return {
    ...evidence,
    states: withSighting(evidence.states, sighting),
    starts: withInstant(evidence.starts, compute.startedAt),
    ends: withInstant(evidence.ends, compute.suspendedAt),
    activities: withInstant(evidence.activities, compute.lastActive),
    sizes: addSizeObservation(evidence.sizes, look),
  }
}

/** The least delay that the service lets anybody set: what is sure where the record tells none. Source: service-facts.md, "Compute record and requests". */
const LEAST_DELAY = seconds(60)

const recordOf = ({ compute, quietUntil }: Look): ObservedRecord => ({
  startedAt: compute.startedAt,
  suspendedAt: compute.suspendedAt,
  lastActive: compute.lastActive,
  updatedAt: compute.updatedAt,
  holds: compute.autosuspendDelay ?? LEAST_DELAY,
  unusedUntil: quietUntil,
})

export const addDeletion = (
  evidence: Evidence,
  { from: askedAt, observedAt: answeredAt, likelyAt }: Deletion,
  delay: AutosuspendDelay,
): Evidence => {
  const told = { state: 'gone', askedAt, answeredAt, record: undefined, delay } as const
  const sighting = likelyAt === undefined ? told : { ...told, likelyAt }
  return { ...evidence, states: withSighting(evidence.states, sighting) }
}

/** The compute was seen to be gone, unless something newer was seen of it. */
export const deletionIn = ({ states }: Pick<Evidence, 'states'>): StateObservation | undefined => {
  const last = states.at(-1)
  return last?.state === 'gone' ? last : undefined
}

export type OperationsRead = {
  readonly operations: readonly Operation[]
  /** Whether some did not fit that may be of this compute. */
  readonly operationsLost: boolean
}

/**
 * The list of operations was read at `now`, back to the reading before, and told of `operations`. A list without any operation of the compute may be
 * that of a service that has no such list, so it covers nothing. One that does not tell all covers nothing either, and what is covered
 * begins anew behind it.
 */
export function addOperationsRead(
  evidence: Evidence,
  { operations, operationsLost }: OperationsRead,
  now: Instant,
): Evidence {
  const { covered } = evidence
  if (operationsLost) return { ...evidence, readSince: now, covered: covered ?? NOWHERE }
  const known = instant(now - ALLOWED_LATENESS * 1000)
  const readSince = evidence.readSince ?? known
  if (!covered) {
    const first = firstOf([...evidence.operations, ...operations])
    const from = first && earliest(first, readSince)
    return from === undefined
      ? { ...evidence, readSince }
      : { ...evidence, readSince, covered: [from, latest(from, known)] }
  }
  const [from, to] = covered
  if (readSince <= to) return { ...evidence, readSince, covered: [from, latest(to, known)] }
  return known > readSince ? { ...evidence, covered: [readSince, known] } : evidence
}

/** What is known to be whole of a list that never was. */
const NOWHERE: Span = [instant(0), instant(0)]

const firstOf = (operations: readonly Operation[]): Instant | undefined =>
  operations.reduce<Instant | undefined>(
    (first, { createdAt }) => earliest(createdAt, first ?? createdAt),
    undefined,
  )

/** Keeps of each operation the version that says most: a finished one before an open one, then the latest. */
export function addOperations(evidence: Evidence, operations: readonly Operation[]): Evidence {
  if (operations.length === 0) return evidence
  const known = new Map(evidence.operations.map((one) => [one.operationId, one]))
  for (const operation of operations) {
    const before = known.get(operation.operationId)
    if (!before || saysMore(operation, before)) known.set(operation.operationId, operation)
  }
  return {
    ...evidence,
    operations: [...known.values()].toSorted(
      (a, b) => a.createdAt - b.createdAt || (a.operationId < b.operationId ? -1 : 1),
    ),
  }
}

const saysMore = (a: Operation, b: Operation): boolean =>
  isOperationOpen(a) === isOperationOpen(b) ? a.updatedAt > b.updatedAt : isOperationOpen(b)

/** What tells of the time until `at`, and what of later ones. What sizes there were helps both to be told from others. */
export function splitEvidence(evidence: Evidence, at: Instant): readonly [Evidence, Evidence] {
  const until = (time: Instant): boolean => time <= at
  const part = (has: (time: Instant) => boolean): Evidence => ({
    ...EMPTY_EVIDENCE,
    states: evidence.states.filter(({ answeredAt }) => has(answeredAt)),
    starts: evidence.starts.filter(has),
    ends: evidence.ends.filter(has),
    activities: evidence.activities.filter(has),
    ownSessions: evidence.ownSessions.filter(({ disconnectedAt }) => has(disconnectedAt)),
    attributed: evidence.attributed.filter(({ to }) => has(to)),
  })
  const isNow = (one: Operation): boolean => until(one.updatedAt) || awakeEffect(one) === undefined
  const { operations, sizes, measured, covered, readSince, updates } = evidence
  return [
    { ...part(until), operations: operations.filter(isNow), sizes, measured, covered, readSince, updates },
    { ...part((time) => !until(time)), operations: operations.filter((one) => !isNow(one)) },
  ]
}

/** `evidence` with what came `later`, no part of which is older. */
export const appendEvidence = (evidence: Evidence, later: Evidence): Evidence => ({
  ...addOperations(evidence, later.operations),
  states: [...evidence.states, ...later.states],
  starts: [...evidence.starts, ...later.starts],
  ends: [...evidence.ends, ...later.ends],
  activities: [...evidence.activities, ...later.activities],
  ownSessions: [...evidence.ownSessions, ...later.ownSessions],
  attributed: [...evidence.attributed, ...later.attributed],
})

/** The size that the file cache's limit gives, where the compute may have several; undefined where the limit was not read. */
export function measuredSizeOf({ look, result }: ReadingAttempt, preset: Preset): Cu | 'unknown' | undefined {
  const { sizing } = look.compute
  if (result.kind !== 'read' || smallestCu(sizing) === largestCu(sizing)) return undefined
  const { cacheLimit } = result.reading
  return cacheLimit === undefined ? undefined : (currentCu(cacheLimit, sizing, preset) ?? 'unknown')
}

export function addMeasuredSize(evidence: Evidence, attempt: ReadingAttempt, preset: Preset): Evidence {
  const size = measuredSizeOf(attempt, preset)
  if (attempt.result.kind !== 'read' || size === undefined || size === 'unknown') return evidence
  const { serverTime: at } = attempt.result.reading
  if (evidence.measured.some((one) => one.at === at)) return evidence
  const measured = [...evidence.measured, { at, cu: size }]
  return { ...evidence, measured: measured.toSorted((a, b) => a.at - b.at) }
}

function withSighting(
  sightings: readonly StateObservation[],
  sighting: StateObservation,
): readonly StateObservation[] {
  const same = (one: StateObservation): boolean =>
    one.askedAt === sighting.askedAt && one.answeredAt === sighting.answeredAt && one.state === sighting.state
  if (sightings.some(same)) return sightings
  const sorted = [...sightings, sighting].toSorted(
    (a, b) => a.askedAt - b.askedAt || a.answeredAt - b.answeredAt || (a.state < b.state ? -1 : 1),
  )
  return sorted.filter((one, index) => !isBetweenAlike(one, sorted[index - 1], sorted[index + 1]))
}

/** Where the records of two looks rule out that anything happened between them, a third between them says no more. */
function isBetweenAlike(
  { state, record }: StateObservation,
  before: StateObservation | undefined,
  later: StateObservation | undefined,
): boolean {
  if (before?.state !== state || later?.state !== state) return false
  if (!record?.startedAt || !before.record || !later.record) return false
  return isSameRecord(record, before.record) && isSameRecord(record, later.record)
}

function withInstant(known: readonly Instant[], at: Instant | undefined): readonly Instant[] {
  if (at === undefined || known.includes(at)) return known
  return [...known, at].toSorted((a, b) => a - b)
}

/** Runs of equal sizes; a run ends where another size was seen. */
export function addSizeObservation(
  sizes: readonly SizeObservation[],
  { compute, askedAt, answeredAt }: Pick<Look, 'compute' | 'askedAt' | 'answeredAt'>,
): readonly SizeObservation[] {
  const { sizing, pendingState } = compute
  const seen: SizeObservation = {
    min: smallestCu(sizing),
    max: largestCu(sizing),
    firstSeenAt: answeredAt,
    lastSeenAt: askedAt,
    isChanging: pendingState !== undefined,
  }
  const sorted = [...sizes, seen].toSorted((a, b) => a.firstSeenAt - b.firstSeenAt)
  const runs: SizeObservation[] = []
  for (const next of sorted) {
    const run = runs.at(-1)
    if (run && run.min === next.min && run.max === next.max && run.isChanging === next.isChanging) {
      runs[runs.length - 1] = {
        ...run,
        firstSeenAt: earliest(run.firstSeenAt, next.firstSeenAt),
        lastSeenAt: latest(run.lastSeenAt, next.lastSeenAt),
      }
    } else runs.push(next)
  }
  return runs
}
