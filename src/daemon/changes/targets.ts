// The compute that a command names, the project that a change of defaults is about, and what a plan of a change needs of them.
import type { PlanProblem, PlanTarget } from '../../apply/asked-settings.ts'
import type { DefaultsTarget } from '../../apply/plan.ts'
import type { ComputeView, Snapshot } from '../../model/output/snapshot.ts'
import type { PlanLimits } from '../../model/policy/plan-limits.ts'
import { targetOfRef, type SelectorTarget } from '../../model/policy/selector.ts'
import {
  DEFAULT_AUTOSUSPEND_DELAY,
  isComputeRef,
  targetKey,
  type AutosuspendDelay,
  type Compute,
  type Project,
  type ProjectRef,
  type TargetRef,
} from '../../model/service/compute.ts'
import type { Preset } from '../../model/service/sizes.ts'
import type { ChangeContext } from '../../outputs/text/change-json.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { computesNamed } from '../history/named-computes.ts'
import { projectsOf } from '../history/named-projects.ts'
import type { PassState } from '../pass/pass-state.ts'

/** Problem of a command: the status of the API's answer, and words that begin with the path of the field. */
export type CommandProblem = Readonly<{ status: 400 | 404 | 409; message: string }>

export const refuseCommand = (
  status: CommandProblem['status'],
  message: string,
): Result<never, CommandProblem> => failed({ status, message })

export const refusePlan = ({ path, message, isConflict }: PlanProblem): Result<never, CommandProblem> =>
  refuseCommand(isConflict ? 409 : 400, path === '' ? message : `${path}: ${message}`)

type Limits = Readonly<{ preset: Preset; limits: PlanLimits | undefined }>

export const planTargetOf = (view: ComputeView, { preset, limits }: Limits): PlanTarget => ({
  ref: view.identity.ref,
  compute: view.identity.compute,
  defaultDelay: view.identity.project?.defaultAutosuspendDelay ?? DEFAULT_AUTOSUSPEND_DELAY,
  preset,
  limits,
})

/** @param account needed where computes of several accounts have the name */
export function viewNamed(
  { computes, accounts }: Snapshot,
  name: string,
  account: string | undefined,
): Result<ComputeView, CommandProblem> {
  const known = accounts.map((one) => one.account)
  if (account !== undefined && !known.includes(account))
    return refuseCommand(400, `account: expected one of ${known.join(', ')}, got ${account}`)
  const matches = computesNamed(computes, name).filter(
    ({ identity: { ref } }) => account === undefined || ref.account === account,
  )
  const [view, other] = matches
  if (!view) return refuseCommand(404, `compute: no compute is called ${name}`)
  if (!other) return ok(view)
  const ids = matches.map(({ identity: { ref } }) => ref.endpointId).join(', ')
  return refuseCommand(400, `compute: ${name} has several computes: ${ids}; name one of them`)
}

/** Undefined for a project, and for a compute that is gone. */
export const viewOfRef = ({ computes }: Snapshot, ref: TargetRef): ComputeView | undefined =>
  computes.find(
    ({ identity }) => identity.ref.account === ref.account && identity.ref.endpointId === ref.endpointId,
  )

/** Undefined where no pass has seen the project, or it is deleted. */
export function defaultsTargetOf(
  snapshot: Snapshot,
  ref: ProjectRef,
  { preset, limits }: Limits,
): DefaultsTarget | undefined {
  const project = projectsOf(snapshot, ref.account).get(ref.projectId)?.project
  return project && { ref, project, preset, limits }
}

/** Existing computes without a delay of their own: another default delay takes effect on them at once, another default size on none. */
export const restingOnDefaults = ({ computes }: Snapshot, ref: TargetRef): readonly ComputeView[] =>
  isComputeRef(ref)
    ? []
    : computes.filter(
        ({ identity, state }) =>
          identity.ref.account === ref.account &&
          identity.ref.projectId === ref.projectId &&
          !state.isDeleted &&
          identity.compute.autosuspendDelay === undefined,
      )

/** What a change is displayed with. A compute that is gone has no names. */
export function changeContextOf(snapshot: Snapshot, ref: TargetRef): ChangeContext {
  const view = viewOfRef(snapshot, ref)
  const project = view ? view.identity.project : projectsOf(snapshot, ref.account).get(ref.projectId)?.project
  return {
    projectName: project?.name,
    computeName: view?.identity.compute.name,
    currency: snapshot.accounts.find(({ account }) => account === ref.account)?.currency ?? '',
  }
}

type PublishedOptions = Readonly<{ account: string; state: () => PassState }>

/** What a change is about, as the last pass saw it. */
export function createPublished({ account, state }: PublishedOptions) {
  const entryOf = (ref: TargetRef) => state().ledger.computes.get(targetKey(ref))
  const projectOf = ({ projectId }: Pick<TargetRef, 'projectId'>) =>
    state().ledger.projects.get(projectId)?.project
  return {
    /** Undefined for a project. */
    entryOf,
    /** Delay of the computes of its project that have none of their own. */
    defaultDelayOf: (target: Pick<TargetRef, 'projectId'>): AutosuspendDelay =>
      projectOf(target)?.defaultAutosuspendDelay ?? DEFAULT_AUTOSUSPEND_DELAY,
    /** Undefined where no pass has seen it, or it is deleted, and for a project. */
    computeOf: (ref: TargetRef): Readonly<{ compute: Compute; project: Project | undefined }> | undefined => {
      const entry = entryOf(ref)
      if (!entry || entry.deletedAt !== undefined) return undefined
      return { compute: entry.compute, project: projectOf(ref) }
    },
    isDeleted: (ref: TargetRef): boolean => {
      const { computes, projects } = state().ledger
      const entry = isComputeRef(ref) ? computes.get(targetKey(ref)) : projects.get(ref.projectId)
      return entry?.deletedAt !== undefined
    },
    /** For the policy of it; undefined where no pass has seen it. */
    selectorTargetOf: (ref: TargetRef): SelectorTarget | undefined =>
      targetOfRef({ ...ref, account }, { compute: entryOf(ref)?.compute, project: projectOf(ref) }),
  }
}

/** Computes of an account that are not deleted. */
export const existingComputes = ({ computes }: Snapshot, account: string): readonly ComputeView[] =>
  computes.filter(({ identity, state }) => identity.ref.account === account && !state.isDeleted)
