import type { Refusal, Settings } from '../events.ts'
import { type Compute, type ComputeConfig, type Project, primaryOf } from '../project.ts'
import { exceededQuota } from '../usage/quota.ts'
import { settingsRefusal } from './pg-settings.ts'
import { FREE_LIMIT_CU, SIZES_TEXT, isSupported } from '../sizing/sizes.ts'

/** The longest autosuspend delay, seconds (S-51), and the shortest that is not `--allow-short-delays`. */
const LONGEST_DELAY = 604_800
const SHORTEST_DELAY = 60

type Sizing = Pick<ComputeConfig, 'minCu' | 'maxCu' | 'suspendTimeout' | 'pgSettings'>

/** The first reason why the service does not take this configuration; `place` is the field of the body it is in. */
export function configRefusal(config: Sizing, settings: Settings, place = 'endpoint'): Refusal | undefined {
  const found =
    sizeProblem(config) ??
    delayProblem(config, settings) ??
    settingsRefusal(config.pgSettings, place === 'endpoint' ? 'settings.pg_settings' : 'pg_settings')
  if (found) return { status: 400, message: `${place}.${found}` }
  return planRefusal(config, settings, place)
}

function sizeProblem({ minCu, maxCu }: Sizing): string | undefined {
  const expected = `expected one of ${SIZES_TEXT}`
  if (!isSupported(minCu)) return `autoscaling_limit_min_cu: ${expected}, got ${minCu}`
  if (!isSupported(maxCu)) return `autoscaling_limit_max_cu: ${expected}, got ${maxCu}`
  return minCu > maxCu
    ? `autoscaling_limit_min_cu: ${minCu} is above autoscaling_limit_max_cu ${maxCu}`
    : undefined
}

function planRefusal({ minCu, maxCu }: Sizing, { plan }: Settings, place: string): Refusal | undefined {
  if (plan === 'paid' || (minCu <= FREE_LIMIT_CU && maxCu <= FREE_LIMIT_CU)) return undefined
  return {
    status: 403,
    message: `${place}.autoscaling_limit_max_cu: the free plan allows at most ${FREE_LIMIT_CU} CU, got ${maxCu}`,
  }
}

function delayProblem({ suspendTimeout }: Sizing, { delayBelowMinimum }: Settings): string | undefined {
  const shortest = delayBelowMinimum === 'refused' ? SHORTEST_DELAY : 1
  const inRange = suspendTimeout >= shortest && suspendTimeout <= LONGEST_DELAY
  if (Number.isInteger(suspendTimeout) && (suspendTimeout === 0 || suspendTimeout === -1 || inRange))
    return undefined
  const expected = `expected -1 (never), 0 (default) or ${shortest} to ${LONGEST_DELAY} seconds`
  return `suspend_timeout_seconds: ${expected}, got ${suspendTimeout}`
}

/** A delay of 1 to 59 s as the service keeps it. */
export const storedDelay = (delay: number, { delayBelowMinimum }: Settings): number =>
  delayBelowMinimum === 'raised' && delay > 0 && delay < SHORTEST_DELAY ? SHORTEST_DELAY : delay

/** Refused when another primary compute is on the branch (S-05, S-84, S-88). */
export function primaryRefusal(
  { branches, computes }: Project,
  branchId: string,
  { errors }: Settings,
): Refusal | undefined {
  if (!branches.some(({ id }) => id === branchId))
    return { status: 404, message: `endpoint.branch_id: branch not found: ${branchId}` }
  if (!primaryOf({ computes }, branchId)) return undefined
  return {
    status: errors.duplicatePrimary,
    message: `endpoint.branch_id: branch ${branchId} already has a read-write endpoint`,
  }
}

/** Refused while the quota of the project is used up. */
export function quotaRefusal(project: Project, now: number, { errors }: Settings): Refusal | undefined {
  const message = exceededQuota(project, now)
  return message === undefined ? undefined : { status: errors.quota, message }
}

/** 423 while something runs in the project. The words are the service's own (service-facts 5). */
export function conflictOf(project: Project, compute: Compute | undefined): Refusal | undefined {
  if (project.queue.length === 0) return undefined
  return compute?.pending
    ? {
        status: 423,
        message: `endpoint ${compute.id} is in some transitive state; project already has running conflicting operations`,
      }
    : {
        status: 423,
        message: 'project already has running conflicting operations, scheduling of new ones is prohibited',
      }
}
