// Source: sections `policies` and `advice` of the configuration.
import type { AutosuspendDelay } from '../service/compute.ts'
import { micros, ratio, seconds, type Cu, type Ratio, type Seconds } from '../units.ts'
import { RECOMMENDATION_KINDS, type RecommendationKind } from './recommendation.ts'

/** How recommendations for one compute are made. */
export type AdvicePolicy = Readonly<{
  /** Kinds that are recommended. */
  kinds: readonly RecommendationKind[]
  /** Shortest and longest delay that is recommended, besides the limits of the plan. */
  floor: Seconds
  ceiling: AutosuspendDelay
  /** Price of a wake in seconds of awake time; ranks options and is no part of a saving. */
  wakeCost: Seconds
  sizing: Readonly<{
    min: Cu | undefined
    max: Cu | undefined
    neverDown: boolean
    /** Target of the file cache; 0: no larger size for it. */
    hitRatio: Ratio
  }>
  /** Evidence that recommendations need; default: as for all computes. */
  needs?: AdviceNeeds
}>

/**
 * Policy of computes that no entry matches. The floor is the service's shortest delay, and nothing above it is excluded, so that the plan alone
 * bounds the delay. The wake cost is the service's default delay: ski rental with that price of a wake is what the service does unasked.
 */
export const DEFAULT_ADVICE_POLICY: AdvicePolicy = {
  kinds: RECOMMENDATION_KINDS,
  floor: seconds(60),
  ceiling: 'never',
  wakeCost: seconds(300),
  // that of transactional loads
  sizing: { min: undefined, max: undefined, neverDown: false, hitRatio: ratio(0.99) },
}

/** Evidence that recommendations need. */
export type AdviceNeeds = Readonly<{
  /** Followed activity before a delay below the one in force is recommended. */
  minHistory: Seconds
  /** Followed gaps, likewise. */
  minGaps: number
  /** Connection peaks before a minimum size is lowered. */
  minPeaks: Seconds
  /** Step of delays and gaps. */
  grid: Seconds
}>

/** Three days see each time of day three times, and a week of connections each weekday. */
export const DEFAULT_ADVICE_NEEDS: AdviceNeeds = {
  minHistory: seconds(3 * 86_400),
  minGaps: 30,
  minPeaks: seconds(7 * 86_400),
  grid: seconds(60),
}

/** Saving in 30 days from which a recommendation is worth somebody's time, one unit of the currency. */
export const DEFAULT_MIN_SAVING = micros(1_000_000)
