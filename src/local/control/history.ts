import type { UseRecord } from './account.ts'
import { computeOf } from './draft.ts'
import type { Effect, Interval, Wake } from './events.ts'
import type { Operation, Project } from './project.ts'

/** What the shell of the real service writes to its disk, in memory. */
export type History = {
  note(effect: Effect, projectId: string): void
  operation(projectId: string, operationId: string): Operation | undefined
  /** Newest first; undefined when `before` is unknown. */
  operations(projectId: string, limit: number, before: string | undefined): readonly Operation[] | undefined
  forget(projectId: string): void
  /** Use of every compute that was ever started, in order of the first start. */
  uses(projectOf: (projectId: string) => Project | undefined): UseRecord[]
  usesOf(project: Project): UseRecord[]
}

type Use = { readonly endpointId: string; readonly wakes: Wake[]; readonly intervals: Interval[] }

export function createHistory(): History {
  // project → endpoint → use, each in order of the first start
  const uses = new Map<string, Map<string, Use>>()
  // project → operation id → its newest record, in order of creation
  const operations = new Map<string, Map<string, Operation>>()
  const useOf = (endpointId: string, projectId: string): Use => {
    const ofProject = uses.get(projectId) ?? new Map<string, Use>()
    const known = ofProject.get(endpointId) ?? { endpointId, wakes: [], intervals: [] }
    uses.set(projectId, ofProject.set(endpointId, known))
    return known
  }
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
      const known = operations.get(projectId) ?? new Map<string, Operation>()
      operations.set(projectId, known.set(effect.operation.id, effect.operation))
    },
    operation: (projectId, operationId) => operations.get(projectId)?.get(operationId),
    operations: (projectId, limit, before) => {
      const known = operations.get(projectId) ?? new Map<string, Operation>()
      if (before !== undefined && !known.has(before)) return undefined
      const newest = [...known.values()].toReversed()
      const from = before === undefined ? 0 : newest.findIndex(({ id }) => id === before) + 1
      return newest.slice(from, from + limit)
    },
    forget: (projectId) => void operations.delete(projectId),
    uses: (projectOf) => [...uses.keys()].flatMap((projectId) => recordsOf(projectId, projectOf(projectId))),
    usesOf: (project) => recordsOf(project.id, project),
  }
}
