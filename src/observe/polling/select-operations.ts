// Selection of the operations that a sweep has requests for, and what it leaves to the next. Pure.
import type { PendingRetries } from '../../model/observation.ts'
import type { Instant } from '../../model/units.ts'
import type { OperationCandidates } from './operation-candidates.ts'
import { isRetryDue, recordFailure } from './retry.ts'

/** Project id, and since when its operations are to be read. */
export type OperationsToRead = readonly [projectId: string, from: Instant]

/** Share of the requests for projects that failed before, when all requests are needed: broken projects hold up few others. */
const FAILING_SHARE = 0.1

/**
 * At most `room`, in this order:
 * 1. needed at first sight, for which the looks left requests;
 * 2. otherwise needed, the longest waiting first; a tenth of the requests goes to those that failed before;
 * 3. welcome.
 */
export function selectOperations(
  { needed, atFirstSight, welcome }: OperationCandidates,
  { waiting, room }: { readonly waiting: PendingRetries['operations']; readonly room: number },
  now: Instant,
): readonly OperationsToRead[] {
  const waitsSince = (projectId: string): number =>
    atFirstSight.has(projectId) ? 0 : (waiting.get(projectId)?.since ?? now)
  const queue = [...needed].toSorted(([a], [b]) => waitsSince(a) - waitsSince(b))
  const fresh = queue.filter(([projectId]) => !waiting.get(projectId)?.failed)
  const triedAt = (projectId: string): number => waiting.get(projectId)?.failed?.at ?? now
  const failing = queue
    .filter(([projectId]) => {
      const attempts = waiting.get(projectId)?.failed
      return attempts && isRetryDue(attempts, now)
    })
    .toSorted(([a], [b]) => triedAt(a) - triedAt(b))
  const reserved = room > 1 ? Math.min(failing.length, Math.ceil(room * FAILING_SHARE)) : 0
  const first = fresh.slice(0, Math.max(0, room - reserved))
  const selected = [...first, ...failing.slice(0, Math.max(0, room - first.length))]
  return [...selected, ...[...welcome].slice(0, Math.max(0, room - selected.length))]
}

/** Needed projects that were not read: since when each waits, and whether the request failed. */
export function updatePendingOperations(
  before: PendingRetries['operations'],
  {
    needed,
    read,
    failed,
  }: {
    readonly needed: OperationCandidates['needed']
    /** Also deleted projects: nothing waits for them. */
    readonly read: ReadonlySet<string>
    readonly failed: ReadonlySet<string>
  },
  now: Instant,
): PendingRetries['operations'] {
  const after = new Map<string, { since: Instant; failed: ReturnType<typeof recordFailure> | undefined }>()
  for (const projectId of needed.keys()) {
    if (read.has(projectId)) continue
    const { since = now, failed: attempts } = before.get(projectId) ?? {}
    after.set(projectId, { since, failed: failed.has(projectId) ? recordFailure(attempts, now) : attempts })
  }
  return after
}
