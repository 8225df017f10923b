import type { Gap, ObservedSetting } from '../../model/ledger/gap.ts'
import type { SettledInterval } from '../../model/ledger/ledger.ts'
import type { Project, ProjectRef } from '../../model/service/compute.ts'
import type { Instant } from '../../model/units.ts'
import type { AdviseInput } from '../input.ts'

/** A deleted compute. Histories are oldest first. */
export type ComputeLife = Readonly<{
  deletedAt: Instant
  gaps: readonly Gap[]
  settings: readonly ObservedSetting[]
  intervals: readonly SettledInterval[]
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
  Pick<AdviseInput, 'plan' | 'policy' | 'needs' | 'prices' | 'previous' | 'finished' | 'now'>
