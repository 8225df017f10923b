// Requests that change a compute or the defaults of a project, as the service's interface has them ("Endpoints").
import type { ComputeSettings } from '../ports/service.ts'
import type { Proposal } from '../policy/recommendation.ts'
import { isComputeRef, largestCu, smallestCu, type AutosuspendDelay, type TargetRef } from './compute.ts'

/** `path` is relative to the base address. */
export type ChangeRequest = Readonly<{
  method: 'PATCH' | 'POST'
  path: string
  body: RequestBody | undefined
}>

type Fields = Readonly<Record<string, unknown>>

type RequestBody = Readonly<
  { endpoint: Fields } | { project: Readonly<{ default_endpoint_settings: Fields }> }
>

/** Request of a change; of a compute without settings a restart. */
export function requestOfChange(ref: TargetRef, settings: ComputeSettings): ChangeRequest {
  if (!isComputeRef(ref)) return requestOfDefaults(ref.projectId, settings)
  const { projectId, endpointId } = ref
  const path = `/projects/${projectId}/endpoints/${endpointId}`
  const endpoint = encodeSettings(settings)
  return Object.keys(endpoint).length === 0
    ? { method: 'POST', path: `${path}/restart`, body: undefined }
    : { method: 'PATCH', path, body: { endpoint } }
}

const requestOfDefaults = (projectId: string, settings: ComputeSettings): ChangeRequest => ({
  method: 'PATCH',
  path: `/projects/${projectId}`,
  body: encodeDefaults(settings),
})

/** Fields that are left out stay as they are. Source: service-facts.md, "Requests". */
export const encodeDefaults = (settings: ComputeSettings) => ({
  project: { default_endpoint_settings: encodeSettings(settings) },
})

/** Undefined for recommendations that no request implements: their `to` is empty. */
export function requestOf({
  ref,
  kind,
  to,
}: Pick<Proposal, 'ref' | 'kind' | 'to'>): ChangeRequest | undefined {
  if (kind === 'refresh') return requestOfChange(ref, {})
  const { delay: autosuspendDelay, ...settings } = to
  const wanted = { ...settings, ...(autosuspendDelay !== undefined && { autosuspendDelay }) }
  return Object.keys(wanted).length === 0 ? undefined : requestOfChange(ref, wanted)
}

/**
 * Fields of `endpoint` in a create or update request. Both size limits always go together: with one alone the minimum could end above the
 * maximum.
 */
export function encodeSettings(settings: ComputeSettings): Readonly<Record<string, unknown>> {
  const { sizing, autosuspendDelay, branchId, disabled, poolerEnabled } = settings
  return {
    ...(branchId !== undefined && { branch_id: branchId }),
    ...(sizing && {
      autoscaling_limit_min_cu: smallestCu(sizing),
      autoscaling_limit_max_cu: largestCu(sizing),
    }),
    ...(autosuspendDelay !== undefined && { suspend_timeout_seconds: encodeDelay(autosuspendDelay) }),
    ...(disabled !== undefined && { disabled }),
    ...(poolerEnabled !== undefined && { pooler_enabled: poolerEnabled }),
  }
}

/** 0 s stands for the default, in the model as on the wire. Not in the interface text; service-facts.md, "Compute record". */
const encodeDelay = (delay: AutosuspendDelay): number => (delay === 'never' ? -1 : delay)
