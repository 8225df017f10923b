// Transitions by time alone: suspensions, quotas, availability checks, announced updates, retries.
import { type Draft, enqueue, subjectOf, withCompute, withProject } from '../draft.ts'
import type { Context, Settings } from '../events.ts'
import { type AnnouncedUpdate, type Compute, type Project, delayOf, lastActivityOf } from '../project.ts'
import { runQueue } from './queue.ts'
import { maySuspend } from '../sizing/plans.ts'
import { calendarMonth } from '../usage/month.ts'
import { exceededQuota, quotaExceededAt } from '../usage/quota.ts'

/** Undefined when nothing is due. Open operations delay all else. */
export function nextDueAt(
  project: Project,
  { now, settings }: Pick<Context, 'now' | 'settings'>,
): number | undefined {
  const { queue, computes, update } = project
  if (queue.length > 0) return queue[0]?.operation.retryAt
  const checksFrom = checksAllowedFrom(project, now)
  const instants = computes.flatMap((compute) => [
    suspendAt(project, compute, settings),
    Math.max(checksFrom, checkAt(compute, settings)),
  ])
  const earliest = Math.min(quotaExceededAt(project, now), update?.scheduledFor ?? Infinity, ...instants)
  return earliest === Infinity ? undefined : earliest
}

/** The delay after start or last activity; Infinity for never. */
function suspendAt({ defaults }: Project, compute: Compute, settings: Settings): number {
  const { state, config, startedAt, activity } = compute
  const delay = maySuspend(config, settings) ? delayOf(config, defaults) : undefined
  if (state !== 'active' || startedAt === undefined || delay === undefined) return Infinity
  return Math.max(startedAt, lastActivityOf(activity) ?? startedAt) + delay
}

/** Next availability check, Infinity for never; each pause is longer than the last. */
function checkAt({ state, config, suspendedAt, checks }: Compute, { availabilityCheck }: Settings): number {
  if (availabilityCheck === 'off' || state !== 'idle' || config.disabled) return Infinity
  return (suspendedAt ?? Infinity) + 1000 * availabilityCheck.first * availabilityCheck.growth ** checks
}

/** While the quota is used up nothing starts, until the next month. */
const checksAllowedFrom = (project: Project, now: number): number =>
  exceededQuota({ project, context: { now } }) === undefined ? now : calendarMonth(now).to

/** Queues what is due; nothing else is while operations are open. */
export function applyDue(draft: Draft): Draft {
  const { project, context } = draft
  if (project.queue.length > 0) return runQueue(draft)
  const { now, settings } = context
  const isExceeded = exceededQuota(draft) !== undefined
  const toSuspend = project.computes.filter(
    (compute) => suspendAt(project, compute, settings) <= now || (isExceeded && compute.state === 'active'),
  )
  const toCheck = project.computes.filter((compute) => checkAt(compute, settings) <= now && !isExceeded)
  const suspending = toSuspend.reduce(enqueueSuspension, draft)
  const checking = toCheck.reduce(enqueueCheck, suspending)
  const isUpdated = project.update !== undefined && project.update.scheduledFor <= now
  return runQueue(isUpdated ? enqueueUpdate(checking, project.update, toSuspend) : checking)
}

/** Restarts the awake computes that were not started since the announcement, and ends it; the next start updates the others. */
function enqueueUpdate(draft: Draft, { announcedAt }: AnnouncedUpdate, others: readonly Compute[]): Draft {
  const { computes } = draft.project
  const behind = computes.filter(
    (compute) =>
      compute.state === 'active' &&
      (compute.startedAt ?? announcedAt) < announcedAt &&
      !others.includes(compute),
  )
  return behind.reduce(enqueueRestart, withProject(draft, { update: undefined }))
}

const enqueueRestart = (draft: Draft, compute: Compute): Draft =>
  enqueue(draft, subjectOf(compute), [
    ['suspend_compute', { kind: 'suspend', why: 'maintenance' }],
    ['start_compute', { kind: 'start', cause: { kind: 'maintenance' } }],
  ])

function enqueueSuspension(draft: Draft, compute: Compute): Draft {
  const { context } = draft
  const why = suspendAt(draft.project, compute, context.settings) <= context.now ? 'autosuspend' : 'quota'
  return enqueue(draft, subjectOf(compute), [['suspend_compute', { kind: 'suspend', why }]])
}

function enqueueCheck(draft: Draft, compute: Compute): Draft {
  const counted = withCompute(draft, compute.id, { checks: compute.checks + 1, updatedAt: compute.updatedAt })
  return enqueue(counted, subjectOf(compute), [
    ['check_availability', { kind: 'start', cause: { kind: 'check' } }],
    ['suspend_compute', { kind: 'suspend-unless-used', why: 'autosuspend' }],
  ])
}
