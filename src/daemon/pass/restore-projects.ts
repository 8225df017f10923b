// Projects that come back after they were long gone: a list was wrong, or somebody recovered them.
import { restoreArchived } from '../../model/ledger/archived.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { Sweep } from '../../model/observation.ts'
import type { Ports } from '../../model/ports/ports.ts'

/** `ledger` with what the store knows of projects that `sweep` found and that are not in it. @throws when the store fails */
export async function restoreArchivedProjects(
  { history }: Pick<Ports, 'history'>,
  ledger: Ledger,
  { projects }: Pick<Sweep, 'projects'>,
): Promise<Ledger> {
  if (!ledger.archived?.projects) return ledger
  const unknown = projects.map(({ projectId }) => projectId).filter((id) => !ledger.projects.has(id))
  const kept = await history.projects(ledger.account, unknown)
  const back = kept.filter(({ isArchived }) => isArchived)
  return back.length === 0 ? ledger : restoreArchived(ledger, back)
}
