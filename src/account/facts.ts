// What a sweep tells, by compute.
import { computeKey, type ComputeRef } from '../model/compute.ts'
import type { ComputeAccount, Ledger } from '../model/ledger.ts'
import type { ListedComputes, Look, ReadingAttempt, Sweep } from '../model/observation.ts'
import type { Operation } from '../model/operation.ts'
import type { Instant } from '../model/units.ts'
import type { Facts } from './fold.ts'

type Gathered = {
  readonly ref: ComputeRef
  readonly looks: Look[]
  readonly operations: Operation[]
  readonly operationsRead: boolean
  readonly readings: ReadingAttempt[]
  goneAt: Instant | undefined
}

/** `computeKey` → what the sweep tells of it; those that time alone changes are there also when it tells nothing. */
export function factsByCompute(ledger: Ledger, sweep: Sweep, now: Instant): ReadonlyMap<string, Facts> {
  const byKey = new Map<string, Gathered>()
  const about = gatherInto(byKey, sweep)
  addFacts(sweep, about)
  addSilent(ledger, { sweep, now }, about)
  return byKey
}

type About = (projectId: string, endpointId: string) => Gathered

function gatherInto(byKey: Map<string, Gathered>, { account, operationsOf }: Sweep): About {
  const read = new Set(operationsOf)
  return (projectId, endpointId) => {
    const ref = { account, projectId, endpointId }
    const key = computeKey(ref)
    const known = byKey.get(key)
    if (known) return known
    const operationsRead = read.has(projectId)
    const facts = { ref, looks: [], operations: [], operationsRead, readings: [], goneAt: undefined }
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

/** Those of which something is known because nothing was said: they are not in their list, their operations hold nothing, or it is time. */
function addSilent(
  ledger: Ledger,
  { sweep, now }: { readonly sweep: Sweep; readonly now: Instant },
  about: About,
): void {
  for (const listed of sweep.listed) {
    for (const { ref } of goneFrom(ledger, listed))
      about(ref.projectId, ref.endpointId).goneAt = listed.answeredAt
  }
  for (const projectId of sweep.operationsOf) {
    for (const endpointId of endpointsOf(ledger, projectId)) about(projectId, endpointId)
  }
  for (const { ref, settlesAt } of ledger.computes.values()) {
    if (settlesAt !== undefined && settlesAt <= now) about(ref.projectId, ref.endpointId)
  }
}

const endpointsOf = ({ projects }: Ledger, projectId: string): readonly string[] =>
  projects.get(projectId)?.listed?.endpointIds ?? []

/** Computes that were in the list of their project and no longer are. */
function goneFrom(ledger: Ledger, { projectId, endpointIds }: ListedComputes): ComputeAccount[] {
  return endpointsOf(ledger, projectId).flatMap((endpointId) => {
    if (endpointIds.includes(endpointId)) return []
    const known = ledger.computes.get(computeKey({ account: ledger.account, projectId, endpointId }))
    return known && known.goneAt === undefined ? [known] : []
  })
}
