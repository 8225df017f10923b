// Names and owner of a compute in a report.
import type { ComputeRef } from '../../model/service/compute.ts'
import type { Owner } from '../../model/policy/owner.ts'
import type { Redactable, ReportGroup, ReportPlan } from '../../model/output/report.ts'
import type { Report } from './schema.ts'

export type ComputeIdentity = {
  /** Undefined when the project is no longer known. */
  readonly projectName: string | undefined
  readonly name: string | undefined
  /** Undefined when the compute is no longer known; likewise `autosuspendOff`. */
  readonly branchId: string | undefined
  readonly owner: Owner
  readonly autosuspendOff: boolean | undefined
  /** Why the last reading failed; undefined when it succeeded or none was attempted. */
  readonly unreadBecause: string | undefined
}

export const isInReportPlan = (
  { onlyTeam }: ReportPlan,
  { owner }: Pick<ComputeIdentity, 'owner'>,
): boolean => onlyTeam === undefined || owner.team === onlyTeam

export type NamedCompute = Pick<
  Report['not_analysed'][number]['examples'][number],
  'project_id' | 'endpoint_id' | 'project_name' | 'name'
>

export function nameCompute(
  ref: ComputeRef,
  identity: ComputeIdentity,
  redact: readonly Redactable[],
): NamedCompute {
  const isNamed = !redact.includes('names')
  return {
    project_id: ref.projectId,
    endpoint_id: ref.endpointId,
    project_name: (isNamed ? identity.projectName : undefined) ?? null,
    name: (isNamed ? identity.name : undefined) ?? null,
  }
}

/** Null for a compute without such a group. */
export function reportGroupOf(ref: ComputeRef, identity: ComputeIdentity, by: ReportGroup): string | null {
  const { owner, branchId } = identity
  const name = {
    team: owner.team,
    cost_centre: owner.costCentre,
    tier: owner.tier,
    project: ref.projectId,
    branch: branchId,
  }[by]
  return name === undefined || name === '' ? null : name
}
