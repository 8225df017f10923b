import { sanitize } from '../../std/sanitize.ts'
import { html, type Html } from '../text/html.ts'
import { displayName } from '../text/display-name.ts'
import type { ComputeRef, TargetRef } from '../../model/service/compute.ts'
import type { Owner } from '../../model/policy/owner.ts'
import type { Redactable, ReportGroup, ReportPlan } from '../../model/output/report.ts'
import type { Report, ReportAdvice } from './schema.ts'

export type ComputeIdentity = Readonly<{
  /** Undefined when no longer known. */
  projectName: string | undefined
  name: string | undefined
  /** Undefined when no longer known, and of a project; likewise `autosuspendOff`. */
  branchId: string | undefined
  owner: Owner
  autosuspendOff: boolean | undefined
  /** Undefined when the last reading succeeded or none was attempted. */
  unreadBecause: string | undefined
}>

export const isInReportPlan = ({ onlyTeam }: ReportPlan, { owner }: Pick<ComputeIdentity, 'owner'>) =>
  onlyTeam === undefined || owner.team === onlyTeam

/** Null as the endpoint: the project itself. */
export type NamedTarget = ReportAdvice['withheld'][number]['examples'][number]
type NamedCompute = Report['not_analysed'][number]['examples'][number]

export const nameCompute = (
  ref: ComputeRef,
  identity: ComputeIdentity,
  redact: readonly Redactable[],
): NamedCompute => ({ ...nameTarget(ref, identity, redact), endpoint_id: ref.endpointId })

export function nameTarget(
  { projectId, endpointId }: TargetRef,
  identity: ComputeIdentity,
  redact: readonly Redactable[],
): NamedTarget {
  const { projectName, name } = redact.includes('names') ? {} : identity
  return {
    project_id: projectId,
    endpoint_id: endpointId ?? null,
    project_name: projectName ?? null,
    name: name ?? null,
  }
}

/** Null without such a group. */
export function reportGroupOf(ref: ComputeRef, identity: ComputeIdentity, by: ReportGroup): string | null {
  const { team, costCentre: cost_centre, tier } = identity.owner
  const names = { team, cost_centre, tier, project: ref.projectId, branch: identity.branchId }
  return names[by] || null
}

const namesOf = ({ project_id, endpoint_id, project_name, name }: NamedTarget) => ({
  project: displayName(project_name ?? project_id),
  own: name === null ? undefined : displayName(name),
  id: endpoint_id === null ? 'new computes' : sanitize(endpoint_id),
})

/** `shop / ep-cool-tree-1`, with the compute's name where it has one; `shop / new computes`. */
export function computeNameText(named: NamedTarget): string {
  const { project, own, id } = namesOf(named)
  return `${project} / ${own === undefined ? id : `${own} (${id})`}`
}

/** Each name isolated: one in a right-to-left script does not reorder the others. */
export function computeNameHtml(named: NamedTarget): Html {
  const { project, own, id } = namesOf(named)
  const last = html`<bdi>${id}</bdi>`
  return html`<bdi>${project}</bdi> / ${own === undefined ? last : html`<bdi>${own}</bdi> (${last})`}`
}
