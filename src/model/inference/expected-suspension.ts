// Decides when an awake compute is looked at, and how long it counts as awake until then.
import { effectiveDelay, type Compute, type Project } from '../service/compute.ts'
import type { ProjectEntry } from '../ledger/project-entry.ts'
import { after, instant, seconds, type Instant } from '../units.ts'

/** Time the service takes to suspend a compute after its delay, 5 s: later looks would learn of suspensions later. */
export const SUSPEND_GRACE = seconds(5)

/**
 * Undefined without a known activity, and when autosuspend is off.
 *
 * @param project newest record of the project
 * @param entry the project's ledger entry before this sweep
 */
export function expectedSuspension(
  compute: Compute,
  project: Project | undefined,
  entry: ProjectEntry | undefined,
): Instant | undefined {
  const delay = effectiveDelay(compute, project)
  // the list shows the newest activity of a project, which is the compute's own when the project has no other
  const listedActivity = entry?.listed?.endpointIds.length === 1 ? project?.computeLastActiveAt : undefined
  const lastActivity = Math.max(compute.lastActive ?? 0, compute.startedAt ?? 0, listedActivity ?? 0)
  if (delay === 'never' || lastActivity === 0) return undefined
  return after(instant(lastActivity), seconds(delay + SUSPEND_GRACE))
}
