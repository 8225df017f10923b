// What a step is made for: a change for a time, which is put back.
import type { Instant } from '../units.ts'
import type { StepRung } from './budget.ts'

/**
 * What a change is made for that lasts for a time: a rung of a budget for the rest of its period, a schedule while its window is open. `of` is
 * the id of the step that it puts back, and absent in a step.
 */
export type StepOrigin = Readonly<{
  /** Name of the budget, or of the window. */
  name: string
  /** Start of the period, or opening of the window. */
  period: Instant
  of?: string
}> &
  Readonly<{ by: 'budget'; rung: StepRung } | { by: 'schedule' }>

export const isStepOrigin = (origin: Readonly<{ by: string }>): origin is StepOrigin =>
  origin.by === 'budget' || origin.by === 'schedule'
