import type { Effect } from '../events.ts'
import type { Operation } from '../project.ts'

/**
 * Whether an effect is the work of this operation, and so waits and fails with it. The end of a compute that was
 * deleted, or went with its branch, is nobody's work: it is done in any case.
 */
export function isWorkOf(effect: Effect, operation: Operation | undefined): boolean {
  if (!operation) return false
  if ('endpointId' in effect) return effect.endpointId === operation.endpointId
  const isOfBranch = effect.kind === 'copy-branch' || effect.kind === 'remove-branch'
  return isOfBranch && operation.endpointId === undefined && effect.branchId === operation.branchId
}
