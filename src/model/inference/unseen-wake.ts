// Wakes that only the project list shows: by activity that no known awake time explains, or by a change of the record.
import { latest, type Instant } from '../units.ts'
import type { ComputeEntry } from '../ledger/ledger.ts'
import type { ProjectEntry, ProjectListing } from '../ledger/project-entry.ts'
import type { Project } from '../service/compute.ts'

/** Tolerance of times, 2 s: records have whole seconds, and the service notes activity shortly after the query. */
const TOLERANCE = 2000

/** @param computes number of computes of the project */
export function explainsActivity(
  { compute }: Pick<ComputeEntry, 'compute'>,
  active: Instant,
  computes: number,
): boolean {
  const { state, lastActive, startedAt, suspendedAt } = compute
  // without siblings it is the compute's own; with siblings it must match the compute's own record
  if (state === 'active' && computes === 1) return true
  if (lastActive !== undefined && Math.abs(active - lastActive) <= TOLERANCE) return true
  if (startedAt === undefined || active < startedAt - TOLERANCE) return (lastActive ?? 0) >= active
  return state === 'idle' && suspendedAt !== undefined && active <= suspendedAt + TOLERANCE
}

/** Wake of a sleeping compute that only the project list shows: it must be the project's only one. */
export function unseenWakeAt(entry: ComputeEntry, project: ProjectEntry | undefined): Instant | undefined {
  const active = project?.project.computeLastActiveAt
  if (active === undefined || project?.listed?.endpointIds.length !== 1) return undefined
  // Seen awake, and suspended since by its operations: activity after that is of another wake.
  const isSuspendedSince = entry.compute.state === 'active' && !entry.current
  // Slices without likely time are possible wakes: their ends date no suspension.
  const awake = entry.provisional.filter(({ likely }) => likely.from < likely.to)
  const sleptAt = latest(entry.settledUntil, ...awake.map(({ high }) => high.to))
  if (isSuspendedSince && active > sleptAt + TOLERANCE) return active
  return explainsActivity(entry, active, 1) ? undefined : active
}

/** Whether the record shows a change since its computes were listed, beside activity: until they are looked at, any of them may have woken. */
export function hasProjectChanged(project: Project, listed: ProjectListing): boolean {
  const { computeLastActiveAt, updatedAt, cpuUsedSeconds } = project
  if (updatedAt !== listed.updatedAt) return true
  // Where the list shows activity, its CPU counter follows a quarter of an hour later and adds nothing.
  return computeLastActiveAt === undefined && cpuUsedSeconds !== listed.cpuUsedSeconds
}
