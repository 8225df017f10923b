// Requests that change a compute, as the service's interface has them ("Endpoints").
import type { ComputeSettings } from '../ports/service.ts'
import type { Proposal } from '../policy/recommendation.ts'
import { largestCu, smallestCu, type AutosuspendDelay, type ComputeRef } from './compute.ts'

/** `path` is relative to the base address. */
export type ChangeRequest = Readonly<{
  method: 'PATCH' | 'POST'
  path: string
  body: Readonly<{ endpoint: Readonly<Record<string, unknown>> }> | undefined
}>

/** Request of a change; without settings a restart. */
export function requestOfChange(
  { projectId, endpointId }: Pick<ComputeRef, 'projectId' | 'endpointId'>,
  settings: ComputeSettings,
): ChangeRequest {
  const path = `/projects/${projectId}/endpoints/${endpointId}`
  const endpoint = encodeSettings(settings)
  return Object.keys(endpoint).length === 0
    ? { method: 'POST', path: `${path}/restart`, body: undefined }
    : { method: 'PATCH', path, body: { endpoint } }
}

/** Undefined for recommendations that no request of a compute implements: their `to` is empty. */
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
