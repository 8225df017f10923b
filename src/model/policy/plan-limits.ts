import type { Cu, Seconds } from '../units.ts'

/** What a service plan allows. Source: service-facts.md, "Presets of sizes, connections, cache, prices". */
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
