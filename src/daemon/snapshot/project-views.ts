// Views of projects that recommendations or changes of their own are about: their defaults.
import type { ProjectView } from '../../model/output/snapshot.ts'
import type { Owners } from '../../model/policy/owner.ts'
import { targetKey, type ProjectRef } from '../../model/service/compute.ts'
import type { AccountInput } from './account-view.ts'

/** In order of their ids; undefined where there are none. */
export function projectViews(
  { state: { ledger }, advice, changes }: Pick<AccountInput, 'state' | 'advice' | 'changes'>,
  owners: Pick<Owners, 'ofProject'>,
): readonly ProjectView[] | undefined {
  const { account, projects } = ledger
  const ids = new Set(
    [...(advice?.openProjects() ?? []), ...(changes?.projects ?? [])].map(({ projectId }) => projectId),
  )
  const views = [...ids].toSorted().flatMap((projectId): readonly ProjectView[] => {
    const entry = projects.get(projectId)
    if (!entry || entry.deletedAt !== undefined) return []
    const ref: ProjectRef = { account, projectId }
    const key = targetKey(ref)
    const [open, changing, tallies] = [advice?.openOf(key), changes?.openOf(key), changes?.talliesOf(key)]
    const { project } = entry
    return [
      {
        ref,
        project,
        owner: owners.ofProject(account, project),
        ...(open && { advice: open }),
        ...(changing && { changes: changing }),
        ...(tallies && { changeTallies: tallies }),
      },
    ]
  })
  return views.length === 0 ? undefined : views
}
