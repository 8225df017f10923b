import {
  type Draft,
  branchOf,
  computeOf,
  enqueue,
  newOperation,
  refuseUnknown,
  subjectOf,
  withBranch,
  withCompute,
  withEffects,
  withHead,
  withProject,
  withQueue,
  writeOperations,
} from '../draft.ts'
import { resizeTo } from '../sizing/autoscale.ts'
import { applyDue } from './due.ts'
import type { Report } from '../events.ts'
import { closeMeter, openMeter } from '../usage/meter.ts'
import type { Stop } from '../records.ts'
import type { ActivityLog, Compute, OpenOperation, Operation, WakeCause } from '../project.ts'
import { computesOn, lastActivityOf, noteActivity, releaseAt } from '../project.ts'
import { endOperation, reasonNotServed, refuseClients, runQueue } from './queue.ts'

/** Late reports and reports about deleted computes change nothing. */
export function applyReport(draft: Draft, report: Report): Draft {
  if ('endpointId' in report) return applyComputeReport(draft, report)
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

type ComputeReport = Extract<Report, { readonly endpointId: string }>['kind']

const COMPUTE_REPORTS: {
  readonly [Kind in ComputeReport]: (draft: Draft, compute: Compute, report: Report<Kind>) => Draft
} = {
  started: applyStart,
  'start-failed': (draft, compute, { message }) => applyFailedStart(draft, compute, message),
  stopped: applyStop,
  died: (draft, compute, { message, stop }) =>
    compute.state === 'active'
      ? applyEnd(draft, compute, { message, stop: stop ?? crashNow(draft, compute) })
      : applyFailedStart(draft, compute, message),
  configured: applyConfiguration,
  'configure-failed': (draft, compute, { message }) =>
    isConfiguring(draft, compute) ? endOperation(draft, 'error', message) : draft,
  'client-waiting': (draft, compute, { cause }) => admitOrWake(draft, compute, cause),
  activity: (draft, compute, { at }) => addActivity(draft, compute, at),
  goal: (draft, compute, { cu }) => resizeTo(draft, compute, cu),
}

function applyComputeReport<Kind extends ComputeReport>(draft: Draft, report: Report<Kind>): Draft {
  const compute = computeOf(draft.project, report.endpointId)
  if (!compute) return withEffects(draft, refuseUnknown(report.endpointId))
  return COMPUTE_REPORTS[report.kind](draft, compute, report)
}

/** The operation in progress, if it concerns this compute. */
function headOf({ project }: Draft, compute: Compute): OpenOperation | undefined {
  const head = project.queue[0]
  return head?.isStarted && head.operation.endpointId === compute.id ? head : undefined
}

const isConfiguring = (draft: Draft, compute: Compute) => headOf(draft, compute)?.plan.kind === 'configure'

function applyConfiguration(draft: Draft, compute: Compute): Draft {
  if (!isConfiguring(draft, compute)) return draft
  const { now, settings } = draft.context
  return endOperation(settings.applyCountsAsActivity ? addActivity(draft, compute, now) : draft, 'finished')
}

/** Leaves the operation at the head of the queue. */
function scheduleRetry(draft: Draft, { operationId, retryIn }: Report<'attempt-failed'>): Draft {
  const head = draft.project.queue[0]
  if (!head?.isStarted || head.operation.id !== operationId) return draft
  const failures = head.operation.failures + 1
  const retryAt = draft.context.now + 1000 * retryIn
  return withHead(draft, { ...head, isStarted: false }, { status: 'failed', failures, retryAt })
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

/** Started for a change only, with no client waiting. */
const isSuspendedNext = ({ project }: Draft, { wanted }: Compute) =>
  project.queue[1]?.plan.kind === 'suspend-unless-used' && !wanted

/** The first start is activity (S-35); a client's wake by Q-31. */
function activityAtStart({ context }: Draft, { activity }: Compute, cause: WakeCause): ActivityLog {
  const isUse = cause.kind === 'client' && context.settings.wakeCountsAsActivity
  const isFirst = lastActivityOf(activity) === undefined
  return isFirst || isUse ? { settled: context.now, recent: [] } : activity
}

/** A client came: no suspension after the change. */
const skipSuspension = (draft: Draft): Draft =>
  withQueue(
    draft,
    draft.project.queue.map((open) =>
      open.plan.kind === 'suspend-unless-used' ? { ...open, plan: { kind: 'skip' } } : open,
    ),
  )

function applyFailedStart(draft: Draft, compute: Compute, message: string): Draft {
  if (!headOf(draft, compute) || compute.state === 'active') return draft
  const because = `endpoint ${compute.id} could not be started: ${message}`
  const refused = withEffects(draft, { kind: 'refuse-clients', endpointId: compute.id, because })
  return endOperation(withoutClient(refused, compute), 'error', message)
}

const crashNow = ({ context }: Draft, { id }: Compute): Stop => ({
  at: context.now,
  why: 'crash',
  ...context.sessions(id),
})

function applyStop(draft: Draft, compute: Compute, { sessions }: Report<'stopped'>): Draft {
  if (compute.state !== 'active') return draft
  const plan = headOf(draft, compute)?.plan
  const unasked = crashNow(draft, compute)
  const why = plan && 'why' in plan ? plan.why : unasked.why
  return applyEnd(draft, compute, { message: 'stopped unasked', stop: { ...unasked, ...sessions, why } })
}

/** The server has ended. */
function markIdle(draft: Draft, compute: Compute, stop: Stop): Draft {
  const { now } = draft.context
  const { id: endpointId } = compute
  const { meter, interval } = closeMeter(compute.meter, now)
  const idle = withCompute(draft, endpointId, { state: 'idle', pending: undefined, suspendedAt: now, meter })
  const dropped = withEffects(
    idle,
    { kind: 'write-stop', endpointId, stop },
    { kind: 'drop-connections', endpointId },
  )
  return interval ? withEffects(dropped, { kind: 'write-interval', endpointId, interval }) : dropped
}

type ServerEnd = Readonly<{ message: string; stop: Stop }>

/** An unexpected end fails the operation, and the suspension gets a record. */
function applyEnd(draft: Draft, compute: Compute, { message, stop }: ServerEnd): Draft {
  const head = headOf(draft, compute)
  const idle = markIdle(draft, compute, stop)
  if (head?.plan.kind === 'suspend' && head.plan.restart) {
    const start = { kind: 'start', cause: head.plan.restart } as const
    return endOperation(enqueue(idle, subjectOf(compute), [['start_compute', start]]), 'finished')
  }
  if (head?.plan.kind === 'suspend' || head?.plan.kind === 'suspend-unless-used')
    return endOperation(idle, 'finished')
  const recorded = recordSuspension(idle, compute)
  return head ? endOperation(recorded, 'error', message) : runQueue(recorded)
}

/** The `suspend_compute` of a suspension without an operation. */
function recordSuspension(draft: Draft, compute: Compute): Draft {
  const step = { action: 'suspend_compute', status: 'finished' } as const
  return writeOperations(draft, [newOperation(draft, subjectOf(compute), step)])
}

function admitOrWake(draft: Draft, compute: Compute, cause: WakeCause): Draft {
  const reason = reasonNotServed(draft, compute)
  if (reason) return refuseClients(draft, compute.id, reason)
  if (compute.state === 'active' && !compute.pending)
    return withEffects(draft, { kind: 'admit-clients', endpointId: compute.id })
  if (compute.wanted) return draft
  return runQueue(withCompute(draft, compute.id, { wanted: cause, updatedAt: compute.updatedAt }))
}

function addActivity(draft: Draft, compute: Compute, at: number): Draft {
  if (compute.state !== 'active') return draft
  const activity = noteActivity(compute.activity, at, 1000 * draft.context.settings.lastActiveLag)
  return withCompute(draft, compute.id, { activity, updatedAt: compute.updatedAt })
}

/** No process runs: awake computes become idle, open operations are cancelled. */
function recover(draft: Draft, resumes: boolean): Draft {
  const { now } = draft.context
  const cancelled = draft.project.queue.map(({ operation }): Operation => ({
    ...operation,
    status: 'cancelled',
    updatedAt: now,
  }))
  const withoutQueue = cancelled.length > 0 ? withQueue(writeOperations(draft, cancelled), []) : draft
  const idle = withoutQueue.project.computes.reduce((next, compute) => {
    if (compute.state === 'active') {
      const ended = markIdle(next, compute, crashNow(next, compute))
      return withoutClient(recordSuspension(ended, compute), compute)
    }
    return compute.state === 'init' || compute.pending || compute.wanted ? withoutClient(next, compute) : next
  }, withoutQueue)
  return resumes ? runQueue(resumeCopies(idle)) : idle
}

const withoutClient = (draft: Draft, { id }: Compute): Draft =>
  withCompute(draft, id, { state: 'idle', pending: undefined, wanted: undefined })

type BranchReport = Extract<Report, { readonly branchId: string }>

/** Ignores reports that do not belong to the operation in progress. */
function applyBranchReport(draft: Draft, report: BranchReport): Draft {
  const head = draft.project.queue[0]
  const { branchId } = report
  if (!head?.isStarted || head.operation.branchId !== branchId) return draft
  const isCopy = head.plan.kind === 'copy-branch'
  if (!isCopy && head.plan.kind !== 'remove-branch') return draft
  switch (report.kind) {
    case 'branch-copied':
      return isCopy ? endOperation(withBranch(draft, branchId, { state: 'ready' }), 'finished') : draft
    case 'branch-removed':
      return isCopy ? draft : endOperation(draft, 'finished')
    case 'branch-failed':
      return endOperation(withoutBranch(draft, branchId), 'error', report.message)
  }
}

/** Removes a branch that could not be copied, with its computes, which never started. */
function withoutBranch(draft: Draft, branchId: string): Draft {
  const { branches, computes } = draft.project
  const without = withProject(draft, {
    branches: branches.filter(({ id }) => id !== branchId),
    computes: computes.filter((compute) => compute.branchId !== branchId),
  })
  return withEffects(without, ...computesOn(draft.project, branchId).map(({ id }) => refuseUnknown(id)))
}

/** Queues interrupted copies again: the creation of these branches was acknowledged. */
const resumeCopies = (draft: Draft): Draft =>
  draft.project.branches
    .filter(({ state }) => state === 'init')
    .reduce((next, { id, parentId }) => {
      const parent = branchOf(next.project, parentId ?? '') ?? next.project.branches[0]
      const subject = { branchId: id, endpointId: undefined }
      return enqueue(next, subject, [['create_branch', { kind: 'copy-branch', parentId: parent?.id ?? id }]])
    }, draft)
