import type { UseRecord } from '../usage/usage.ts'
import type { Effect, Interval, Wake } from '../events.ts'
import type { Plane } from '../plane.ts'
import type { Operation } from '../project.ts'

/** Wakes and awake intervals of one compute, without the interval in progress. */
type Use = Omit<UseRecord, 'open'> & { readonly wakes: Wake[]; readonly intervals: Interval[] }

/** Operations and usage in memory: the counterpart of what the real service stores on disk. */
export type SimulatedHistory = Pick<Plane, 'operation' | 'operations'> & {
  note(effect: Effect, projectId: string): void
  forget(projectId: string): void
  /** Usage of every compute that was ever started, in order of the first start. */
  uses(): readonly Use[]
  usesOf(projectId: string): readonly Use[]
}

export function createSimulatedHistory(): SimulatedHistory {
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
    note: (effect, projectId) => {
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
    operation: (projectId, operationId) => {
      const ofProject = operationsOf(projectId)
      return ofProject[indexOf(ofProject, operationId)]
    },
    operations: (projectId, limit, before) => {
      const ofProject = operationsOf(projectId)
      const end = before === undefined ? ofProject.length : indexOf(ofProject, before)
      return end === -1 ? undefined : ofProject.slice(Math.max(0, end - limit), end).toReversed()
    },
    forget: (projectId) => void operations.delete(projectId),
    uses: () => [...uses.values()].flatMap((ofProject) => [...ofProject.values()]),
    usesOf: (projectId) => [...(uses.get(projectId)?.values() ?? [])],
  }
}

const indexOf = (operations: readonly Operation[], operationId: string): number =>
  operations.findLastIndex(({ id }) => id === operationId)

/** Index of an operation, -1 for a new one. Searches only operations that were not created before it. */
function recentIndexOf(operations: readonly Operation[], { id, createdAt }: Operation): number {
  const index = operations.findLastIndex((other) => other.id === id || other.createdAt < createdAt)
  return operations[index]?.id === id ? index : -1
}
