// What a service plan allows, by preset (service-facts 7). The interface text limits the free plan's size only (S-10).
import type { ComputeConfig, SizeRange } from '../project.ts'

export type SubscriptionPlan = 'free' | 'launch' | 'scale'
export type LimitsPreset = 'interface' | '2026-03'
export type PlanAndPreset = Readonly<{ plan: SubscriptionPlan; preset: LimitsPreset }>

type Allowed = Readonly<{
  /** CU, likewise `inRange` and `widest`. */
  fixed: number
  /** Largest maximum of a range, and its largest distance from the minimum. */
  inRange: number
  widest: number
  /** Only this delay, seconds; undefined: any. */
  delay: number | undefined
  never: boolean
}>

const ANY: Allowed = { fixed: 10, inRange: 10, widest: 10, delay: undefined, never: true }

const ALLOWED: Readonly<Record<LimitsPreset, Readonly<Record<SubscriptionPlan, Allowed>>>> = {
  interface: { free: { ...ANY, fixed: 0.25, inRange: 0.25 }, launch: ANY, scale: ANY },
  '2026-03': {
    free: { fixed: 2, inRange: 2, widest: 8, delay: 300, never: false },
    launch: { fixed: 16, inRange: 16, widest: 8, delay: 300, never: true },
    scale: { fixed: 56, inRange: 16, widest: 8, delay: undefined, never: true },
  },
}

/** Whether a compute of this size suspends by itself: by the service's documents not above 16 CU (service-facts 7). */
export const maySuspend = ({ maxCu }: SizeRange, { preset }: Pick<PlanAndPreset, 'preset'>): boolean =>
  preset === 'interface' || maxCu <= 16

/** CU. */
export const largestInRange = ({ plan, preset }: PlanAndPreset): number => ALLOWED[preset][plan].inRange

/** Field and what is wrong with it; undefined where the plan allows it. */
export function planSizeProblem(
  { minCu, maxCu }: SizeRange,
  subscription: PlanAndPreset,
): string | undefined {
  const { plan, preset } = subscription
  const { fixed, inRange, widest } = ALLOWED[preset][plan]
  const largest = minCu === maxCu ? fixed : inRange
  if (maxCu > largest)
    return `autoscaling_limit_max_cu: the ${plan} plan allows at most ${largest} CU, got ${maxCu}`
  if (maxCu - minCu <= widest) return undefined
  const problem = `allows a range of at most ${widest} CU, got ${minCu} to ${maxCu}`
  return `autoscaling_limit_max_cu: the ${plan} plan ${problem}`
}

/** 0, the default, is allowed by every plan. */
export function planDelayProblem(
  suspendTimeout: ComputeConfig['suspendTimeout'],
  { plan, preset }: PlanAndPreset,
): string | undefined {
  const { delay, never } = ALLOWED[preset][plan]
  const allowed = [0, ...(never ? [-1] : []), ...(delay === undefined ? [] : [delay])]
  const isAny = delay === undefined && suspendTimeout > 0
  if (isAny || allowed.includes(suspendTimeout)) return undefined
  const others = never ? ', or -1 (never)' : ''
  return `suspend_timeout_seconds: the ${plan} plan allows ${delay} seconds${others}, got ${suspendTimeout}`
}
