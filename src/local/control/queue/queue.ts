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
  type WakeCause,
  lastActivityOf,
} from '../project.ts'
import { exceededQuota } from '../usage/quota.ts'
import { replicasOf } from '../requests/replicas.ts'

/** Why a compute starts for a change of its configuration. */
export const BY_CONFIG: WakeCause = { kind: 'config', applicationName: undefined, user: undefined }

/** Goes on as far as possible without the outside world: begins the first operation, or serves a client that waits. */
export function runQueue(draft: Draft): Draft {
  const head = draft.project.queue[0]
  if (!head) return serveWanted(draft)
  if (head.begun || (head.operation.retryAt ?? 0) > draft.context.now) return draft
  const operation: Operation = {
    ...head.operation,
    status: 'running',
    retryAt: undefined,
    updatedAt: draft.context.now,
  }
  const next = withQueue(draft, [{ ...head, begun: true, operation }, ...draft.project.queue.slice(1)])
  return begin(next, operation, head.plan)
}

/** Ends the first operation and goes on with the next. */
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

function begin(draft: Draft, operation: Operation, plan: OpenOperation['plan']): Draft {
  const running = withEffects(draft, { kind: 'write-operation', operation })
  const { branchId } = operation
  if (plan.kind === 'copy-branch')
    return withEffects(running, { kind: 'copy-branch', branchId, parentId: plan.parentId })
  if (plan.kind === 'remove-branch') return withEffects(running, { kind: 'remove-branch', branchId })
  const compute = computeOf(draft.project, operation.endpointId ?? '')
  return compute ? beginFor(running, compute, plan) : endOperation(running, 'cancelled')
}

type ComputePlan = Exclude<OpenOperation['plan'], { readonly kind: 'copy-branch' | 'remove-branch' }>

function beginFor(draft: Draft, compute: Compute, plan: ComputePlan): Draft {
  switch (plan.kind) {
    case 'start':
      return beginStart(draft, compute)
    case 'suspend':
      return beginSuspend(draft, compute, graceOf(draft, plan.asked))
    case 'suspend-unless-used':
      return usedSinceStart(compute) ? beginSkip(draft, compute) : beginSuspend(draft, compute, 0)
    case 'configure':
      return beginConfigure(draft, compute)
    case 'skip':
      return beginSkip(draft, compute)
  }
}

/** Seconds clients may take to leave when a client of the API asked for the suspension. */
function graceOf({ context }: Draft, asked: boolean): number {
  const { suspendDrops } = context.settings
  return asked && suspendDrops !== true ? suspendDrops.grace : 0
}

function orderFor(draft: Draft, compute: Compute, kind: 'start-process' | 'configure'): Effect[] {
  const branch = branchOf(draft.project, compute.branchId)
  if (!branch) return []
  const { id: endpointId, type, config } = compute
  const replicaIds = replicasOf(draft.project, branch.id).map(({ id }) => id)
  return [{ kind, endpointId, type, branch, config, replicaIds }]
}

function beginStart(draft: Draft, compute: Compute): Draft {
  if (compute.state === 'active' || exceededQuota(draft.project, draft.context.now))
    return beginSkip(draft, compute)
  return withEffects(
    withCompute(draft, compute.id, { pending: 'active' }),
    ...orderFor(draft, compute, 'start-process'),
  )
}

function beginSuspend(draft: Draft, compute: Compute, grace: number): Draft {
  if (compute.state !== 'active') return beginSkip(draft, compute)
  return withEffects(withCompute(draft, compute.id, { pending: 'idle' }), {
    kind: 'stop-process',
    endpointId: compute.id,
    grace,
  })
}

/** An idle compute is started for the change when the queue then lets it sleep again. */
function beginConfigure(draft: Draft, compute: Compute): Draft {
  if (compute.state === 'active') return withEffects(draft, ...orderFor(draft, compute, 'configure'))
  const wakes = draft.project.queue[1]?.plan.kind === 'suspend-unless-used'
  return wakes ? beginStart(draft, compute) : endOperation(draft, 'finished')
}

const beginSkip = (draft: Draft, compute: Compute): Draft =>
  endOperation(
    withCompute(draft, compute.id, {
      pending: undefined,
      state: compute.state === 'init' ? 'idle' : compute.state,
    }),
    'skipped',
  )

function usedSinceStart({ activity, startedAt }: Compute): boolean {
  const last = lastActivityOf(activity)
  return last !== undefined && startedAt !== undefined && last > startedAt
}

/** With nothing else to do, starts the compute a client waits for. */
function serveWanted(draft: Draft): Draft {
  const compute = draft.project.computes.find(({ wanted }) => wanted !== undefined)
  if (!compute?.wanted) return draft
  const reason = reasonNotServed(draft, compute)
  if (reason) return refuseClients(draft, compute.id, reason)
  if (compute.state === 'active') {
    const admitted = withCompute(draft, compute.id, { wanted: undefined })
    return serveWanted(withEffects(admitted, { kind: 'admit-clients', endpointId: compute.id }))
  }
  const cause = compute.wanted
  return runQueue(enqueue(draft, subjectOf(compute), [['start_compute', { kind: 'start', cause }]]))
}

/** Why no client may have this compute now; undefined when one may. */
export function reasonNotServed({ project, context }: Draft, compute: Compute): string | undefined {
  if (compute.config.disabled) return `endpoint ${compute.id} is disabled`
  return compute.state === 'active' ? undefined : exceededQuota(project, context.now)
}

/** Tells the clients that wait for a compute why they wait in vain. */
export const refuseClients = (draft: Draft, endpointId: string, because: string): Draft =>
  runQueue(
    withEffects(withCompute(draft, endpointId, { wanted: undefined }), {
      kind: 'refuse-clients',
      endpointId,
      because,
    }),
  )
