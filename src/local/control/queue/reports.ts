// What the shell reports, folded into the project.
import {
  type Draft,
  computeOf,
  enqueue,
  newOperation,
  subjectOf,
  withCompute,
  withEffects,
  withQueue,
} from '../draft.ts'
import { resizeTo } from '../sizing/autoscale.ts'
import { branchReport, resumeCopies } from './branch-reports.ts'
import { applyDue } from './due.ts'
import type { Effect, Report } from '../events.ts'
import { closeMeter, openMeter } from '../usage/meter.ts'
import {
  type ActivityLog,
  type Compute,
  type OpenOperation,
  type Operation,
  type WakeCause,
  lastActivityOf,
  noteActivity,
  releaseAt,
} from '../project.ts'
import { BY_CONFIG, endOperation, refuseClients, runQueue, reasonNotServed } from './queue.ts'

/** Reports of a compute that is gone, or that come too late to mean anything, change nothing. */
export function applyReport(draft: Draft, seen: Report): Draft {
  switch (seen.kind) {
    case 'time':
      return applyDue(draft)
    case 'recovered':
      return recover(draft, seen.resumes)
    case 'attempt-failed':
      return attemptFailed(draft, seen)
    case 'branch-copied':
    case 'branch-failed':
    case 'branch-removed':
      return branchReport(draft, seen)
    case 'started':
    case 'stopped':
    case 'configured':
    case 'died':
    case 'start-failed':
    case 'configure-failed':
    case 'client-waiting':
    case 'activity':
    case 'goal': {
      const compute = computeOf(draft.project, seen.endpointId)
      return compute ? computeReport(draft, compute, seen) : withEffects(draft, gone(seen.endpointId))
    }
  }
}

type ComputeReport = Extract<Report, { readonly endpointId: string }>

function computeReport(draft: Draft, compute: Compute, seen: ComputeReport): Draft {
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
      return configured(draft, compute)
    case 'configure-failed':
      return isConfigured(draft, compute) ? endOperation(draft, 'error', seen.message) : draft
    case 'client-waiting':
      return clientWaiting(draft, compute, seen.cause)
    case 'activity':
      return active(draft, compute, seen.at)
    case 'goal':
      return resizeTo(draft, compute, seen.cu)
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

const isConfigured = (draft: Draft, compute: Compute): boolean =>
  headOf(draft, compute)?.plan.kind === 'configure'

function configured(draft: Draft, compute: Compute): Draft {
  if (!isConfigured(draft, compute)) return draft
  const { now, settings } = draft.context
  return endOperation(settings.applyCountsAsActivity ? active(draft, compute, now) : draft, 'finished')
}

/** The first operation stays where it is and begins anew later. */
function attemptFailed(draft: Draft, { operationId, retryIn }: Report & { kind: 'attempt-failed' }): Draft {
  const [head, ...rest] = draft.project.queue
  if (!head?.begun || head.operation.id !== operationId) return draft
  const { now } = draft.context
  const operation: Operation = {
    ...head.operation,
    status: 'failed',
    failures: head.operation.failures + 1,
    retryAt: now + 1000 * retryIn,
    updatedAt: now,
  }
  return withEffects(withQueue(draft, [{ ...head, begun: false, operation }, ...rest]), {
    kind: 'write-operation',
    operation,
  })
}

function started(draft: Draft, compute: Compute): Draft {
  const head = headOf(draft, compute)
  if (!head || compute.state === 'active') return draft
  const { now } = draft.context
  const cause = head.plan.kind === 'start' ? head.plan.cause : BY_CONFIG
  const awake = withCompute(draft, compute.id, {
    state: 'active',
    pending: sleepsAgain(draft, compute) ? 'idle' : undefined,
    startedAt: now,
    release: releaseAt(now),
    wanted: undefined,
    checks: cause.kind === 'check' ? compute.checks : 0,
    meter: openMeter(compute.meter, { from: now, cu: compute.config.minCu, branchId: compute.branchId }),
    activity: activityAtStart(draft, compute, cause),
  })
  const admitted = withEffects(
    awake,
    { kind: 'write-wake', endpointId: compute.id, wake: { at: now, cause } },
    { kind: 'admit-clients', endpointId: compute.id },
  )
  return endOperation(compute.wanted ? keepAwake(admitted) : admitted, 'finished')
}

/** Whether it was started for a moment only, and nobody came. */
const sleepsAgain = ({ project }: Draft, { wanted }: Compute): boolean =>
  project.queue[1]?.plan.kind === 'suspend-unless-used' && !wanted

/** `last_active` is absent only until the compute has been active (S-35); whether a wake is activity is Q-31. */
function activityAtStart({ context }: Draft, { activity }: Compute, cause: WakeCause): ActivityLog {
  const isUse = cause.kind === 'client' && context.settings.wakeCountsAsActivity
  const isFirst = lastActivityOf(activity) === undefined
  return isFirst || isUse ? { settled: context.now, recent: [] } : activity
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
    ? enqueue(idle, subjectOf(compute), [['start_compute', { kind: 'start', cause: again }]])
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
const recordSuspend = (draft: Draft, compute: Compute): Draft =>
  withEffects(draft, {
    kind: 'write-operation',
    operation: newOperation(draft, subjectOf(compute), 'suspend_compute', 'finished'),
  })

function clientWaiting(draft: Draft, compute: Compute, cause: WakeCause): Draft {
  const reason = reasonNotServed(draft, compute)
  if (reason) return refuseClients(draft, compute.id, reason)
  if (compute.state === 'active' && !compute.pending) {
    return withEffects(draft, { kind: 'admit-clients', endpointId: compute.id })
  }
  return compute.wanted
    ? draft
    : runQueue(withCompute(draft, compute.id, { wanted: cause, updatedAt: compute.updatedAt }))
}

function active(draft: Draft, compute: Compute, at: number): Draft {
  if (compute.state !== 'active') return draft
  const activity = noteActivity(compute.activity, at, 1000 * draft.context.settings.lastActiveLag)
  return withCompute(draft, compute.id, { activity, updatedAt: compute.updatedAt })
}

/** No process is left: awake computes end now, open operations are cancelled. */
function recover(draft: Draft, resumes: boolean): Draft {
  const { now } = draft.context
  const cancelled = draft.project.queue.map(({ operation }): Effect => ({
    kind: 'write-operation',
    operation: { ...operation, status: 'cancelled', updatedAt: now },
  }))
  const emptied = cancelled.length > 0 ? withQueue(withEffects(draft, ...cancelled), []) : draft
  const asleepAll = emptied.project.computes.reduce((next, compute) => {
    if (compute.state === 'active')
      return withoutClient(recordSuspend(asleep(next, compute), compute), compute)
    return compute.state === 'init' || compute.pending || compute.wanted ? withoutClient(next, compute) : next
  }, emptied)
  return resumes ? runQueue(resumeCopies(asleepAll)) : asleepAll
}

const withoutClient = (draft: Draft, { id }: Compute): Draft =>
  withCompute(draft, id, { state: 'idle', pending: undefined, wanted: undefined })
