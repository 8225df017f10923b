// Facts of a sweep, grouped by compute.
import { computeKey, type ComputeRef } from '../model/service/compute.ts'
import type { Ledger } from '../model/ledger/ledger.ts'
import type { Deletion, Look, ReadingAttempt, Sweep } from '../model/observation.ts'
import type { Operation } from '../model/service/operation.ts'
import type { Instant } from '../model/units.ts'
import { deletionsIn } from './evidence/deletions.ts'

/** Facts of one compute in one sweep; all empty when only its settlement is due. */
export type ComputeFacts = {
  readonly ref: ComputeRef
  readonly looks: readonly Look[]
  readonly operations: readonly Operation[]
  /** The operations of its project were read without a failure. */
  readonly operationsRead: boolean
  /** An operation record that does not fit may be of this compute. */
  readonly operationsLost: boolean
  readonly readings: readonly ReadingAttempt[]
  /** Undefined while the compute exists. */
  readonly deletion: Deletion | undefined
}

type FactsBuilder = Omit<ComputeFacts, 'looks' | 'operations' | 'readings' | 'deletion'> & {
  readonly looks: Look[]
  readonly operations: Operation[]
  readonly readings: ReadingAttempt[]
  deletion: Deletion | undefined
}

/** `computeKey` → facts, of every compute that the sweep observed or whose settlement is due. */
export function groupFactsByCompute(
  ledger: Ledger,
  sweep: Sweep,
  now: Instant,
): ReadonlyMap<string, ComputeFacts> {
  const byKey = new Map<string, FactsBuilder>()
  const factsOf = createFactsLookup(byKey, sweep)
  addObservations(sweep, factsOf)
  addUnobserved(ledger, { sweep, now }, factsOf)
  for (const [facts, deletion] of deletionsIn(ledger, sweep, byKey)) facts.deletion = deletion
  return byKey
}

/** Stands for every compute of a project. */
const ANY_COMPUTE = '*'

type FactsLookup = (projectId: string, endpointId: string) => FactsBuilder

function createFactsLookup(
  byKey: Map<string, FactsBuilder>,
  { account, operationsReadOf, unreadableOperations }: Sweep,
): FactsLookup {
  const read = new Set(operationsReadOf)
  const lost = new Set(
    unreadableOperations.map(({ projectId, endpointId = ANY_COMPUTE }) => `${projectId}/${endpointId}`),
  )
  return (projectId, endpointId) => {
    const ref = { account, projectId, endpointId }
    const key = computeKey(ref)
    const existing = byKey.get(key)
    if (existing) return existing
    const operationsRead = read.has(projectId)
    const isLost = lost.has(`${projectId}/${endpointId}`) || lost.has(`${projectId}/${ANY_COMPUTE}`)
    const facts = {
      ref,
      looks: [],
      operations: [],
      operationsRead,
      operationsLost: isLost,
      readings: [],
      deletion: undefined,
    }
    byKey.set(key, facts)
    return facts
  }
}

function addObservations({ looks, operations, readings }: Sweep, factsOf: FactsLookup): void {
  for (const look of looks) factsOf(look.compute.projectId, look.compute.endpointId).looks.push(look)
  for (const operation of operations) {
    if (operation.endpointId !== undefined)
      factsOf(operation.projectId, operation.endpointId).operations.push(operation)
  }
  for (const reading of readings)
    factsOf(reading.ref.projectId, reading.ref.endpointId).readings.push(reading)
}

/** Adds computes that the sweep does not observe: their project was listed or its operations read, or their settlement is due. */
function addUnobserved(
  { computes }: Ledger,
  { sweep, now }: { readonly sweep: Sweep; readonly now: Instant },
  factsOf: FactsLookup,
): void {
  const observed = new Set([
    ...sweep.operationsReadOf,
    ...sweep.listedComputes.map(({ projectId }) => projectId),
  ])
  for (const { ref, deletedAt, settlesAt } of computes.values()) {
    const isOfObservedProject = deletedAt === undefined && observed.has(ref.projectId)
    const isDue = settlesAt !== undefined && settlesAt <= now
    if (isOfObservedProject || isDue) factsOf(ref.projectId, ref.endpointId)
  }
}
