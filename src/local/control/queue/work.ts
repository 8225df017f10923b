import type { Effect } from '../events.ts'
import type { Operation } from '../project.ts'

/**
 * Whether an effect is the work of this operation, so that it waits and fails with it. The stop of a deleted compute
 * belongs to no operation.
 */
export function isWorkOf(effect: Effect, operation: Operation | undefined): boolean {
  if (!operation) return false
  if ('endpointId' in effect) return effect.endpointId === operation.endpointId
  const isOfBranch = effect.kind === 'copy-branch' || effect.kind === 'remove-branch'
  return isOfBranch && operation.endpointId === undefined && effect.branchId === operation.branchId
}
