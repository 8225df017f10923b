import { largestCu, smallestCu, type AutosuspendDelay } from '../../model/service/compute.ts'
import type { ComputeSettings } from '../../model/ports/service.ts'

/**
 * Fields of `endpoint` in a create or update request. Both size limits always go together: with one alone the minimum could end above the
 * maximum.
 */
export function encodeSettings(settings: ComputeSettings): Readonly<Record<string, unknown>> {
  const { sizing, autosuspendDelay, branchId, disabled } = settings
  return {
    ...(branchId !== undefined && { branch_id: branchId }),
    ...(sizing && {
      autoscaling_limit_min_cu: smallestCu(sizing),
      autoscaling_limit_max_cu: largestCu(sizing),
    }),
    ...(autosuspendDelay !== undefined && { suspend_timeout_seconds: encodeDelay(autosuspendDelay) }),
    ...(disabled !== undefined && { disabled }),
  }
}

/** 0 s stands for the default, in the model as on the wire. Not in the interface text; service-facts.md, "Compute record". */
const encodeDelay = (delay: AutosuspendDelay): number => (delay === 'never' ? -1 : delay)
