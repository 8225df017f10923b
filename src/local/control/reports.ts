// What the shell reports, folded into the project.
import { type Draft, computeOf, enqueue, withCompute, withEffects, withQueue } from './draft.ts'
import type { Effect, Report } from './events.ts'
import { closeMeter, openMeter } from './meter.ts'
import {
  type Compute,
  type OpenOperation,
  type Operation,
  type WakeCause,
  delayOf,
  lastActivityOf,
  noteActivity,
} from './project.ts'
import { BY_CONFIG, endOperation, refuseClients, runQueue } from './queue.ts'

/** Reports of a compute that is gone, or that come too late to mean anything, change nothing. */
export function report(draft: Draft, seen: Report): Draft {
  if (seen.kind === 'time') return suspendDue(draft)
  if (seen.kind === 'recovered') return recover(draft)
  const compute = computeOf(draft.project, seen.endpointId)
  if (!compute) return withEffects(draft, gone(seen.endpointId))
  switch (seen.kind) {
    case 'started':
      return started(draft, compute)
    case 'start-failed':
      return startFailed(draft, compute, seen.message)
    case 'stopped':
      return stopped(draft, compute)
    case 'died':
      return died(draft, compute, seen.message)
    case 'configured':
      return headOf(draft, compute)?.plan.kind === 'configure' ? endOperation(draft, 'finished') : draft
    case 'client-waiting':
      return clientWaiting(draft, compute, seen.cause)
    case 'activity':
      return active(draft, compute, seen.at)
  }
}

const gone = (endpointId: string): Effect => ({
  kind: 'refuse-clients',
  endpointId,
  because: `endpoint not found: ${endpointId}`,
})

/** The operation that is being worked on, when it concerns this compute. */
function headOf({ project }: Draft, compute: Compute): OpenOperation | undefined {
  const head = project.queue[0]
  return head?.begun && head.operation.endpointId === compute.id ? head : undefined
}

function started(draft: Draft, compute: Compute): Draft {
  const head = headOf(draft, compute)
  if (!head || compute.state === 'active') return draft
  const { now } = draft.context
  const awake = withCompute(draft, compute.id, {
    state: 'active',
    pending:
      draft.project.queue[1]?.plan.kind === 'suspend-unless-used' && !compute.wanted ? 'idle' : undefined,
    startedAt: now,
    wanted: undefined,
    meter: openMeter(compute.meter, now, compute.config.minCu),
    // last_active is absent only until the compute has been active (S-35)
    activity:
      lastActivityOf(compute.activity) === undefined ? { settled: now, recent: [] } : compute.activity,
  })
  const cause = head.plan.kind === 'start' ? head.plan.cause : BY_CONFIG
  const admitted = withEffects(
    awake,
    { kind: 'write-wake', endpointId: compute.id, wake: { at: now, cause } },
    { kind: 'admit-clients', endpointId: compute.id },
  )
  return endOperation(compute.wanted ? keepAwake(admitted) : admitted, 'finished')
}

/** A client came while the compute was started for a change: the suspend that follows is skipped. */
const keepAwake = (draft: Draft): Draft =>
  withQueue(
    draft,
    draft.project.queue.map((open) =>
      open.plan.kind === 'suspend-unless-used' ? { ...open, plan: { kind: 'skip' } } : open,
    ),
  )

function startFailed(draft: Draft, compute: Compute, message: string): Draft {
  if (!headOf(draft, compute) || compute.state === 'active') return draft
  const idle = withCompute(draft, compute.id, { state: 'idle', pending: undefined, wanted: undefined })
  const refused = withEffects(idle, {
    kind: 'refuse-clients',
    endpointId: compute.id,
    because: `endpoint ${compute.id} could not be started: ${message}`,
  })
  return endOperation(refused, 'error', message)
}

/** The compute no longer runs: closes its interval at `now` and drops what is connected. */
function asleep(draft: Draft, compute: Compute): Draft {
  const { now } = draft.context
  const { meter, interval } = closeMeter(compute.meter, now)
  const idle = withCompute(draft, compute.id, { state: 'idle', pending: undefined, suspendedAt: now, meter })
  const dropped = withEffects(idle, { kind: 'drop-connections', endpointId: compute.id })
  return interval
    ? withEffects(dropped, { kind: 'write-interval', endpointId: compute.id, interval })
    : dropped
}

function stopped(draft: Draft, compute: Compute): Draft {
  const plan = headOf(draft, compute)?.plan
  if (compute.state !== 'active') return draft
  if (plan?.kind !== 'suspend' && plan?.kind !== 'suspend-unless-used')
    return died(draft, compute, 'stopped unasked')
  const idle = asleep(draft, compute)
  const again = plan.kind === 'suspend' ? plan.restart : undefined
  const restarting = again
    ? enqueue(idle, compute, [['start_compute', { kind: 'start', cause: again }]])
    : idle
  return endOperation(restarting, 'finished')
}

/** A server that ended by itself. Whatever was being done to it ends with it; a record says when it fell asleep. */
function died(draft: Draft, compute: Compute, message: string): Draft {
  const head = headOf(draft, compute)
  if (compute.state !== 'active') return startFailed(draft, compute, message)
  if (head?.plan.kind === 'suspend' || head?.plan.kind === 'suspend-unless-used')
    return stopped(draft, compute)
  const idle = recordSuspend(asleep(draft, compute), compute)
  return head ? endOperation(idle, 'error', message) : runQueue(idle)
}

/** Writes the `suspend_compute` of a suspension that nobody scheduled. */
function recordSuspend(draft: Draft, compute: Compute): Draft {
  const { now, operationId } = draft.context
  const operation: Operation = {
    id: operationId(),
    projectId: draft.project.id,
    branchId: compute.branchId,
    endpointId: compute.id,
    action: 'suspend_compute',
    status: 'finished',
    failures: 0,
    error: undefined,
    createdAt: now,
    updatedAt: now,
  }
  return withEffects(draft, { kind: 'write-operation', operation })
}

function clientWaiting(draft: Draft, compute: Compute, cause: WakeCause): Draft {
  if (compute.config.disabled) return refuseClients(draft, compute.id, `endpoint ${compute.id} is disabled`)
  if (compute.state === 'active' && !compute.pending) {
    return withEffects(draft, { kind: 'admit-clients', endpointId: compute.id })
  }
  return compute.wanted
    ? draft
    : runQueue(withCompute(draft, compute.id, { wanted: cause, updatedAt: compute.updatedAt }))
}

function active(draft: Draft, compute: Compute, at: number): Draft {
  if (compute.state !== 'active') return draft
  const activity = noteActivity(compute.activity, at, draft.context.settings.lastActiveLag)
  return withCompute(draft, compute.id, { activity, updatedAt: compute.updatedAt })
}

/** When inactivity suspends the compute: the delay after its start or its last activity, whichever is later. */
export function suspendAt({ state, config, startedAt, activity }: Compute): number | undefined {
  const delay = delayOf(config)
  if (state !== 'active' || startedAt === undefined || delay === undefined) return undefined
  return Math.max(startedAt, lastActivityOf(activity) ?? startedAt) + delay
}

/** While operations are open nothing is suspended: the step that ends the last one looks again. */
function suspendDue(draft: Draft): Draft {
  if (draft.project.queue.length > 0) return draft
  const isDue = (compute: Compute): boolean => (suspendAt(compute) ?? Infinity) <= draft.context.now
  return runQueue(
    draft.project.computes
      .filter(isDue)
      .reduce(
        (next, compute) =>
          enqueue(next, compute, [['suspend_compute', { kind: 'suspend', restart: undefined }]]),
        draft,
      ),
  )
}

/** The shell starts anew and no process is left: awake computes end now, open operations are cancelled. */
function recover(draft: Draft): Draft {
  const { now } = draft.context
  const cancelled = draft.project.queue.map(({ operation }): Effect => ({
    kind: 'write-operation',
    operation: { ...operation, status: 'cancelled', updatedAt: now },
  }))
  const emptied = cancelled.length > 0 ? withQueue(withEffects(draft, ...cancelled), []) : draft
  return emptied.project.computes.reduce((next, compute) => {
    if (compute.state === 'active')
      return withoutClient(recordSuspend(asleep(next, compute), compute), compute)
    return compute.state === 'init' || compute.pending || compute.wanted ? withoutClient(next, compute) : next
  }, emptied)
}

const withoutClient = (draft: Draft, { id }: Compute): Draft =>
  withCompute(draft, id, { state: 'idle', pending: undefined, wanted: undefined })
