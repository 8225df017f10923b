import type { UseRecord } from '../usage/usage.ts'
import type { Effect, Interval, Wake } from '../events.ts'
import type { Operation } from '../project.ts'
import { MAX_RECORDS, type Mutation, type Stop } from '../records.ts'

type Use = Omit<UseRecord, 'open'> &
  Readonly<{ wakes: Wake[]; intervals: Interval[]; stops: Stop[]; mutations: Mutation[] }>

/** Operations and usage in memory; the real service stores them. */
export function createSimulatedHistory() {
  // project → endpoint → use, in order of the first start or change
  const uses = new Map<string, Map<string, Use>>()
  // project → newest record of each operation, in order of creation
  const operations = new Map<string, Operation[]>()
  const useOf = (endpointId: string, projectId: string) => {
    const ofProject = uses.get(projectId) ?? new Map<string, Use>()
    const use = ofProject.get(endpointId) ?? emptyUse(endpointId, projectId)
    uses.set(projectId, ofProject.set(endpointId, use))
    return use
  }
  const operationsOf = (projectId: string) => operations.get(projectId) ?? []
  return {
    note: (effect: Effect, projectId: string) => {
      if (effect.kind === 'write-wake') useOf(effect.endpointId, projectId).wakes.push(effect.wake)
      const { kind } = effect
      if (kind === 'write-stop') addNewest(useOf(effect.endpointId, projectId).stops, effect.stop)
      if (kind === 'write-mutation') addNewest(useOf(effect.endpointId, projectId).mutations, effect.mutation)
      if (kind === 'write-interval') useOf(effect.endpointId, projectId).intervals.push(effect.interval)
      if (kind !== 'write-operation') return
      const ofProject = operationsOf(projectId)
      const index = recentIndexOf(ofProject, effect.operation)
      ofProject[index === -1 ? ofProject.length : index] = effect.operation
      operations.set(projectId, ofProject)
    },
    operation: (projectId: string, operationId: string) =>
      operationsOf(projectId).findLast(({ id }) => id === operationId),
    /** Newest first, after `before`; undefined when that is unknown. */
    operations: (projectId: string, limit: number, before: string | undefined) => {
      const ofProject = operationsOf(projectId)
      const end = before === undefined ? ofProject.length : ofProject.findLastIndex(({ id }) => id === before)
      return end === -1 ? undefined : ofProject.slice(Math.max(0, end - limit), end).toReversed()
    },
    forget: (projectId: string) => void operations.delete(projectId),
    /** Uses in order of the first start or change. */
    uses: () => [...uses.values()].flatMap((ofProject) => [...ofProject.values()]),
    usesOf: (projectId: string) => [...(uses.get(projectId)?.values() ?? [])],
  }
}

const emptyUse = (endpointId: string, projectId: string): Use => ({
  projectId,
  endpointId,
  wakes: [],
  intervals: [],
  stops: [],
  mutations: [],
})

function addNewest<Item>(items: Item[], item: Item): void {
  if (items.length === MAX_RECORDS) items.shift()
  items.push(item)
}

/** -1 for a new operation. Skips those created before it. */
function recentIndexOf(operations: readonly Operation[], { id, createdAt }: Operation): number {
  const index = operations.findLastIndex((other) => other.id === id || other.createdAt < createdAt)
  return operations[index]?.id === id ? index : -1
}
