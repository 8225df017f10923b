// The queue of a project: one operation at a time, in order.
import type { Effect } from '../events.ts'
import {
  type Draft,
  branchOf,
  computeOf,
  enqueue,
  subjectOf,
  withCompute,
  withEffects,
  withQueue,
} from '../draft.ts'
import {
  type Compute,
  type OpenOperation,
  type Operation,
  type OperationStatus,
  lastActivityOf,
  replicasOf,
} from '../project.ts'
import { exceededQuota } from '../usage/quota.ts'

/** Starts the first operation unless it is started or waits for its next attempt; without one, serves waiting clients. */
export function runQueue(draft: Draft): Draft {
  const head = draft.project.queue[0]
  if (!head) return serveWaiting(draft)
  if (head.isStarted || (head.operation.retryAt ?? 0) > draft.context.now) return draft
  const operation: Operation = {
    ...head.operation,
    status: 'running',
    retryAt: undefined,
    updatedAt: draft.context.now,
  }
  const next = withQueue(draft, [{ ...head, isStarted: true, operation }, ...draft.project.queue.slice(1)])
  return startOperation(next, operation, head.plan)
}

/** Ends the first operation and runs the queue further. */
export function endOperation(draft: Draft, status: OperationStatus, error?: string): Draft {
  const [head, ...rest] = draft.project.queue
  if (!head) return draft
  const operation: Operation = {
    ...head.operation,
    status,
    error,
    failures: head.operation.failures + (status === 'error' ? 1 : 0),
    updatedAt: draft.context.now,
  }
  return runQueue(withEffects(withQueue(draft, rest), { kind: 'write-operation', operation }))
}

function startOperation(draft: Draft, operation: Operation, plan: OpenOperation['plan']): Draft {
  const running = withEffects(draft, { kind: 'write-operation', operation })
  const { branchId } = operation
  if (plan.kind === 'copy-branch')
    return withEffects(running, { kind: 'copy-branch', branchId, parentId: plan.parentId })
  if (plan.kind === 'remove-branch') return withEffects(running, { kind: 'remove-branch', branchId })
  const compute = computeOf(draft.project, operation.endpointId ?? '')
  return compute ? startComputeOperation(running, compute, plan) : endOperation(running, 'cancelled')
}

type ComputePlan = Exclude<OpenOperation['plan'], { readonly kind: 'copy-branch' | 'remove-branch' }>

function startComputeOperation(draft: Draft, compute: Compute, plan: ComputePlan): Draft {
  switch (plan.kind) {
    case 'start':
      return startProcess(draft, compute)
    case 'suspend':
      return stopProcess(draft, compute, graceOf(draft, plan.isRequested === true))
    case 'suspend-unless-used':
      return wasUsedSinceStart(compute) ? skip(draft, compute) : stopProcess(draft, compute, 0)
    case 'configure':
      return configure(draft, compute)
    case 'skip':
      return skip(draft, compute)
  }
}

/** Time for clients to leave before a suspension that an API client requested, seconds. */
function graceOf({ context }: Draft, isRequested: boolean): number {
  const { suspendDrops } = context.settings
  return isRequested && suspendDrops !== true ? suspendDrops.grace : 0
}

function processEffects(draft: Draft, compute: Compute, kind: 'start-process' | 'configure'): Effect[] {
  const branch = branchOf(draft.project, compute.branchId)
  if (!branch) return []
  const { id: endpointId, type, config } = compute
  const replicaIds = replicasOf(draft.project, branch.id).map(({ id }) => id)
  return [{ kind, endpointId, type, branch, config, replicaIds }]
}

function startProcess(draft: Draft, compute: Compute): Draft {
  if (compute.state === 'active' || exceededQuota(draft)) return skip(draft, compute)
  return withEffects(
    withCompute(draft, compute.id, { pending: 'active' }),
    ...processEffects(draft, compute, 'start-process'),
  )
}

function stopProcess(draft: Draft, compute: Compute, grace: number): Draft {
  if (compute.state !== 'active') return skip(draft, compute)
  return withEffects(withCompute(draft, compute.id, { pending: 'idle' }), {
    kind: 'stop-process',
    endpointId: compute.id,
    grace,
  })
}

/** Applies a change. An idle compute starts for it when the next operation suspends it again. */
function configure(draft: Draft, compute: Compute): Draft {
  if (compute.state === 'active') return withEffects(draft, ...processEffects(draft, compute, 'configure'))
  const wakes = draft.project.queue[1]?.plan.kind === 'suspend-unless-used'
  return wakes ? startProcess(draft, compute) : endOperation(draft, 'finished')
}

const skip = (draft: Draft, compute: Compute): Draft =>
  endOperation(
    withCompute(draft, compute.id, {
      pending: undefined,
      state: compute.state === 'init' ? 'idle' : compute.state,
    }),
    'skipped',
  )

function wasUsedSinceStart({ activity, startedAt }: Compute): boolean {
  const last = lastActivityOf(activity)
  return last !== undefined && startedAt !== undefined && last > startedAt
}

/** Admits or refuses waiting clients, or starts the compute they wait for. */
function serveWaiting(draft: Draft): Draft {
  const compute = draft.project.computes.find(({ wanted }) => wanted !== undefined)
  if (!compute?.wanted) return draft
  const reason = reasonNotServed(draft, compute)
  if (reason) return refuseClients(draft, compute.id, reason)
  if (compute.state === 'active') {
    const admitted = withCompute(draft, compute.id, { wanted: undefined })
    return serveWaiting(withEffects(admitted, { kind: 'admit-clients', endpointId: compute.id }))
  }
  const cause = compute.wanted
  return runQueue(enqueue(draft, subjectOf(compute), [['start_compute', { kind: 'start', cause }]]))
}

/** Reason why the compute serves no client now; undefined when it may serve. */
export function reasonNotServed(draft: Draft, { id, config, state }: Compute): string | undefined {
  if (config.disabled) return `endpoint ${id} is disabled`
  return state === 'active' ? undefined : exceededQuota(draft)
}

export const refuseClients = (draft: Draft, endpointId: string, because: string): Draft =>
  runQueue(
    withEffects(withCompute(draft, endpointId, { wanted: undefined }), {
      kind: 'refuse-clients',
      endpointId,
      because,
    }),
  )
