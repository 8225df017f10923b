// The queue of a project: one operation at a time, in order.
import {
  type Draft,
  branchOf,
  computeOf,
  enqueue,
  subjectOf,
  withCompute,
  withEffects,
  withHead,
  withQueue,
} from '../draft.ts'
import type { Compute, OpenOperation, Operation, Plan } from '../project.ts'
import { lastActivityOf, replicasOf } from '../project.ts'
import { exceededQuota } from '../usage/quota.ts'

/** Starts the first operation unless it runs or waits for a retry; without one, serves waiting clients. */
export function runQueue(draft: Draft): Draft {
  const head = draft.project.queue[0]
  if (!head) return serveWaiting(draft)
  if (head.isStarted || (head.operation.retryAt ?? 0) > draft.context.now) return draft
  const change = { status: 'running', retryAt: undefined } as const
  return startOperation(withHead(draft, { ...head, isStarted: true }, change), head)
}

export function endOperation(draft: Draft, status: Operation['status'], error?: string): Draft {
  const [head, ...rest] = draft.project.queue
  if (!head) return draft
  const failures = head.operation.failures + (status === 'error' ? 1 : 0)
  return runQueue(withQueue(withHead(draft, head, { status, error, failures }), rest))
}

function startOperation(draft: Draft, { operation, plan }: OpenOperation): Draft {
  const { branchId } = operation
  if (plan.kind === 'copy-branch') return withEffects(draft, { ...plan, branchId })
  if (plan.kind === 'remove-branch') return withEffects(draft, { kind: 'remove-branch', branchId })
  const compute = computeOf(draft.project, operation.endpointId ?? '')
  return compute ? startComputeOperation(draft, compute, plan) : endOperation(draft, 'cancelled')
}

type ComputePlan = Exclude<Plan, { readonly kind: 'copy-branch' | 'remove-branch' }>

function startComputeOperation(draft: Draft, compute: Compute, plan: ComputePlan): Draft {
  switch (plan.kind) {
    case 'start':
      return startProcess(draft, compute)
    case 'suspend':
      return stopProcess(draft, compute, plan.why === 'suspend-call' ? graceOf(draft) : 0)
    case 'suspend-unless-used':
      return wasUsedSinceStart(compute) ? skip(draft, compute) : stopProcess(draft, compute, 0)
    case 'configure':
      return configure(draft, compute)
    case 'skip':
      return skip(draft, compute)
  }
}

/** Before a suspension that an API client requested, seconds. */
function graceOf({ context }: Draft): number {
  const { suspendDrops } = context.settings
  return suspendDrops === true ? 0 : suspendDrops.grace
}

function orderProcess(draft: Draft, compute: Compute, kind: 'start-process' | 'configure'): Draft {
  const branch = branchOf(draft.project, compute.branchId)
  if (!branch) return draft
  const { id: endpointId, type, config } = compute
  const replicaIds = replicasOf(draft.project, branch.id).map(({ id }) => id)
  return withEffects(draft, { kind, endpointId, type, branch, config, replicaIds })
}

function startProcess(draft: Draft, compute: Compute): Draft {
  if (compute.state === 'active' || exceededQuota(draft)) return skip(draft, compute)
  return orderProcess(withCompute(draft, compute.id, { pending: 'active' }), compute, 'start-process')
}

function stopProcess(draft: Draft, compute: Compute, grace: number): Draft {
  if (compute.state !== 'active') return skip(draft, compute)
  const stopping = withCompute(draft, compute.id, { pending: 'idle' })
  return withEffects(stopping, { kind: 'stop-process', endpointId: compute.id, grace })
}

/** An idle compute starts if the next operation suspends it again. */
function configure(draft: Draft, compute: Compute): Draft {
  if (compute.state === 'active') return orderProcess(draft, compute, 'configure')
  const wakes = draft.project.queue[1]?.plan.kind === 'suspend-unless-used'
  return wakes ? startProcess(draft, compute) : endOperation(draft, 'finished')
}

function skip(draft: Draft, { id, state }: Compute): Draft {
  const settled = { pending: undefined, state: state === 'init' ? 'idle' : state } as const
  return endOperation(withCompute(draft, id, settled), 'skipped')
}

function wasUsedSinceStart({ activity, startedAt }: Compute): boolean {
  const last = lastActivityOf(activity)
  return last !== undefined && startedAt !== undefined && last > startedAt
}

/** Admits or refuses waiting clients, or wakes their compute. */
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

/** Undefined when the compute may serve. */
export function reasonNotServed(draft: Draft, { id, config, state }: Compute): string | undefined {
  if (config.disabled) return `endpoint ${id} is disabled`
  return state === 'active' ? undefined : exceededQuota(draft)
}

export function refuseClients(draft: Draft, endpointId: string, because: string): Draft {
  const refused = withCompute(draft, endpointId, { wanted: undefined })
  return runQueue(withEffects(refused, { kind: 'refuse-clients', endpointId, because }))
}
