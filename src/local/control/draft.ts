import type { Context, Effect } from './events.ts'
import type { Action, Compute, OpenOperation, Plan, Project } from './project.ts'

/** A step under way: the project as far as it got, and the effects so far. */
export type Draft = {
  readonly project: Project
  readonly effects: readonly Effect[]
  readonly context: Context
}

export const computeOf = (project: Project, endpointId: string): Compute | undefined =>
  project.computes.find((compute) => compute.id === endpointId)

export const withEffects = (draft: Draft, ...effects: readonly Effect[]): Draft => ({
  ...draft,
  effects: [...draft.effects, ...effects],
})

/** Changes one compute; a change of anything but activity is a new `updatedAt`. */
export const withCompute = (draft: Draft, endpointId: string, change: Partial<Compute>): Draft => ({
  ...draft,
  project: {
    ...draft.project,
    computes: draft.project.computes.map((compute) =>
      compute.id === endpointId ? { ...compute, updatedAt: draft.context.now, ...change } : compute,
    ),
  },
})

export const withQueue = (draft: Draft, queue: readonly OpenOperation[]): Draft => ({
  ...draft,
  project: { ...draft.project, queue, updatedAt: draft.context.now },
})

/** Appends operations for one compute; the very first of an empty queue is `running`, as the API answers it. */
export function enqueue(draft: Draft, compute: Compute, steps: readonly (readonly [Action, Plan])[]): Draft {
  const { now, operationId } = draft.context
  const added = steps.map(([action, plan], index): OpenOperation => ({
    plan,
    begun: false,
    operation: {
      id: operationId(),
      projectId: draft.project.id,
      branchId: compute.branchId,
      endpointId: compute.id,
      action,
      status: draft.project.queue.length === 0 && index === 0 ? 'running' : 'scheduling',
      failures: 0,
      error: undefined,
      createdAt: now,
      updatedAt: now,
    },
  }))
  const written = added.map(({ operation }): Effect => ({ kind: 'write-operation', operation }))
  return withEffects(withQueue(draft, [...draft.project.queue, ...added]), ...written)
}
