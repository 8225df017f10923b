import type { UseRecord } from '../usage/usage.ts'
import type { Effect, Interval, Wake } from '../events.ts'
import type { Operation } from '../project.ts'

/** Wakes and awake intervals of one compute, without the interval in progress. */
type Use = Omit<UseRecord, 'open'> & { readonly wakes: Wake[]; readonly intervals: Interval[] }

/** Operations and usage in memory: the counterpart of what the real service stores on disk. */
export function createSimulatedHistory() {
  // project → endpoint → use, each in order of the first start
  const uses = new Map<string, Map<string, Use>>()
  // project → the newest record of each operation, in order of creation
  const operations = new Map<string, Operation[]>()
  const useOf = (endpointId: string, projectId: string): Use => {
    const ofProject = uses.get(projectId) ?? new Map<string, Use>()
    const use = ofProject.get(endpointId) ?? { projectId, endpointId, wakes: [], intervals: [] }
    uses.set(projectId, ofProject.set(endpointId, use))
    return use
  }
  const operationsOf = (projectId: string): Operation[] => operations.get(projectId) ?? []
  return {
    note: (effect: Effect, projectId: string): void => {
      if (effect.kind === 'write-wake') useOf(effect.endpointId, projectId).wakes.push(effect.wake)
      if (effect.kind === 'write-interval')
        useOf(effect.endpointId, projectId).intervals.push(effect.interval)
      if (effect.kind !== 'write-operation') return
      const ofProject = operationsOf(projectId)
      const index = recentIndexOf(ofProject, effect.operation)
      if (index === -1) ofProject.push(effect.operation)
      else ofProject[index] = effect.operation
      operations.set(projectId, ofProject)
    },
    operation: (projectId: string, operationId: string): Operation | undefined =>
      operationsOf(projectId).findLast(({ id }) => id === operationId),
    /** A page of operations, newest first, that starts after `before`; undefined when `before` is unknown. */
    operations: (projectId: string, limit: number, before: string | undefined): Operation[] | undefined => {
      const ofProject = operationsOf(projectId)
      const end = before === undefined ? ofProject.length : ofProject.findLastIndex(({ id }) => id === before)
      return end === -1 ? undefined : ofProject.slice(Math.max(0, end - limit), end).toReversed()
    },
    forget: (projectId: string): void => void operations.delete(projectId),
    /** Usage of every compute that was ever started, in order of the first start. */
    uses: (): readonly Use[] => [...uses.values()].flatMap((ofProject) => [...ofProject.values()]),
    usesOf: (projectId: string): readonly Use[] => [...(uses.get(projectId)?.values() ?? [])],
  }
}

/** Index of an operation, -1 for a new one. Searches only operations that were not created before it. */
function recentIndexOf(operations: readonly Operation[], { id, createdAt }: Operation): number {
  const index = operations.findLastIndex((other) => other.id === id || other.createdAt < createdAt)
  return operations[index]?.id === id ? index : -1
}
