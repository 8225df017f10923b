import type { UseRecord } from '../usage/usage.ts'
import { computeOf } from '../draft.ts'
import type { Effect, Interval, Wake } from '../events.ts'
import type { Operation, Project } from '../project.ts'

/** Operations and usage in memory: the counterpart of what the real service stores on disk. */
export type SimulatedHistory = {
  note(effect: Effect, projectId: string): void
  operation(projectId: string, operationId: string): Operation | undefined
  /** A page of operations, newest first, that starts after `before`; undefined when `before` is unknown. */
  operations(projectId: string, limit: number, before: string | undefined): readonly Operation[] | undefined
  forget(projectId: string): void
  /** Usage of every compute that was ever started, in order of the first start. */
  uses(projectOf: (projectId: string) => Project | undefined): UseRecord[]
  usesOf(project: Project): UseRecord[]
}

type Use = { readonly endpointId: string; readonly wakes: Wake[]; readonly intervals: Interval[] }

export function createSimulatedHistory(): SimulatedHistory {
  // project → endpoint → use, each in order of the first start
  const uses = new Map<string, Map<string, Use>>()
  // project → the newest record of each operation, in order of creation
  const operations = new Map<string, Operation[]>()
  const useOf = (endpointId: string, projectId: string): Use => {
    const ofProject = uses.get(projectId) ?? new Map<string, Use>()
    const use = ofProject.get(endpointId) ?? { endpointId, wakes: [], intervals: [] }
    uses.set(projectId, ofProject.set(endpointId, use))
    return use
  }
  const operationsOf = (projectId: string): Operation[] => operations.get(projectId) ?? []
  const recordsOf = (projectId: string, project: Project | undefined): UseRecord[] =>
    [...(uses.get(projectId)?.values() ?? [])].map((use) => ({
      ...use,
      projectId,
      open: project && computeOf(project, use.endpointId)?.meter.open,
    }))
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
    uses: (projectOf) => [...uses.keys()].flatMap((projectId) => recordsOf(projectId, projectOf(projectId))),
    usesOf: (project) => recordsOf(project.id, project),
  }
}

const indexOf = (operations: readonly Operation[], operationId: string): number =>
  operations.findLastIndex(({ id }) => id === operationId)

/** Index of an operation, -1 for a new one. Searches only operations that were not created before it. */
function recentIndexOf(operations: readonly Operation[], { id, createdAt }: Operation): number {
  const index = operations.findLastIndex((other) => other.id === id || other.createdAt < createdAt)
  return operations[index]?.id === id ? index : -1
}
