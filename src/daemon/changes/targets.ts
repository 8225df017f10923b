// The compute that a command names, and what a plan of a change needs of it.
import type { PlanProblem, PlanTarget } from '../../apply/asked-settings.ts'
import type { ComputeView, Snapshot } from '../../model/output/snapshot.ts'
import type { PlanLimits } from '../../model/policy/plan-limits.ts'
import { DEFAULT_AUTOSUSPEND_DELAY, type ComputeRef } from '../../model/service/compute.ts'
import type { Preset } from '../../model/service/sizes.ts'
import type { ChangeContext } from '../../outputs/text/change-json.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { computesNamed } from '../history/named-computes.ts'

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

export const viewOfRef = ({ computes }: Snapshot, ref: ComputeRef): ComputeView | undefined =>
  computes.find(
    ({ identity }) => identity.ref.account === ref.account && identity.ref.endpointId === ref.endpointId,
  )

/** What a change is displayed with. A compute that is gone has no names. */
export function changeContextOf(snapshot: Snapshot, ref: ComputeRef): ChangeContext {
  const view = viewOfRef(snapshot, ref)
  return {
    projectName: view?.identity.project?.name,
    computeName: view?.identity.compute.name,
    currency: snapshot.accounts.find(({ account }) => account === ref.account)?.currency ?? '',
  }
}
