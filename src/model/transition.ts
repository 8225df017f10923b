// When a compute's operations are worth reading: shared by what plans the reading and what keeps its account.
import type { ComputeAccount } from './ledger.ts'
import type { Look } from './observation.ts'
import { seconds, type Seconds } from './units.ts'

/** How late an operation may still be listed. Doubled, twice the evidence is kept and a restart of the daemon reads twice as far back. */
export const LATENESS: Seconds = seconds(900)

/** Whether `look` shows that something happened to the compute since it was last seen, or cannot show that nothing did. */
export function showsTransition(known: ComputeAccount, look: Look): boolean {
  const { compute: seen } = look
  if (DATED.some((field) => known.compute[field] !== seen[field])) return true
  return seen.startedAt === undefined && seen.suspendedAt === undefined && mayHideOne(known, look)
}

const DATED = ['state', 'pendingState', 'startedAt', 'suspendedAt', 'updatedAt'] as const

/** Without the instants of the record, what happened between two looks shows as newer activity, or not at all. */
function mayHideOne({ compute, seenAt }: ComputeAccount, { compute: seen, askedAt }: Look): boolean {
  const woke = seen.state === 'idle' && (seen.lastActive ?? 0) > Math.max(seenAt, compute.lastActive ?? 0)
  return woke || askedAt - seenAt > LATENESS * 1000
}

/** Whether something happened of which the operations were not read yet. */
export const awaitsOperations = ({
  transitionAt,
  operationsReadAt,
}: Pick<ComputeAccount, 'transitionAt' | 'operationsReadAt'>): boolean =>
  transitionAt !== undefined && (operationsReadAt === undefined || operationsReadAt < transitionAt)
