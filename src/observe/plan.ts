// What a sweep asks: details only of what moved, is awake, or was not looked at for long.
import { computeKey, type Project } from '../model/compute.ts'
import type { ComputeAccount, Ledger } from '../model/ledger.ts'
import type { Look } from '../model/observation.ts'
import { isOpen } from '../model/operation.ts'
import { after, earliest, instant, seconds, type Instant, type Seconds } from '../model/units.ts'

/** How far back the operations of a compute seen for the first time are read. Doubled, the first sweep of a busy account asks twice the pages. */
const FIRST_HISTORY = seconds(-86_400)
/** How much before the last look operations are read again: they may be listed late. Doubled, a page more after an outage. */
const OVERLAP = seconds(-900)

/** The projects whose computes are to be listed, those never looked at first, then by age of the last look. */
export function projectsToList(
  ledger: Ledger,
  projects: readonly Project[],
  { maxAge, now }: { readonly maxAge: Seconds; readonly now: Instant },
): readonly string[] {
  const byProject = Map.groupBy(ledger.computes.values(), ({ ref }) => ref.projectId)
  const lastLook = (projectId: string): number =>
    Math.min(...(byProject.get(projectId) ?? []).map(({ seenAt }) => seenAt))
  return projects
    .filter((project) => {
      const known = ledger.projects.get(project.projectId)
      const computes = byProject.get(project.projectId)
      if (!known || !computes || hasMoved(known, project)) return true
      return computes.some((account) => isExpectedToChange(account) || now - account.seenAt >= maxAge * 1000)
    })
    .map(({ projectId }) => projectId)
    .toSorted((a, b) => lastLook(a) - lastLook(b) || (a < b ? -1 : 1))
}

const hasMoved = (before: Project, now: Project): boolean =>
  before.updatedAt !== now.updatedAt ||
  before.cpuUsedSeconds !== now.cpuUsedSeconds ||
  before.computeLastActiveAt !== now.computeLastActiveAt

/** A compute that is awake may have fallen asleep, one in transition has arrived: only idle ones stay as they are by themselves. */
const isExpectedToChange = ({ compute, goneAt }: ComputeAccount): boolean =>
  goneAt === undefined && (compute.state !== 'idle' || compute.pendingState !== undefined)

/** Project id → since when its operations are to be read: where a look shows a transition, and where some were still running. */
export function operationsToRead(
  ledger: Ledger,
  looks: readonly Look[],
  now: Instant,
): ReadonlyMap<string, Instant> {
  const since = new Map<string, Instant>()
  for (const look of looks) {
    const { projectId, endpointId } = look.compute
    const known = ledger.computes.get(computeKey({ account: ledger.account, projectId, endpointId }))
    if (known && !hasTransition(known, look)) continue
    const from = known ? after(known.seenAt, OVERLAP) : after(now, FIRST_HISTORY)
    since.set(projectId, earliest(from, since.get(projectId) ?? from))
  }
  return since
}

function hasTransition({ compute, evidence, seenAt }: ComputeAccount, { compute: seen }: Look): boolean {
  if (compute.state !== seen.state || compute.pendingState !== seen.pendingState) return true
  if (compute.startedAt !== seen.startedAt || compute.suspendedAt !== seen.suspendedAt) return true
  if (compute.updatedAt !== seen.updatedAt) return true
  if (evidence.operations.some(isOpen)) return true
  // Without the instants of the record, awake and asleep again between two looks shows only as newer activity.
  return (seen.lastActive ?? 0) > Math.max(seenAt, compute.lastActive ?? instant(0)) && seen.state === 'idle'
}
