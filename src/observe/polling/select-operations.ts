// Which of the operations that are wanted a sweep has room for, and what it leaves to the next. Pure.
import type { PendingRetries } from '../../model/observation.ts'
import type { Instant } from '../../model/units.ts'
import type { OperationCandidates } from './operation-candidates.ts'
import { isRetryDue, recordFailure } from './retry.ts'

/** Project id, and since when its operations are to be read. */
export type OperationsToRead = readonly [projectId: string, from: Instant]

/** What of the room goes to what was asked for in vain before, when all of it is needed. Doubled, broken projects hold up twice as many others. */
const FAILING = 0.1

/** Those that are needed: at first sight, for which the looks left room, then what waits for longest; then what is welcome. At most `room`. */
export function selectOperations(
  { needed, atFirstSight, welcome }: OperationCandidates,
  { waiting, room }: { readonly waiting: PendingRetries['operations']; readonly room: number },
  now: Instant,
): readonly OperationsToRead[] {
  const waitsSince = (projectId: string): number =>
    atFirstSight.has(projectId) ? 0 : (waiting.get(projectId)?.since ?? now)
  const queue = [...needed].toSorted(([a], [b]) => waitsSince(a) - waitsSince(b))
  const fresh = queue.filter(([projectId]) => !waiting.get(projectId)?.tried)
  const triedAt = (projectId: string): number => waiting.get(projectId)?.tried?.at ?? now
  const failing = queue
    .filter(([projectId]) => {
      const tried = waiting.get(projectId)?.tried
      return tried && isRetryDue(tried, now)
    })
    .toSorted(([a], [b]) => triedAt(a) - triedAt(b))
  const kept = room > 1 ? Math.min(failing.length, Math.ceil(room * FAILING)) : 0
  const first = fresh.slice(0, Math.max(0, room - kept))
  const chosen = [...first, ...failing.slice(0, Math.max(0, room - first.length))]
  return [...chosen, ...[...welcome].slice(0, Math.max(0, room - chosen.length))]
}

/** What of the needed was not read: since when it waits, and whether it was asked for in vain. */
export function updatePendingOperations(
  before: PendingRetries['operations'],
  {
    needed,
    read,
    failed,
  }: {
    readonly needed: OperationCandidates['needed']
    /** Also of projects that are gone: nothing waits for them. */
    readonly read: ReadonlySet<string>
    readonly failed: ReadonlySet<string>
  },
  now: Instant,
): PendingRetries['operations'] {
  const after = new Map<string, { since: Instant; tried: ReturnType<typeof recordFailure> | undefined }>()
  for (const projectId of needed.keys()) {
    if (read.has(projectId)) continue
    const { since = now, tried } = before.get(projectId) ?? {}
    after.set(projectId, { since, tried: failed.has(projectId) ? recordFailure(tried, now) : tried })
  }
  return after
}
