// Transitions due by time alone: suspensions, the end of a quota, availability checks, repeated attempts.
import { type Draft, enqueue, subjectOf, withCompute } from '../draft.ts'
import type { Context } from '../events.ts'
import { type Compute, type Project, delayOf, lastActivityOf } from '../project.ts'
import { runQueue } from './queue.ts'
import { exceededQuota, quotaExceededAt } from '../usage/quota.ts'

/** Instant of the next transition; undefined when there is none. Open operations delay all others. */
export function nextDueAt(project: Project, context: Pick<Context, 'now' | 'settings'>): number | undefined {
  const { queue, computes } = project
  if (queue.length > 0) return queue[0]?.operation.retryAt
  let earliest = quotaExceededAt(project, context.now) ?? Infinity
  for (const compute of computes) {
    const suspensionAt = suspendAt(project, compute) ?? Infinity
    earliest = Math.min(earliest, suspensionAt, checkAt(compute, context.settings) ?? Infinity)
  }
  return earliest === Infinity ? undefined : earliest
}

/** Instant at which inactivity suspends the compute: the delay after its start or its last activity, whichever is later. */
function suspendAt(
  { defaults }: Project,
  { state, config, startedAt, activity }: Compute,
): number | undefined {
  const delay = delayOf(config, defaults)
  if (state !== 'active' || startedAt === undefined || delay === undefined) return undefined
  return Math.max(startedAt, lastActivityOf(activity) ?? startedAt) + delay
}

/** Instant of the next availability check of an idle compute; each pause is longer than the previous one. */
function checkAt(
  { state, config, suspendedAt, checks }: Compute,
  { availabilityCheck }: Context['settings'],
): number | undefined {
  if (availabilityCheck === 'off' || state !== 'idle' || config.disabled) return undefined
  if (suspendedAt === undefined) return undefined
  return suspendedAt + 1000 * availabilityCheck.first * availabilityCheck.growth ** checks
}

/** Queues what is due and runs the queue. While operations are open, nothing else is due. */
export function applyDue(draft: Draft): Draft {
  const { project, context } = draft
  if (project.queue.length > 0) return runQueue(draft)
  const isQuotaExceeded = exceededQuota(draft) !== undefined
  const isDue = (at: number | undefined): boolean => (at ?? Infinity) <= context.now
  const toSuspend = project.computes.filter(
    (compute) => isDue(suspendAt(project, compute)) || (isQuotaExceeded && compute.state === 'active'),
  )
  const toCheck = project.computes.filter(
    (compute) => isDue(checkAt(compute, context.settings)) && !isQuotaExceeded,
  )
  return runQueue(toCheck.reduce(enqueueCheck, toSuspend.reduce(enqueueSuspension, draft)))
}

const enqueueSuspension = (draft: Draft, compute: Compute): Draft =>
  enqueue(draft, subjectOf(compute), [['suspend_compute', { kind: 'suspend' }]])

const enqueueCheck = (draft: Draft, compute: Compute): Draft =>
  enqueue(
    withCompute(draft, compute.id, { checks: compute.checks + 1, updatedAt: compute.updatedAt }),
    subjectOf(compute),
    [
      ['check_availability', { kind: 'start', cause: { kind: 'check' } }],
      ['suspend_compute', { kind: 'suspend-unless-used' }],
    ],
  )
