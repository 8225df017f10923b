// Projects deleted long ago leave memory: their sums stay with the account, their entries in the store.
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Sweep } from '../../model/observation.ts'
import { after, seconds, type Instant } from '../../model/units.ts'

/** Time that a deleted project stays in memory, 93 days: as long as its hourly rollups. An entry takes about 1 kB. */
const RETAINED_FOR = seconds(93 * 86_400)

/** Projects deleted more than 93 days ago that have not reappeared: they leave memory and stay in the store, marked as archived. */
export function projectsToArchive(
  { projects, computes }: Ledger,
  { changed, list }: Pick<Sweep, 'list'> & { readonly changed: ReadonlyMap<string, ProjectEntry> },
  now: Instant,
): readonly ProjectEntry[] {
  const due: ProjectEntry[] = []
  for (const one of projects.values()) {
    const isDue = one.deletedAt !== undefined && after(one.deletedAt, RETAINED_FOR) <= now
    const { projectId } = one.project
    if (isDue && !changed.has(projectId) && !list.finished?.readAt.has(projectId)) due.push(one)
  }
  if (due.length === 0) return []
  const inUse = new Set<string>()
  for (const { ref } of computes.values()) inUse.add(ref.projectId)
  return due
    .filter(({ project: { projectId } }) => !inUse.has(projectId))
    .map((one) => ({ ...one, isArchived: true as const }))
}
