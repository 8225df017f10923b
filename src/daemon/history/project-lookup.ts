// The project of what the history tells: of one that is long gone only the store knows.
import type { Ledger, ProjectEntry } from '../../model/ledger/ledger.ts'
import type { History } from '../../model/ports/history.ts'

export type ProjectLookup = (projectId: string) => Promise<ProjectEntry | undefined>

/** Rows come a project after the other, so one is remembered. */
export function createProjectLookup(
  history: Pick<History, 'projects'>,
  { account, projects }: Pick<Ledger, 'account' | 'projects'>,
): ProjectLookup {
  let last: { readonly id: string; readonly found: ProjectEntry | undefined } | undefined
  return async (id) => {
    const known = projects.get(id)
    if (known) return known
    if (last?.id !== id) last = { id, found: (await history.projects(account, [id]))[0] }
    return last.found
  }
}
