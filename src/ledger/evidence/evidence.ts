// Facts of a sweep become evidence of one compute. Operations, states and instants are sets: repetition and order make no difference.
import {
  isFixed,
  largestCu,
  MIN_AUTOSUSPEND_DELAY,
  smallestCu,
  type AutosuspendDelay,
} from '../../model/service/compute.ts'
import type {
  Evidence,
  ObservedRecord,
  StateObservation,
  SizeObservation,
} from '../../model/ledger/evidence.ts'
import type { Deletion, Look, ReadingAttempt } from '../../model/observation.ts'
import { awakeEffect, isOperationOpen, type Operation } from '../../model/service/operation.ts'
import { currentCu, type Preset } from '../../model/service/sizes.ts'
import { ALLOWED_LATENESS } from '../../model/inference/transition.ts'
import { earliest, instant, latest, type Cu, type Instant, type Interval } from '../../model/units.ts'
import { emptyAt } from '../interval-math.ts'
import { isSameRecord } from './certainty.ts'

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
  const state = { state: compute.state, askedAt, answeredAt, record: recordOf(look) }
  // A compute that is observed again was never deleted.
  const existing = evidence.states.filter((one) => one.state !== 'gone')
  return {
    ...evidence,
    states: addState(existing, state),
    starts: addInstant(evidence.starts, compute.startedAt),
    ends: addInstant(evidence.ends, compute.suspendedAt),
    activities: addInstant(evidence.activities, compute.lastActive),
    sizes: addSizeObservation(evidence.sizes, look),
  }
}

const recordOf = ({ compute, quietUntil: unusedUntil }: Look): ObservedRecord => {
  const { startedAt, suspendedAt, lastActive, updatedAt, autosuspendDelay } = compute
  const holds = autosuspendDelay ?? MIN_AUTOSUSPEND_DELAY
  return { startedAt, suspendedAt, lastActive, updatedAt, holds, unusedUntil }
}

export const addDeletion = (
  evidence: Evidence,
  { from: askedAt, observedAt: answeredAt, likelyAt }: Deletion,
  delay: AutosuspendDelay,
): Evidence => {
  const observation = { state: 'gone', askedAt, answeredAt, record: undefined, delay } as const
  const state = likelyAt === undefined ? observation : { ...observation, likelyAt }
  return { ...evidence, states: addState(evidence.states, state) }
}

/** When changes and warm-ups of a compute were under way, in order, of the last hour at least; undefined where there were none. */
export type OwnActions = Readonly<{
  changes: readonly Interval[] | undefined
  warmUps: readonly Interval[] | undefined
}>

/** An action that has ended since replaces itself as it was under way. */
export const addOwnActions = (evidence: Evidence, { changes, warmUps }: OwnActions): Evidence => ({
  ...evidence,
  ...(changes && { changes: byStart(evidence.changes, changes) }),
  ...(warmUps && { warmUps: byStart(evidence.warmUps, warmUps) }),
})

const byStart = (before: readonly Interval[] = [], added: readonly Interval[]): readonly Interval[] =>
  [...new Map([...before, ...added].map((one) => [one.from, one])).values()].toSorted(
    (a, b) => a.from - b.from,
  )

export const deletionIn = ({ states }: Pick<Evidence, 'states'>): StateObservation | undefined => {
  const last = states.at(-1)
  return last?.state === 'gone' ? last : undefined
}

type OperationsRead = Readonly<{
  operations: readonly Operation[]
  /** Whether an unreadable operation may be of this compute. */
  operationsLost: boolean
}>

/** Extends the time of complete operations: not by an empty list, which the service may not have; anew after a loss. */
export function addOperationsRead(
  evidence: Evidence,
  { operations, operationsLost }: OperationsRead,
  now: Instant,
): Evidence {
  const { covered } = evidence
  if (operationsLost) return { ...evidence, readSince: now, covered: covered ?? NOTHING_COVERED }
  const completeUntil = instant(now - ALLOWED_LATENESS * 1000)
  const readSince = evidence.readSince ?? completeUntil
  if (!covered) {
    const created = [...evidence.operations, ...operations].map((one) => one.createdAt)
    if (created.length === 0) return { ...evidence, readSince }
    const from = earliest(readSince, ...created)
    return { ...evidence, readSince, covered: { from, to: latest(from, completeUntil) } }
  }
  const { from, to } = covered
  if (readSince <= to) return { ...evidence, readSince, covered: { from, to: latest(to, completeUntil) } }
  return completeUntil > readSince
    ? { ...evidence, covered: { from: readSince, to: completeUntil } }
    : evidence
}

/** Coverage of a list that was never complete. */
const NOTHING_COVERED = emptyAt(instant(0))

/** The most complete version of each stays: finished before open, then the latest. */
export function addOperations(evidence: Evidence, operations: readonly Operation[]): Evidence {
  if (operations.length === 0) return evidence
  const stored = new Map(evidence.operations.map((one) => [one.operationId, one]))
  for (const operation of operations) {
    const before = stored.get(operation.operationId)
    if (!before || isMoreComplete(operation, before)) stored.set(operation.operationId, operation)
  }
  return {
    ...evidence,
    operations: [...stored.values()].toSorted(
      (a, b) => a.createdAt - b.createdAt || (a.operationId < b.operationId ? -1 : 1),
    ),
  }
}

const isMoreComplete = (a: Operation, b: Operation) =>
  isOperationOpen(a) === isOperationOpen(b) ? a.updatedAt > b.updatedAt : isOperationOpen(b)

/** Evidence until `at`, and evidence after it. Sizes stay in the first part, because both need them. */
export function splitEvidence(evidence: Evidence, at: Instant): readonly [Evidence, Evidence] {
  const until = (time: Instant) => time <= at
  const part = (has: (time: Instant) => boolean) => ({
    states: evidence.states.filter(({ answeredAt }) => has(answeredAt)),
    starts: evidence.starts.filter(has),
    ends: evidence.ends.filter(has),
    activities: evidence.activities.filter(has),
    ownSessions: evidence.ownSessions.filter(({ disconnectedAt }) => has(disconnectedAt)),
    attributed: evidence.attributed.filter(({ to }) => has(to)),
  })
  const isDue = (one: Operation) => until(one.updatedAt) || awakeEffect(one) === undefined
  const { operations } = evidence
  return [
    { ...evidence, ...part(until), operations: operations.filter(isDue) },
    {
      ...EMPTY_EVIDENCE,
      ...part((time) => !until(time)),
      operations: operations.filter((one) => !isDue(one)),
    },
  ]
}

/** All of `later` is later. */
export const appendEvidence = (evidence: Evidence, later: Evidence): Evidence => ({
  ...addOperations(evidence, later.operations),
  states: [...evidence.states, ...later.states],
  starts: [...evidence.starts, ...later.starts],
  ends: [...evidence.ends, ...later.ends],
  activities: [...evidence.activities, ...later.activities],
  ownSessions: [...evidence.ownSessions, ...later.ownSessions],
  attributed: [...evidence.attributed, ...later.attributed],
})

/** Size of a compute in a range by its file cache limit; undefined where the limit was not read. */
export function measuredSizeOf({ look, result }: ReadingAttempt, preset: Preset): Cu | 'unknown' | undefined {
  const { sizing } = look.compute
  if (result.kind !== 'read' || isFixed(sizing)) return undefined
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

function addState(states: readonly StateObservation[], state: StateObservation): readonly StateObservation[] {
  const same = (one: StateObservation) =>
    one.askedAt === state.askedAt && one.answeredAt === state.answeredAt && one.state === state.state
  if (states.some(same)) return states
  const sorted = [...states, state].toSorted(
    (a, b) => a.askedAt - b.askedAt || a.answeredAt - b.answeredAt || (a.state < b.state ? -1 : 1),
  )
  return sorted.filter((one, index) => !isRedundant(one, sorted[index - 1], sorted[index + 1]))
}

/** The records of both neighbours exclude a transition between them: this observation adds nothing. */
function isRedundant(
  { state, record }: StateObservation,
  before: StateObservation | undefined,
  later: StateObservation | undefined,
) {
  if (before?.state !== state || later?.state !== state) return false
  if (!record?.startedAt || !before.record || !later.record) return false
  return isSameRecord(record, before.record) && isSameRecord(record, later.record)
}

function addInstant(stored: readonly Instant[], at: Instant | undefined): readonly Instant[] {
  if (at === undefined || stored.includes(at)) return stored
  return [...stored, at].toSorted((a, b) => a - b)
}

/** Merges equal sizes into runs; a different size ends a run. */
export function addSizeObservation(
  sizes: readonly SizeObservation[],
  { compute, askedAt, answeredAt }: Pick<Look, 'compute' | 'askedAt' | 'answeredAt'>,
): readonly SizeObservation[] {
  const { sizing, pendingState } = compute
  const observed: SizeObservation = {
    min: smallestCu(sizing),
    max: largestCu(sizing),
    firstSeenAt: answeredAt,
    lastSeenAt: askedAt,
    isChanging: pendingState !== undefined,
  }
  const sorted = [...sizes, observed].toSorted((a, b) => a.firstSeenAt - b.firstSeenAt)
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
