// When an awake compute falls asleep: shared by what looks at it then and what counts its time until it is looked at.
import { effectiveDelay, type Compute, type Project } from '../service/compute.ts'
import type { ProjectEntry } from '../ledger/project-entry.ts'
import { after, instant, seconds, type Instant } from '../units.ts'

/** How long the service takes to suspend a compute whose delay is over. Doubled, a suspension is known that much later. */
export const SUSPEND_GRACE = seconds(5)

/**
 * When an awake compute will have been suspended if nothing more happens; undefined where no activity is shown or it is never
 * suspended.
 *
 * @param project its newest record
 * @param known what is known of its project from before
 */
export function expectedSuspension(
  compute: Compute,
  project: Project | undefined,
  known: ProjectEntry | undefined,
): Instant | undefined {
  const delay = effectiveDelay(compute, project)
  // The list shows the newest activity of a project: it is the compute's where there is no other.
  const listed = known?.listed?.endpointIds.length === 1 ? project?.computeLastActiveAt : undefined
  const active = Math.max(compute.lastActive ?? 0, compute.startedAt ?? 0, listed ?? 0)
  if (delay === 'never' || active === 0) return undefined
  return after(instant(active), seconds(delay + SUSPEND_GRACE))
}
