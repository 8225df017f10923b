// Finds the project entry of a history row: that of an archived project only the store has.
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { History } from '../../model/ports/history.ts'

export type ProjectLookup = (projectId: string) => Promise<ProjectEntry | undefined>

/** Remembers one project, as rows come project by project. */
export function createProjectLookup(
  history: Pick<History, 'projects'>,
  { account, projects }: Pick<Ledger, 'account' | 'projects'>,
): ProjectLookup {
  let last: { readonly projectId: string; readonly entry: ProjectEntry | undefined } | undefined
  return async (projectId) => {
    const entry = projects.get(projectId)
    if (entry) return entry
    if (last?.projectId !== projectId)
      last = { projectId, entry: (await history.projects(account, [projectId]))[0] }
    return last.entry
  }
}
