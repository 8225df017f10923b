import type { Refusal, Settings } from './events.ts'
import type { Compute, ComputeConfig, Project } from './project.ts'
import { FREE_LIMIT_CU, SIZES_TEXT, isSupported } from './sizes.ts'

/** The longest autosuspend delay, seconds (S-51), and the shortest that is not `--allow-short-delays`. */
const LONGEST_DELAY = 604_800
const SHORTEST_DELAY = 60

/** The first reason why the service does not take this configuration; undefined when it does. */
export function refusalOf(config: ComputeConfig, settings: Settings): Refusal | undefined {
  return sizeRefusal(config) ?? planRefusal(config, settings) ?? delayRefusal(config, settings)
}

const invalid = (field: string, message: string): Refusal => ({
  status: 400,
  message: `endpoint.${field}: ${message}`,
})

function sizeRefusal({ minCu, maxCu }: ComputeConfig): Refusal | undefined {
  const expected = `expected one of ${SIZES_TEXT}`
  if (!isSupported(minCu)) return invalid('autoscaling_limit_min_cu', `${expected}, got ${minCu}`)
  if (!isSupported(maxCu)) return invalid('autoscaling_limit_max_cu', `${expected}, got ${maxCu}`)
  if (minCu > maxCu)
    return invalid('autoscaling_limit_min_cu', `${minCu} is above autoscaling_limit_max_cu ${maxCu}`)
  return undefined
}

function planRefusal({ minCu, maxCu }: ComputeConfig, { plan }: Settings): Refusal | undefined {
  if (plan === 'paid' || (minCu <= FREE_LIMIT_CU && maxCu <= FREE_LIMIT_CU)) return undefined
  return {
    status: 403,
    message: `endpoint.autoscaling_limit_max_cu: the free plan allows at most ${FREE_LIMIT_CU} CU, got ${maxCu}`,
  }
}

function delayRefusal(
  { suspendTimeout }: ComputeConfig,
  { allowShortDelays }: Settings,
): Refusal | undefined {
  const shortest = allowShortDelays ? 1 : SHORTEST_DELAY
  const inRange = suspendTimeout >= shortest && suspendTimeout <= LONGEST_DELAY
  if (Number.isInteger(suspendTimeout) && (suspendTimeout === 0 || suspendTimeout === -1 || inRange))
    return undefined
  const expected = `expected -1 (never), 0 (default) or ${shortest} to ${LONGEST_DELAY} seconds`
  return invalid('suspend_timeout_seconds', `${expected}, got ${suspendTimeout}`)
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
