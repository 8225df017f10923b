// The queue of a project: one operation at a time, in order.
import type { Effect } from './events.ts'
import { type Draft, computeOf, enqueue, withCompute, withEffects, withQueue } from './draft.ts'
import {
  type Compute,
  type OpenOperation,
  type Operation,
  type OperationStatus,
  type WakeCause,
  lastActivityOf,
} from './project.ts'

/** Why a compute starts for a change of its configuration. */
export const BY_CONFIG: WakeCause = { kind: 'config', applicationName: undefined, user: undefined }

/** Goes on as far as possible without the outside world: begins the first operation, or serves a client that waits. */
export function runQueue(draft: Draft): Draft {
  const head = draft.project.queue[0]
  if (!head) return serveWanted(draft)
  if (head.begun) return draft
  const compute = computeOf(draft.project, head.operation.endpointId)
  const begun: OpenOperation = { ...head, begun: true, operation: { ...head.operation, status: 'running' } }
  const next = withQueue(draft, [begun, ...draft.project.queue.slice(1)])
  return compute ? begin(next, compute, begun) : endOperation(next, 'cancelled')
}

/** Ends the first operation and goes on with the next. */
export function endOperation(draft: Draft, status: OperationStatus, error?: string): Draft {
  const [head, ...rest] = draft.project.queue
  if (!head) return draft
  const operation: Operation = {
    ...head.operation,
    status,
    error,
    failures: status === 'error' ? 1 : 0,
    updatedAt: draft.context.now,
  }
  return runQueue(withEffects(withQueue(draft, rest), { kind: 'write-operation', operation }))
}

function begin(draft: Draft, compute: Compute, open: OpenOperation): Draft {
  const running = withEffects(draft, { kind: 'write-operation', operation: open.operation })
  switch (open.plan.kind) {
    case 'start':
      return beginStart(running, compute)
    case 'suspend':
      return beginSuspend(running, compute)
    case 'suspend-unless-used':
      return usedSinceStart(compute) ? beginSkip(running, compute) : beginSuspend(running, compute)
    case 'configure':
      return beginConfigure(running, compute)
    case 'skip':
      return beginSkip(running, compute)
  }
}

function beginStart(draft: Draft, compute: Compute): Draft {
  if (compute.state === 'active') return beginSkip(draft, compute)
  const { id: endpointId, branchId, config } = compute
  const start: Effect = { kind: 'start-process', endpointId, branchId, config }
  return withEffects(withCompute(draft, endpointId, { pending: 'active' }), start)
}

function beginSuspend(draft: Draft, compute: Compute): Draft {
  if (compute.state !== 'active') return beginSkip(draft, compute)
  return withEffects(withCompute(draft, compute.id, { pending: 'idle' }), {
    kind: 'stop-process',
    endpointId: compute.id,
  })
}

/** An idle compute is started for the change when the queue then lets it sleep again. */
function beginConfigure(draft: Draft, compute: Compute): Draft {
  if (compute.state === 'active') {
    return withEffects(draft, { kind: 'configure', endpointId: compute.id, config: compute.config })
  }
  const wakes = draft.project.queue[1]?.plan.kind === 'suspend-unless-used'
  return wakes ? beginStart(draft, compute) : endOperation(draft, 'finished')
}

const beginSkip = (draft: Draft, compute: Compute): Draft =>
  endOperation(withCompute(draft, compute.id, { pending: undefined }), 'skipped')

function usedSinceStart({ activity, startedAt }: Compute): boolean {
  const last = lastActivityOf(activity)
  return last !== undefined && startedAt !== undefined && last > startedAt
}

/** With nothing else to do, starts the compute a client waits for. */
function serveWanted(draft: Draft): Draft {
  const compute = draft.project.computes.find(({ wanted }) => wanted !== undefined)
  if (!compute?.wanted) return draft
  if (compute.config.disabled) return refuseClients(draft, compute.id, `endpoint ${compute.id} is disabled`)
  if (compute.state === 'active') {
    const admitted = withCompute(draft, compute.id, { wanted: undefined })
    return serveWanted(withEffects(admitted, { kind: 'admit-clients', endpointId: compute.id }))
  }
  const start = enqueue(draft, compute, [['start_compute', { kind: 'start', cause: compute.wanted }]])
  return runQueue(start)
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
