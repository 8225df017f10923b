// Reports of the shell, applied to the project.
import {
  type Draft,
  computeOf,
  enqueue,
  newOperation,
  refuseUnknown,
  subjectOf,
  withCompute,
  withEffects,
  withQueue,
} from '../draft.ts'
import { resizeTo } from '../sizing/autoscale.ts'
import { applyBranchReport, resumeCopies } from './branch-reports.ts'
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
import { endOperation, reasonNotServed, refuseClients, runQueue } from './queue.ts'

/** Applies a report. Late reports and reports about deleted computes change nothing. */
export function applyReport(draft: Draft, report: Report): Draft {
  if ('endpointId' in report) {
    const compute = computeOf(draft.project, report.endpointId)
    if (compute) return applyComputeReport(draft, compute, report)
    return withEffects(draft, refuseUnknown(report.endpointId))
  }
  if ('branchId' in report) return applyBranchReport(draft, report)
  switch (report.kind) {
    case 'time':
      return applyDue(draft)
    case 'recovered':
      return recover(draft, report.resumes)
    case 'attempt-failed':
      return scheduleRetry(draft, report)
  }
}

type ComputeReport = Extract<Report, { readonly endpointId: string }>

function applyComputeReport(draft: Draft, compute: Compute, report: ComputeReport): Draft {
  switch (report.kind) {
    case 'started':
      return applyStart(draft, compute)
    case 'start-failed':
      return applyFailedStart(draft, compute, report.message)
    case 'stopped':
      return applyStop(draft, compute)
    case 'died':
      return applyDeath(draft, compute, report.message)
    case 'configured':
      return applyConfiguration(draft, compute)
    case 'configure-failed':
      return isConfiguring(draft, compute) ? endOperation(draft, 'error', report.message) : draft
    case 'client-waiting':
      return admitOrWake(draft, compute, report.cause)
    case 'activity':
      return addActivity(draft, compute, report.at)
    case 'goal':
      return resizeTo(draft, compute, report.cu)
  }
}

/** The operation in progress, if it concerns this compute. */
function headOf({ project }: Draft, compute: Compute): OpenOperation | undefined {
  const head = project.queue[0]
  return head?.isStarted && head.operation.endpointId === compute.id ? head : undefined
}

const isConfiguring = (draft: Draft, compute: Compute): boolean =>
  headOf(draft, compute)?.plan.kind === 'configure'

function applyConfiguration(draft: Draft, compute: Compute): Draft {
  if (!isConfiguring(draft, compute)) return draft
  const { now, settings } = draft.context
  return endOperation(settings.applyCountsAsActivity ? addActivity(draft, compute, now) : draft, 'finished')
}

/** Leaves the failed operation at the head of the queue, to start again later. */
function scheduleRetry(draft: Draft, { operationId, retryIn }: Report & { kind: 'attempt-failed' }): Draft {
  const [head, ...rest] = draft.project.queue
  if (!head?.isStarted || head.operation.id !== operationId) return draft
  const { now } = draft.context
  const operation: Operation = {
    ...head.operation,
    status: 'failed',
    failures: head.operation.failures + 1,
    retryAt: now + 1000 * retryIn,
    updatedAt: now,
  }
  return withEffects(withQueue(draft, [{ ...head, isStarted: false, operation }, ...rest]), {
    kind: 'write-operation',
    operation,
  })
}

function applyStart(draft: Draft, compute: Compute): Draft {
  const head = headOf(draft, compute)
  if (!head || compute.state === 'active') return draft
  const { now } = draft.context
  const cause: WakeCause = head.plan.kind === 'start' ? head.plan.cause : { kind: 'config' }
  const awake = withCompute(draft, compute.id, {
    state: 'active',
    pending: isSuspendedNext(draft, compute) ? 'idle' : undefined,
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
  return endOperation(compute.wanted ? skipSuspension(admitted) : admitted, 'finished')
}

/** Whether the compute was started for a change only and no client waits for it. */
const isSuspendedNext = ({ project }: Draft, { wanted }: Compute): boolean =>
  project.queue[1]?.plan.kind === 'suspend-unless-used' && !wanted

/** Activity after a start. The first start counts as activity (S-35), a client's wake by the switch of Q-31. */
function activityAtStart({ context }: Draft, { activity }: Compute, cause: WakeCause): ActivityLog {
  const isUse = cause.kind === 'client' && context.settings.wakeCountsAsActivity
  const isFirst = lastActivityOf(activity) === undefined
  return isFirst || isUse ? { settled: context.now, recent: [] } : activity
}

/** Skips the suspension after a change, because a client came meanwhile. */
const skipSuspension = (draft: Draft): Draft =>
  withQueue(
    draft,
    draft.project.queue.map((open) =>
      open.plan.kind === 'suspend-unless-used' ? { ...open, plan: { kind: 'skip' } } : open,
    ),
  )

function applyFailedStart(draft: Draft, compute: Compute, message: string): Draft {
  if (!headOf(draft, compute) || compute.state === 'active') return draft
  const idle = withCompute(draft, compute.id, { state: 'idle', pending: undefined, wanted: undefined })
  const refused = withEffects(idle, {
    kind: 'refuse-clients',
    endpointId: compute.id,
    because: `endpoint ${compute.id} could not be started: ${message}`,
  })
  return endOperation(refused, 'error', message)
}

/** Marks a compute idle whose server has ended: closes its awake interval and drops its connections. */
function markIdle(draft: Draft, compute: Compute): Draft {
  const { now } = draft.context
  const { meter, interval } = closeMeter(compute.meter, now)
  const idle = withCompute(draft, compute.id, { state: 'idle', pending: undefined, suspendedAt: now, meter })
  const dropped = withEffects(idle, { kind: 'drop-connections', endpointId: compute.id })
  return interval
    ? withEffects(dropped, { kind: 'write-interval', endpointId: compute.id, interval })
    : dropped
}

function applyStop(draft: Draft, compute: Compute): Draft {
  const plan = headOf(draft, compute)?.plan
  if (compute.state !== 'active') return draft
  if (plan?.kind !== 'suspend' && plan?.kind !== 'suspend-unless-used')
    return applyDeath(draft, compute, 'stopped unasked')
  const idle = markIdle(draft, compute)
  const cause = plan.kind === 'suspend' ? plan.restart : undefined
  const next = cause ? enqueue(idle, subjectOf(compute), [['start_compute', { kind: 'start', cause }]]) : idle
  return endOperation(next, 'finished')
}

/** Applies the unexpected end of a server: the operation on it fails, and the suspension gets a record. */
function applyDeath(draft: Draft, compute: Compute, message: string): Draft {
  const head = headOf(draft, compute)
  if (compute.state !== 'active') return applyFailedStart(draft, compute, message)
  if (head?.plan.kind === 'suspend' || head?.plan.kind === 'suspend-unless-used')
    return applyStop(draft, compute)
  const idle = recordSuspension(markIdle(draft, compute), compute)
  return head ? endOperation(idle, 'error', message) : runQueue(idle)
}

/** Writes the `suspend_compute` of a suspension without an operation. */
const recordSuspension = (draft: Draft, compute: Compute): Draft =>
  withEffects(draft, {
    kind: 'write-operation',
    operation: newOperation(draft, subjectOf(compute), 'suspend_compute', 'finished'),
  })

function admitOrWake(draft: Draft, compute: Compute, cause: WakeCause): Draft {
  const reason = reasonNotServed(draft, compute)
  if (reason) return refuseClients(draft, compute.id, reason)
  if (compute.state === 'active' && !compute.pending) {
    return withEffects(draft, { kind: 'admit-clients', endpointId: compute.id })
  }
  return compute.wanted
    ? draft
    : runQueue(withCompute(draft, compute.id, { wanted: cause, updatedAt: compute.updatedAt }))
}

function addActivity(draft: Draft, compute: Compute, at: number): Draft {
  if (compute.state !== 'active') return draft
  const activity = noteActivity(compute.activity, at, 1000 * draft.context.settings.lastActiveLag)
  return withCompute(draft, compute.id, { activity, updatedAt: compute.updatedAt })
}

/** Applies that no process runs: awake computes become idle now, open operations are cancelled. */
function recover(draft: Draft, resumes: boolean): Draft {
  const { now } = draft.context
  const cancelled = draft.project.queue.map(({ operation }): Effect => ({
    kind: 'write-operation',
    operation: { ...operation, status: 'cancelled', updatedAt: now },
  }))
  const withoutQueue = cancelled.length > 0 ? withQueue(withEffects(draft, ...cancelled), []) : draft
  const idle = withoutQueue.project.computes.reduce((next, compute) => {
    if (compute.state === 'active')
      return withoutClient(recordSuspension(markIdle(next, compute), compute), compute)
    return compute.state === 'init' || compute.pending || compute.wanted ? withoutClient(next, compute) : next
  }, withoutQueue)
  return resumes ? runQueue(resumeCopies(idle)) : idle
}

const withoutClient = (draft: Draft, { id }: Compute): Draft =>
  withCompute(draft, id, { state: 'idle', pending: undefined, wanted: undefined })
