// Activity that the list shows of a project, and that no known awake time explains: something woke there, unseen.
import type { Instant } from '../units.ts'
import type { ComputeEntry } from '../ledger/ledger.ts'
import type { ProjectEntry } from '../ledger/project-entry.ts'

/** Whole seconds, and the moments between a client's query and what the service makes of it. Doubled, a wake right after a suspension is seen at the next activity. */
const ROUNDING = 2000

/** Whether `active`, shown of a project of so many `computes`, may be what is known of this one. */
export function explainsActivity(
  { compute }: Pick<ComputeEntry, 'compute'>,
  active: Instant,
  computes: number,
): boolean {
  const { state, lastActive, startedAt, suspendedAt } = compute
  // One that is awake may be the one; where it has siblings, only activity that it showed itself is its own for sure.
  if (state === 'active' && computes === 1) return true
  if (lastActive !== undefined && Math.abs(active - lastActive) <= ROUNDING) return true
  if (startedAt === undefined || active < startedAt - ROUNDING) return (lastActive ?? 0) >= active
  return state === 'idle' && suspendedAt !== undefined && active <= suspendedAt + ROUNDING
}

/** When the list saw the only compute of its project awake since it was looked at asleep; undefined where it did not. */
export function unseenWakeAt(
  account: Pick<ComputeEntry, 'compute'>,
  project: ProjectEntry | undefined,
): Instant | undefined {
  const active = project?.project.computeLastActiveAt
  if (active === undefined || project?.listed?.endpointIds.length !== 1) return undefined
  return explainsActivity(account, active, 1) ? undefined : active
}
