// Projects that are long gone: their sums stay with the account, and only the store knows them one by one.
import type { Ledger, ProjectEntry } from '../../model/ledger/ledger.ts'
import type { Sweep } from '../../model/observation.ts'
import { forEachYielding, type Cooperative } from '../../std/cooperative.ts'
import { after, seconds, type Instant } from '../../model/units.ts'

/** As long as the store tells of more than the days of their computes. Doubled, those deleted in half a year are kept in memory, about 1 kB each. */
const REMEMBERED = seconds(93 * 86_400)

/** Computes or projects of one step. Doubled, the event loop is held up for a millisecond more. */
const MANY = 2000

/** Of those that did not change, and that no list has told of again, those that are to be kept in the store alone from now on, as they are to be stored. */
export function* projectsToArchive(
  { projects, computes }: Ledger,
  { changed, list }: Pick<Sweep, 'list'> & { readonly changed: ReadonlyMap<string, ProjectEntry> },
  now: Instant,
): Cooperative<readonly ProjectEntry[]> {
  const due: ProjectEntry[] = []
  yield* forEachYielding(projects.values(), MANY, (one) => {
    const isDue = one.deletedAt !== undefined && after(one.deletedAt, REMEMBERED) <= now
    const { projectId } = one.project
    if (isDue && !changed.has(projectId) && !list.finished?.readAt.has(projectId)) due.push(one)
  })
  if (due.length === 0) return []
  const inUse = new Set<string>()
  yield* forEachYielding(computes.values(), MANY, ({ ref }) => inUse.add(ref.projectId))
  return due
    .filter(({ project: { projectId } }) => !inUse.has(projectId))
    .map((one) => ({ ...one, isArchived: true as const }))
}
