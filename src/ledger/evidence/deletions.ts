// Deletions: computes missing from their project's list, and when they may have been deleted.
import type { ComputeRef } from '../../model/service/compute.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { ProjectListing } from '../../model/ledger/project-entry.ts'
import type { Deletion, Sweep } from '../../model/observation.ts'
import { deletesBranch, type Operation } from '../../model/service/operation.ts'
import { earliest, instant, SECOND, type Instant } from '../../model/units.ts'

type ComputeOperations = Readonly<{ ref: ComputeRef; operations: readonly Operation[] }>

/** Undefined where an unreadable record has no id: it may be of any compute. */
const listOf = (listing: Pick<ProjectListing, 'at' | 'askedAt' | 'endpointIds' | 'partial'> | undefined) =>
  !listing || listing.partial ? undefined : { ...listing, askedAt: listing.askedAt ?? listing.at }

/** By key. A compute without an entry counts as deleted only if the list was read after its last operation. */
export function deletionsIn(
  { computes, projects }: Ledger,
  { listedComputes, operations }: Sweep,
  factsByKey: ReadonlyMap<string, ComputeOperations>,
): ReadonlyMap<string, Deletion> {
  const lists = new Map(listedComputes.map((one) => [one.projectId, listOf({ ...one, at: one.answeredAt })]))
  const listBefore = (projectId: string) => listOf(projects.get(projectId)?.listed)
  const removals = new Map(operations.filter(deletesBranch).map((item) => [branchKey(item), item]))
  const deletions = new Map<string, Deletion>()
  for (const [key, facts] of factsByKey) {
    const { projectId, endpointId } = facts.ref
    const entry = computes.get(key)
    const list = entry || lists.has(projectId) ? lists.get(projectId) : listBefore(projectId)
    if (!list || list.endpointIds.includes(endpointId) || entry?.deletedAt !== undefined) continue
    if (!entry && !isBefore(facts, list.askedAt)) continue
    deletions.set(key, deletionOf(facts, { entry, removals, listedAt: list.at }))
  }
  return deletions
}

const isBefore = ({ operations }: ComputeOperations, at: Instant) =>
  operations.length > 0 && operations.every(({ updatedAt }) => secondAfter(updatedAt) <= at)

type DeletionContext = Readonly<{
  entry: ComputeEntry | undefined
  /** `branchKey` → the operation. */
  removals: ReadonlyMap<string, Operation>
  listedAt: Instant
}>

/** Before the list and the end of its branch's removal, most likely with that; without an entry, after the last operation. */
function deletionOf({ ref, operations }: ComputeOperations, { entry, removals, listedAt }: DeletionContext) {
  const last = operations.reduce<Operation | undefined>(newerOf, undefined)
  const deletedFrom = (seenAt: Instant) =>
    last && !entry ? earliest(seenAt, secondAfter(last.updatedAt)) : seenAt
  const branchId = last?.branchId ?? entry?.compute.branchId
  const removal = removals.get(branchKey({ projectId: ref.projectId, branchId }))
  if (!removal || (last && removal.updatedAt < last.createdAt))
    return { from: deletedFrom(listedAt), observedAt: listedAt }
  const seenAt = earliest(listedAt, secondAfter(removal.updatedAt))
  const likelyAt = instant(removal.createdAt + SECOND / 2)
  return { from: deletedFrom(seenAt), observedAt: seenAt, likelyAt }
}

const newerOf = (a: Operation | undefined, b: Operation) =>
  a === undefined || b.updatedAt > a.updatedAt ? b : a

const secondAfter = (at: Instant) => instant(at + SECOND)

const branchKey = ({ projectId, branchId }: Pick<Operation, 'projectId' | 'branchId'>) =>
  `${projectId} ${branchId}`
