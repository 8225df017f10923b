import type { Ledger } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { History } from '../../model/ports/history.ts'

export type ProjectLookup = (projectId: string) => Promise<ProjectEntry | undefined>

/** Only the store has archived projects. Remembers one, as history rows come project by project. */
export function createProjectLookup(
  history: Pick<History, 'projects'>,
  { account, projects }: Pick<Ledger, 'account' | 'projects'>,
): ProjectLookup {
  let last: Readonly<{ projectId: string; entry: ProjectEntry | undefined }> | undefined
  return async (projectId) => {
    const entry = projects.get(projectId)
    if (entry) return entry
    if (last?.projectId !== projectId)
      last = { projectId, entry: (await history.projects(account, [projectId]))[0] }
    return last.entry
  }
}
