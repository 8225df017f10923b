// Projects as targets of recommendations and changes, by what a snapshot shows of them.
import type { Snapshot } from '../../model/output/snapshot.ts'
import type { Owner } from '../../model/policy/owner.ts'
import { targetKey, type Project, type ProjectRef, type TargetRef } from '../../model/service/compute.ts'
import { computesNamed } from './named-computes.ts'

export type NamedProject = Readonly<{ project: Project; owner: Owner }>

/** By id: those with computes, or with recommendations or changes of their own. */
export function projectsOf(
  { computes, accounts }: Snapshot,
  account: string,
): ReadonlyMap<string, NamedProject> {
  const known = new Map<string, NamedProject>()
  for (const { identity } of computes) {
    const { ref, project, projectOwner: owner } = identity
    if (ref.account === account && project) known.set(ref.projectId, { project, owner })
  }
  const own = accounts.find((view) => view.account === account)?.projects ?? []
  for (const { project, owner } of own) known.set(project.projectId, { project, owner })
  return known
}

/** Targets that the id of a recommendation may be of: computes, or else a project of each account. */
export function targetsOfId({ computes, accounts }: Snapshot, id: string): readonly TargetRef[] {
  const [first = ''] = id.split('.')
  const refs = computes.map(({ identity }) => identity.ref).filter(({ endpointId }) => endpointId === first)
  return refs.length > 0 ? refs : accounts.map(({ account }) => ({ account, projectId: first }))
}

/** Computes with the id or name, and projects where it is that of a project; in every account. */
export const targetsNamed = (snapshot: Snapshot, name: string): readonly TargetRef[] => [
  ...computesNamed(snapshot.computes, name).map(({ identity }) => identity.ref),
  ...projectsNamed(snapshot, name).map(({ ref }) => ref),
]

export type ProjectTarget = Readonly<{ ref: ProjectRef; project: Project }>

/** By id or name, in every account. */
export const projectsNamed = (snapshot: Snapshot, name: string): readonly ProjectTarget[] =>
  snapshot.accounts.flatMap(({ account }) =>
    [...projectsOf(snapshot, account).values()].flatMap(({ project }) =>
      project.projectId === name || project.name === name
        ? [{ ref: { account, projectId: project.projectId }, project }]
        : [],
    ),
  )

/** Team by key of the compute or project; empty where it has none. */
export function teamsByKey(snapshot: Snapshot): ReadonlyMap<string, string> {
  const teams = new Map<string, string>()
  for (const { identity } of snapshot.computes) teams.set(targetKey(identity.ref), identity.owner.team)
  for (const { account } of snapshot.accounts)
    for (const [projectId, { owner }] of projectsOf(snapshot, account))
      teams.set(targetKey({ account, projectId }), owner.team)
  return teams
}
