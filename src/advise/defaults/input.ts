import type { Gap, ObservedSetting } from '../../model/ledger/gap.ts'
import type { SettledInterval } from '../../model/ledger/ledger.ts'
import type { Project, ProjectRef } from '../../model/service/compute.ts'
import type { Instant } from '../../model/units.ts'
import type { AdviseInput } from '../input.ts'
import type { SeenStep } from '../sizing/load-seen.ts'

/** A deleted compute. Histories are oldest first. */
export type ComputeLife = Readonly<{
  deletedAt: Instant
  gaps: readonly Gap[]
  settings: readonly ObservedSetting[]
  intervals: readonly SettledInterval[]
  /** Fine buckets of the last 14 days; empty for the oldest lives where there are many. */
  steps: readonly SeenStep[]
}>

/** All that the defaults of one project are judged by. */
export type DefaultsInput = Readonly<{
  ref: ProjectRef
  project: Project
  /** Existing computes without a delay of their own. */
  atOnce: number
  /** Computes that were deleted in the last 35 days, oldest first. */
  lives: readonly ComputeLife[]
}> &
  Pick<
    AdviseInput,
    'plan' | 'preset' | 'policy' | 'needs' | 'prices' | 'utilisation' | 'previous' | 'finished' | 'now'
  >
