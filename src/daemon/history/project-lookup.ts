import type { Ledger } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { History } from '../../model/ports/history.ts'

export type ProjectLookup = (projectId: string) => Promise<ProjectEntry | undefined>

/** Finds the project of a history row: only the store has archived ones. Remembers one, as rows come project by project. */
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
