// What a sweep tells, by compute.
import { computeKey, type ComputeRef } from '../model/service/compute.ts'
import type { Ledger } from '../model/ledger/ledger.ts'
import type { Deletion, Look, ReadingAttempt, Sweep } from '../model/observation.ts'
import type { Operation } from '../model/service/operation.ts'
import { forEachYielding, type Cooperative } from '../std/cooperative.ts'
import type { Instant } from '../model/units.ts'
import { deletionsIn } from './evidence/deletions.ts'
import type { ComputeFacts } from './apply-facts.ts'

/** Known computes of one step. Doubled, the event loop is held up for a millisecond more. */
const COMPUTES = 2000

type Gathered = {
  readonly ref: ComputeRef
  readonly looks: Look[]
  readonly operations: Operation[]
  readonly operationsRead: boolean
  readonly operationsLost: boolean
  readonly readings: ReadingAttempt[]
  gone: Deletion | undefined
}

/** `computeKey` → what the sweep tells of it; those that time alone changes are there also when it tells nothing. */
export function* groupFactsByCompute(
  ledger: Ledger,
  sweep: Sweep,
  now: Instant,
): Cooperative<ReadonlyMap<string, ComputeFacts>> {
  const byKey = new Map<string, Gathered>()
  const about = gatherInto(byKey, sweep)
  addFacts(sweep, about)
  yield* addSilent(ledger, { sweep, now }, about)
  for (const [facts, gone] of deletionsIn(ledger, sweep, byKey)) facts.gone = gone
  return byKey
}

const ANYBODY = '*'

type About = (projectId: string, endpointId: string) => Gathered

function gatherInto(
  byKey: Map<string, Gathered>,
  { account, operationsReadOf, unreadableOperations }: Sweep,
): About {
  const read = new Set(operationsReadOf)
  const lost = new Set(
    unreadableOperations.map(({ projectId, endpointId = ANYBODY }) => `${projectId}/${endpointId}`),
  )
  return (projectId, endpointId) => {
    const ref = { account, projectId, endpointId }
    const key = computeKey(ref)
    const known = byKey.get(key)
    if (known) return known
    const operationsRead = read.has(projectId)
    const isLost = lost.has(`${projectId}/${endpointId}`) || lost.has(`${projectId}/${ANYBODY}`)
    const facts = {
      ref,
      looks: [],
      operations: [],
      operationsRead,
      operationsLost: isLost,
      readings: [],
      gone: undefined,
    }
    byKey.set(key, facts)
    return facts
  }
}

function addFacts({ looks, operations, readings }: Sweep, about: About): void {
  for (const look of looks) about(look.compute.projectId, look.compute.endpointId).looks.push(look)
  for (const operation of operations) {
    if (operation.endpointId !== undefined)
      about(operation.projectId, operation.endpointId).operations.push(operation)
  }
  for (const reading of readings) about(reading.ref.projectId, reading.ref.endpointId).readings.push(reading)
}

/** Those of which something is known because nothing was said: their operations or their list do not hold them, or it is time. */
function* addSilent(
  { computes }: Ledger,
  { sweep, now }: { readonly sweep: Sweep; readonly now: Instant },
  about: About,
): Cooperative<void> {
  const told = new Set([...sweep.operationsReadOf, ...sweep.listedComputes.map(({ projectId }) => projectId)])
  yield* forEachYielding(computes.values(), COMPUTES, ({ ref, deletedAt, settlesAt }) => {
    const isTold = deletedAt === undefined && told.has(ref.projectId)
    if (isTold || (settlesAt !== undefined && settlesAt <= now)) about(ref.projectId, ref.endpointId)
  })
}
