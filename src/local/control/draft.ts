import type { Context, Effect } from './events.ts'
import { datedAt } from './project.ts'
import type { Action, Branch, Compute, OpenOperation, Operation, Plan, Project } from './project.ts'

/** A step in progress: the project and the effects so far. */
export type Draft = Readonly<{ project: Project; effects: readonly Effect[]; context: Context }>

export const computeOf = (project: Project, endpointId: string): Compute | undefined =>
  project.computes.find((compute) => compute.id === endpointId)

export const withEffects = (draft: Draft, ...effects: readonly Effect[]): Draft => ({
  ...draft,
  effects: [...draft.effects, ...effects],
})

const changed = <Item extends Compute | Branch>(items: readonly Item[], id: string, change: Partial<Item>) =>
  items.map((item) => (item.id === id ? { ...item, ...change } : item))

/** Changes a compute and its `updatedAt`, unless the change contains that. */
export function withCompute(draft: Draft, endpointId: string, change: Partial<Compute>): Draft {
  const { project, context } = draft
  const computes = changed(project.computes, endpointId, { updatedAt: context.now, ...change })
  return { ...draft, project: { ...project, computes } }
}

export const withQueue = (draft: Draft, queue: readonly OpenOperation[]): Draft => {
  const { project, context } = draft
  const updatedAt = context.settings.operationsMoveProject ? context.now : project.updatedAt
  return { ...draft, project: { ...project, queue, updatedAt } }
}

export const writeOperations = (draft: Draft, operations: readonly Operation[]): Draft =>
  withEffects(draft, ...operations.map((operation): Effect => ({ kind: 'write-operation', operation })))

/** Changes the operation in progress and writes its record. */
export function withHead(draft: Draft, head: OpenOperation, change: Partial<Operation>): Draft {
  const operation = { ...head.operation, ...change, updatedAt: draft.context.now }
  const queue = [{ ...head, operation }, ...draft.project.queue.slice(1)]
  return writeOperations(withQueue(draft, queue), [operation])
}

export const withProject = (draft: Draft, change: Partial<Project>): Draft => ({
  ...draft,
  project: { ...draft.project, updatedAt: draft.context.now, ...change },
})

export const branchOf = (project: Project, branchId: string): Branch | undefined =>
  project.branches.find((branch) => branch.id === branchId)

export function withBranch(draft: Draft, branchId: string, change: Partial<Branch>): Draft {
  const { project, context } = draft
  const branches = changed(project.branches, branchId, { updatedAt: context.now, ...change })
  return withProject(draft, { branches })
}

export type PlannedActions = readonly (readonly [Action, Plan])[]

/** A compute, or a whole branch. */
export type Subject = Pick<Operation, 'branchId' | 'endpointId'>

export const subjectOf = ({ id, branchId }: Compute): Subject => ({ branchId, endpointId: id })

/** The first operation of an empty queue is `running`, as the API answers it. */
export function enqueue(draft: Draft, subject: Subject, steps: PlannedActions): Draft {
  const { queue } = draft.project
  const added = steps.map(([action, plan], index) => {
    const status = queue.length === 0 && index === 0 ? 'running' : 'scheduling'
    return { plan, isStarted: false, operation: newOperation(draft, subject, { action, status }) }
  })
  if (added.length === 0) return draft
  const operations = added.map(({ operation }) => operation)
  return writeOperations(withQueue(draft, [...queue, ...added]), operations)
}

export const newOperation = (
  { context, project }: Draft,
  subject: Subject,
  step: Pick<Operation, 'action' | 'status'>,
): Operation => ({
  id: context.operationId(),
  projectId: project.id,
  ...subject,
  ...step,
  failures: 0,
  error: undefined,
  retryAt: undefined,
  ...datedAt(context.now),
})

/** Refuses the clients of a compute that does not exist. */
export const refuseUnknown = (endpointId: string): Effect => ({
  kind: 'refuse-clients',
  endpointId,
  because: `endpoint not found: ${endpointId}`,
})
