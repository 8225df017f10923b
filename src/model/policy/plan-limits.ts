// What a service plan allows. Source: service-facts.md, "Presets of sizes, connections, cache, prices".
import { LONGEST_AUTOSUSPEND_DELAY, MIN_AUTOSUSPEND_DELAY } from '../service/compute.ts'
import type { PresetName } from '../service/sizes.ts'
import { cu, seconds, type Cu, type Seconds } from '../units.ts'

export type PlanLimits = Readonly<{
  /** Allowed delays; equal where the plan fixes the delay. */
  delays: Readonly<{ from: Seconds; to: Seconds }>
  /** Autosuspend may be off. */
  mayNever: boolean
  largestFixed: Cu
  largestInRange: Cu
  /** Largest difference between maximum and minimum of a range. */
  widestRange: Cu
  hasRanges: boolean
  /** Larger computes do not suspend. */
  largestSuspending: Cu
}>

export const SERVICE_PLANS = ['free', 'launch', 'scale'] as const
export type ServicePlan = (typeof SERVICE_PLANS)[number]

export const isServicePlan = (name: string): name is ServicePlan =>
  (SERVICE_PLANS as readonly string[]).includes(name)

const ANY_DELAY = { from: MIN_AUTOSUSPEND_DELAY, to: LONGEST_AUTOSUSPEND_DELAY }
const FIXED_DELAY = { from: seconds(300), to: seconds(300) }

/** The interface text knows no limits by plan, besides the size of computes on the free plan. */
const INTERFACE: PlanLimits = {
  delays: ANY_DELAY,
  mayNever: true,
  largestFixed: cu(10),
  largestInRange: cu(10),
  widestRange: cu(9.75),
  hasRanges: true,
  largestSuspending: cu(10),
}

const SCALE: PlanLimits = {
  delays: ANY_DELAY,
  mayNever: true,
  largestFixed: cu(56),
  largestInRange: cu(16),
  widestRange: cu(8),
  hasRanges: true,
  largestSuspending: cu(16),
}

const LIMITS = {
  interface: {
    free: { ...INTERFACE, largestFixed: cu(0.25), largestInRange: cu(0.25), hasRanges: false },
    launch: INTERFACE,
    scale: INTERFACE,
  },
  '2026-03': {
    free: { ...SCALE, delays: FIXED_DELAY, mayNever: false, largestFixed: cu(2), largestInRange: cu(2) },
    launch: { ...SCALE, delays: FIXED_DELAY, largestFixed: cu(16) },
    scale: SCALE,
  },
} as const satisfies Readonly<Record<PresetName, Readonly<Record<ServicePlan, PlanLimits>>>>

/** Undefined for another plan than free, launch and scale, such as a negotiated one: what it allows is not known. */
export const planLimits = (preset: PresetName, plan: string): PlanLimits | undefined =>
  isServicePlan(plan) ? LIMITS[preset][plan] : undefined
