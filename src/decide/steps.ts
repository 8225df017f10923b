// Steps: changes for a time. A rung of a budget lets settings of the computes that it may act on go to their floors for the rest of its
// period, a schedule sets a delay while its window is open.
import type { BudgetView, StepRung } from '../model/policy/budget.ts'
import type { ChangeSettings } from '../model/policy/change.ts'
import type { StepOrigin } from '../model/policy/step-origin.ts'
import type { PlanLimits } from '../model/policy/plan-limits.ts'
import type { Floors } from '../model/policy/policies.ts'
import {
  delayMillis,
  largestCu,
  smallestCu,
  type AutosuspendDelay,
  type ComputeRef,
  type Sizing,
} from '../model/service/compute.ts'
import { seconds, type Instant } from '../model/units.ts'

export type SettingStep = Readonly<{
  origin: StepOrigin
  ref: ComputeRef
  kind: 'delay' | 'sizing'
  desired: ChangeSettings
}>

export type StepCompute = Readonly<{
  ref: ComputeRef
  sizing: Sizing
  /** In effect. */
  delay: AutosuspendDelay
  floors: Floors
  /** Undefined: the service plan is not known, and neither is its shortest delay. */
  limits: PlanLimits | undefined
}>

/** Rungs of this period that change settings now. */
export const actingRungs = ({
  rungs,
  enforcement,
}: Pick<BudgetView, 'rungs' | 'enforcement'>): readonly StepRung[] =>
  enforcement.kind === 'acts' ? enforcement.rungs.filter((rung) => rungs.includes(rung)) : []

/** Undefined where the compute is at its floor, or no floor is known. */
export function stepOf(
  { name, period }: Pick<BudgetView, 'name' | 'period'>,
  rung: StepRung,
  compute: StepCompute,
): SettingStep | undefined {
  const desired = rung === 80 ? delayAtFloor(compute) : sizeAtFloor(compute)
  if (!desired) return undefined
  const kind = rung === 80 ? 'delay' : 'sizing'
  return { origin: { by: 'budget', name, rung, period: period.from }, ref: compute.ref, kind, desired }
}

function delayAtFloor({ delay, floors, limits }: StepCompute): ChangeSettings | undefined {
  if (!limits) return undefined
  const floor = seconds(Math.max(floors.delay, limits.delays.from))
  return delayMillis(delay) > delayMillis(floor) ? { autosuspendDelay: floor } : undefined
}

/** A range keeps its minimum, so that the largest size falls to it, or to the floor above it. A fixed size needs a floor. */
function sizeAtFloor({ sizing, floors }: StepCompute): ChangeSettings | undefined {
  const [min, max] = [smallestCu(sizing), largestCu(sizing)]
  const floor = 'fixed' in sizing ? floors.size : (floors.size ?? min)
  const next = floor !== undefined && !('fixed' in sizing) && floor < min ? min : floor
  if (next === undefined || next >= max) return undefined
  return { sizing: next <= min ? { fixed: next } : { min, max: next } }
}

/** Entry of a schedule whose window is open. */
export type OpenSchedule = Readonly<{ window: string; openedAt: Instant; delay: AutosuspendDelay }>

/** Undefined where the compute has the delay of the schedule. */
export function scheduledStepOf(
  { window, openedAt, delay: wanted }: OpenSchedule,
  { ref, delay }: Pick<StepCompute, 'ref' | 'delay'>,
): SettingStep | undefined {
  if (delayMillis(delay) === delayMillis(wanted)) return undefined
  const origin = { by: 'schedule', name: window, period: openedAt } as const
  return { origin, ref, kind: 'delay', desired: { autosuspendDelay: wanted } }
}

/** Key of one step of one period. */
export const stepKey = ({ origin, ref }: Pick<SettingStep, 'origin' | 'ref'>): string =>
  JSON.stringify([periodKey(origin), rungOf(origin), origin.period, ref.endpointId])

export const rungOf = (origin: StepOrigin): StepRung | undefined =>
  origin.by === 'budget' ? origin.rung : undefined

/**
 * Start of the period of each budget and of each window of a schedule, by `periodKey`; undefined where no period contains the time, or the
 * window is closed.
 */
export type CurrentPeriods = ReadonlyMap<string, Instant | undefined>

export const periodKey = ({ by, name }: Pick<StepOrigin, 'by' | 'name'>): string => `${by} ${name}`

/** Whether the period of a step is over, or its budget or window is gone. */
export const isOver = (origin: StepOrigin, periods: CurrentPeriods): boolean =>
  periods.get(periodKey(origin)) !== origin.period
