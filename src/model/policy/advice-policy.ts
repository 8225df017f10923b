// Source: sections `policies` and `advice` of the configuration.
import type { AutosuspendDelay } from '../service/compute.ts'
import type { Cu, Seconds } from '../units.ts'
import type { RecommendationKind } from './recommendation.ts'

/** How recommendations for one compute are made. */
export type AdvicePolicy = Readonly<{
  /** Kinds that are recommended. */
  kinds: readonly RecommendationKind[]
  /** Shortest and longest delay that is recommended, besides the limits of the plan. */
  floor: Seconds
  ceiling: AutosuspendDelay
  /** Price of a wake in seconds of awake time; ranks options and is no part of a saving. */
  wakeCost: Seconds
  sizing: Readonly<{ min: Cu | undefined; max: Cu | undefined; neverDown: boolean }>
}>

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
