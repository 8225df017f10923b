import type { ComputeEntry, SettledInterval } from '../model/ledger/ledger.ts'
import type { Gap, ObservedSetting } from '../model/ledger/gap.ts'
import type { Bounds, DayRow, Prices } from '../model/ledger/quantities.ts'
import type { Utilisation } from '../model/ledger/metering.ts'
import type { ProjectEntry } from '../model/ledger/project-entry.ts'
import type { Rollup } from '../model/ledger/rollup.ts'
import type { AdviceNeeds, AdvicePolicy } from '../model/policy/advice-policy.ts'
import type { PlanLimits } from '../model/policy/plan-limits.ts'
import type { Recommendation, RecommendationKind } from '../model/policy/recommendation.ts'
import type { AutosuspendDelay } from '../model/service/compute.ts'
import type { Preset } from '../model/service/sizes.ts'
import { DAY, type Instant, type Micros } from '../model/units.ts'

/** Time of most histories, 35 days, ms. */
export const HISTORY_READ = 35 * DAY

/** Saving that was stated, and that came. */
export type FinishedSaving = Readonly<{ saving: Bounds<Micros>; realised: Micros }>

/** All that one compute is judged by. Histories are oldest first. */
export type AdviseInput = Readonly<{
  entry: ComputeEntry
  project: ProjectEntry | undefined
  preset: Preset
  /** Undefined: the plan is not known. */
  plan: PlanLimits | undefined
  policy: AdvicePolicy
  /** Name of a budget that asks for a smaller size: its limit is spent, or forecast to be; absent without one. */
  overBudget?: string
  needs: AdviceNeeds
  prices: Prices
  /** Last 35 days. */
  gaps: readonly Gap[]
  /** Last 93 days; the last is the setting now. */
  settings: readonly ObservedSetting[]
  /** Last 35 days; without awake time a day has no row. */
  days: readonly DayRow[]
  /** Coarse buckets of the last 35 days. */
  hours: readonly Rollup[]
  /** Fine buckets of the last 14 days. */
  steps: readonly Rollup[]
  /** Last 35 days. */
  intervals: readonly SettledInterval[]
  /** Delays of the schedule of the compute, which changes set for a time and take back; absent without one. */
  scheduled?: readonly AutosuspendDelay[]
  /** Ranges of the account. */
  utilisation: Utilisation
  /** Recommendations of this compute: open, dismissed, and those implemented within 35 days, a week more than the follow-up. */
  previous: readonly Recommendation[]
  /** By kind: recommendations for computes of the account whose follow-up ended in the last 28 days. */
  finished?: ReadonlyMap<RecommendationKind, readonly FinishedSaving[]>
  now: Instant
}>
