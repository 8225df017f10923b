// Who is not in the list of the project is gone, and when it may have gone.
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { ProjectListing } from '../../model/ledger/project-entry.ts'
import type { Deletion, Sweep } from '../../model/observation.ts'
import { deletesBranch, type Operation } from '../../model/service/operation.ts'
import { earliest, instant, type Instant } from '../../model/units.ts'

type Told = { readonly ref: ComputeRef; readonly operations: readonly Operation[] }

type List = { readonly askedAt: Instant; readonly at: Instant; readonly endpointIds: ReadonlySet<string> }

/** Undefined where a record does not even tell its id: it may be anybody's. */
const listOf = (
  listing: Pick<ProjectListing, 'at' | 'askedAt' | 'endpointIds' | 'partial'> | undefined,
): List | undefined =>
  !listing || listing.partial
    ? undefined
    : { askedAt: listing.askedAt ?? listing.at, at: listing.at, endpointIds: new Set(listing.endpointIds) }

/**
 * Of those that `told` holds and that nobody knows to be gone. Who was never looked at is only gone when the list was read after
 * the last that was heard of it: what was created since is in the next one.
 */
export function deletionsIn<Facts extends Told>(
  { computes, projects }: Ledger,
  { listedComputes, operations }: Sweep,
  told: ReadonlyMap<string, Facts>,
): readonly (readonly [facts: Facts, absence: Deletion])[] {
  const lists = new Map(listedComputes.map((one) => [one.projectId, listOf({ ...one, at: one.answeredAt })]))
  const before = new Map<string, List | undefined>()
  const listBefore = (projectId: string): List | undefined => {
    if (!before.has(projectId)) before.set(projectId, listOf(projects.get(projectId)?.listed))
    return before.get(projectId)
  }
  const removals = new Map(operations.filter(deletesBranch).map((one) => [branchKey(one), one]))
  return [...told.values()].flatMap((facts): (readonly [Facts, Deletion])[] => {
    const { projectId, endpointId } = facts.ref
    const known = computes.get(computeKey(facts.ref))
    const list = known || lists.has(projectId) ? lists.get(projectId) : listBefore(projectId)
    if (!list || list.endpointIds.has(endpointId) || known?.deletedAt !== undefined) return []
    if (!known && !isOver(facts, list.askedAt)) return []
    return [[facts, absenceOf(facts, { known, removals, seenAt: list.at })]]
  })
}

const isOver = ({ operations }: Told, at: Instant): boolean =>
  operations.length > 0 && operations.every(({ updatedAt }) => secondAfter(updatedAt) <= at)

type Context = {
  readonly known: ComputeEntry | undefined
  /** `branchKey` → the operation. */
  readonly removals: ReadonlyMap<string, Operation>
  readonly seenAt: Instant
}

/** It went before the list, and before its branch was removed; most likely with it. Where nobody looked at it, since it was last heard of. */
function absenceOf({ ref, operations }: Told, { known, removals, seenAt: listedAt }: Context): Deletion {
  const last = operations.reduce<Operation | undefined>(newer, undefined)
  const branchId = last?.branchId ?? known?.compute.branchId
  const removal = removals.get(branchKey({ projectId: ref.projectId, branchId }))
  if (!removal || (last && removal.updatedAt < last.createdAt))
    return { from: since(last, known, listedAt), observedAt: listedAt }
  const seenAt = earliest(listedAt, secondAfter(removal.updatedAt))
  return {
    from: since(last, known, seenAt),
    observedAt: seenAt,
    likelyAt: instant(removal.createdAt + SECOND / 2),
  }
}

const newer = (a: Operation | undefined, b: Operation): Operation =>
  a === undefined || b.updatedAt > a.updatedAt ? b : a

const since = (last: Operation | undefined, known: ComputeEntry | undefined, seenAt: Instant): Instant =>
  last && !known ? earliest(seenAt, secondAfter(last.updatedAt)) : seenAt

/** Instants are written in whole seconds. */
const SECOND = 1000
const secondAfter = (at: Instant): Instant => instant(at + SECOND)

const branchKey = ({ projectId, branchId }: Pick<Operation, 'projectId' | 'branchId'>): string =>
  `${projectId} ${branchId}`
