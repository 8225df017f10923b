// What time alone brings about: suspension, the end of a quota, availability checks, further attempts.
import { type Draft, enqueue, subjectOf, withCompute } from '../draft.ts'
import type { Context } from '../events.ts'
import { type Compute, type Project, type WakeCause, delayOf, lastActivityOf } from '../project.ts'
import { runQueue } from './queue.ts'
import { exceededQuota, quotaExceededAt } from '../usage/quota.ts'

const BY_CHECK: WakeCause = { kind: 'check', applicationName: undefined, user: undefined }

/** When to look at a project again; undefined when time alone changes nothing. While operations are open, they go first. */
export function nextDueAt(project: Project, context: Pick<Context, 'now' | 'settings'>): number | undefined {
  const { queue, computes } = project
  if (queue.length > 0) return queue[0]?.operation.retryAt
  let earliest = quotaExceededAt(project, context.now) ?? Infinity
  for (const compute of computes) {
    const suspended = suspendAt(project, compute) ?? Infinity
    earliest = Math.min(earliest, suspended, checkAt(compute, context.settings) ?? Infinity)
  }
  return earliest === Infinity ? undefined : earliest
}

/** When inactivity suspends the compute: the delay after its start or its last activity, whichever is later. */
function suspendAt(
  { defaults }: Project,
  { state, config, startedAt, activity }: Compute,
): number | undefined {
  const delay = delayOf(config, defaults)
  if (state !== 'active' || startedAt === undefined || delay === undefined) return undefined
  return Math.max(startedAt, lastActivityOf(activity) ?? startedAt) + delay
}

/** When the service next wakes an idle compute to see whether it can; each pause is longer than the one before. */
function checkAt(
  { state, config, suspendedAt, checks }: Compute,
  { availabilityCheck }: Context['settings'],
): number | undefined {
  if (availabilityCheck === 'off' || state !== 'idle' || config.disabled) return undefined
  if (suspendedAt === undefined) return undefined
  return suspendedAt + 1000 * availabilityCheck.first * availabilityCheck.growth ** checks
}

/** Does what is due. While operations are open nothing is: the step that ends the last one looks again. */
export function applyDue(draft: Draft): Draft {
  const { project, context } = draft
  if (project.queue.length > 0) return runQueue(draft)
  const isSpent = exceededQuota(project, context.now) !== undefined
  const isDue = (at: number | undefined): boolean => (at ?? Infinity) <= context.now
  const suspended = project.computes
    .filter((compute) => isDue(suspendAt(project, compute)) || (isSpent && compute.state === 'active'))
    .reduce(
      (next, compute) =>
        enqueue(next, subjectOf(compute), [
          ['suspend_compute', { kind: 'suspend', restart: undefined, asked: false }],
        ]),
      draft,
    )
  return runQueue(
    project.computes
      .filter((compute) => isDue(checkAt(compute, context.settings)) && !isSpent)
      .reduce(check, suspended),
  )
}

const check = (draft: Draft, compute: Compute): Draft =>
  enqueue(
    withCompute(draft, compute.id, { checks: compute.checks + 1, updatedAt: compute.updatedAt }),
    subjectOf(compute),
    [
      ['check_availability', { kind: 'start', cause: BY_CHECK }],
      ['suspend_compute', { kind: 'suspend-unless-used' }],
    ],
  )
