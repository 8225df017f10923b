// Where a compute belongs and what it is called, as a report tells it.
import type { ComputeRef } from '../../model/service/compute.ts'
import type { Owner } from '../../model/policy/owner.ts'
import type { Redactable, ReportGroup, ReportPlan } from '../../model/output/report.ts'
import type { Report } from './schema.ts'

export type ComputeIdentity = {
  /** Undefined where the project is not known any more. */
  readonly projectName: string | undefined
  readonly name: string | undefined
  /** Undefined where the compute is not known any more, as `autosuspendOff`. */
  readonly branchId: string | undefined
  readonly owner: Owner
  readonly autosuspendOff: boolean | undefined
  /** Why the last reading inside it saw nothing; undefined when it did, or none was tried. */
  readonly unreadBecause: string | undefined
}

/** Whether a report of such a plan is about a compute that belongs there. */
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
  place: ComputeIdentity,
  redact: readonly Redactable[],
): NamedCompute {
  const isNamed = !redact.includes('names')
  return {
    project_id: ref.projectId,
    endpoint_id: ref.endpointId,
    project_name: (isNamed ? place.projectName : undefined) ?? null,
    name: (isNamed ? place.name : undefined) ?? null,
  }
}

/** What it is grouped under; null where it belongs to none. */
export function reportGroupOf(ref: ComputeRef, place: ComputeIdentity, by: ReportGroup): string | null {
  const { owner, branchId } = place
  const name = {
    team: owner.team,
    cost_centre: owner.costCentre,
    tier: owner.tier,
    project: ref.projectId,
    branch: branchId,
  }[by]
  return name === undefined || name === '' ? null : name
}
