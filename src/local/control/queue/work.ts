// Effects that are the work of operations: the shell reports their end.
import type { Effect, Report } from '../events.ts'
import type { Operation } from '../project.ts'

/** Undefined for effects that end without a report. */
export function successOf(effect: Effect): Report | undefined {
  if (effect.kind === 'start-process') return { kind: 'started', endpointId: effect.endpointId }
  if (effect.kind === 'stop-process') return { kind: 'stopped', endpointId: effect.endpointId }
  if (effect.kind === 'configure') return { kind: 'configured', endpointId: effect.endpointId }
  if (effect.kind === 'copy-branch') return { kind: 'branch-copied', branchId: effect.branchId }
  if (effect.kind === 'remove-branch') return { kind: 'branch-removed', branchId: effect.branchId }
  return undefined
}

/** Undefined where no operation fails with the effect. */
export function failureOf(effect: Effect, message: string): Report | undefined {
  if (effect.kind === 'start-process') return { kind: 'start-failed', endpointId: effect.endpointId, message }
  if (effect.kind === 'configure') return { kind: 'configure-failed', endpointId: effect.endpointId, message }
  if (effect.kind === 'copy-branch' || effect.kind === 'remove-branch')
    return { kind: 'branch-failed', branchId: effect.branchId, message }
  return undefined
}

/** The operation in progress if the effect is its work, unlike the stop of a deleted compute. */
export function operationOf(effect: Effect, current: Operation | undefined): Operation | undefined {
  if (!current || !successOf(effect)) return undefined
  if ('endpointId' in effect) return effect.endpointId === current.endpointId ? current : undefined
  const isOfBranch = 'branchId' in effect && effect.branchId === current.branchId
  return isOfBranch && current.endpointId === undefined ? current : undefined
}
