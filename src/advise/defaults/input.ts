import type { Project, ProjectRef } from '../../model/service/compute.ts'
import type { AdviseInput } from '../input.ts'
import type { ComputeLife } from './lives.ts'

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
