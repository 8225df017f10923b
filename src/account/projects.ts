import type { Ledger, ProjectAccount } from '../model/ledger.ts'
import type { Sweep } from '../model/observation.ts'

/** Project id → its account, of the projects that changed in `sweep`. Projects that left the list are kept: their computes' accounts name them. */
export function projectsAfter(ledger: Ledger, sweep: Sweep): Map<string, ProjectAccount> {
  const after = new Map<string, ProjectAccount>()
  for (const project of sweep.projects) {
    after.set(project.projectId, { listed: undefined, ...ledger.projects.get(project.projectId), project })
  }
  for (const { projectId, answeredAt, endpointIds } of sweep.listed) {
    const known = after.get(projectId) ?? ledger.projects.get(projectId)
    if (!known) continue
    const { updatedAt, cpuUsedSeconds } = known.project
    after.set(projectId, { ...known, listed: { at: answeredAt, updatedAt, cpuUsedSeconds, endpointIds } })
  }
  return after
}
