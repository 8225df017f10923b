import type { UseRecord } from './usage.ts'
import { computeOf } from '../draft.ts'
import type { Effect, Interval, Wake } from '../events.ts'
import type { Operation, Project } from '../project.ts'

/** What the shell of the real service writes to its disk, in memory. */
export type SimulatedHistory = {
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

export function createSimulatedHistory(): SimulatedHistory {
  // project → endpoint → use, each in order of the first start
  const uses = new Map<string, Map<string, Use>>()
  // project → the newest record of each operation, in order of creation
  const operations = new Map<string, Operation[]>()
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
      const known = operations.get(projectId) ?? []
      const place = recentPlaceOf(known, effect.operation)
      if (place === -1) known.push(effect.operation)
      else known[place] = effect.operation
      operations.set(projectId, known)
    },
    operation: (projectId, operationId) => {
      const known = operations.get(projectId) ?? []
      return known[placeOf(known, operationId)]
    },
    operations: (projectId, limit, before) => {
      const known = operations.get(projectId) ?? []
      const end = before === undefined ? known.length : placeOf(known, before)
      return end === -1 ? undefined : known.slice(Math.max(0, end - limit), end).toReversed()
    },
    forget: (projectId) => void operations.delete(projectId),
    uses: (projectOf) => [...uses.keys()].flatMap((projectId) => recordsOf(projectId, projectOf(projectId))),
    usesOf: (project) => recordsOf(project.id, project),
  }
}

const placeOf = (operations: readonly Operation[], operationId: string): number =>
  operations.findLastIndex(({ id }) => id === operationId)

/** The same for one that is being written: what was created before it need not be looked at. */
function recentPlaceOf(operations: readonly Operation[], { id, createdAt }: Operation): number {
  for (let at = operations.length - 1; at >= 0; at -= 1) {
    const known = operations[at]
    if (!known || known.createdAt < createdAt) return -1
    if (known.id === id) return at
  }
  return -1
}
