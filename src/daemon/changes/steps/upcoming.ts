// What schedules of policies will set, and what will be put back after the periods of budgets, within a time, for plans.
import type { Config } from '../../../config/load.ts'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import type { AutosuspendDelay } from '../../../model/service/compute.ts'
import type { SettingStep } from '../../../decide/steps.ts'
import type { Budget } from '../../../model/policy/budget.ts'
import type { Instant, Interval } from '../../../model/units.ts'
import type { StepChange } from './step-memory.ts'
import { targetOf } from './wanted-steps.ts'

/** An opening of a window, with the delay that it sets, and how many computes it sets it for. */
export type UpcomingSchedule = Interval &
  Readonly<{ window: string; delay: AutosuspendDelay; computes: number }>

/**
 * Openings that touch `within`, in order of time: of policies that make changes of delays. Where several windows are open, the first of the
 * policy counts.
 */
export function upcomingSchedules(
  { computes }: Pick<Snapshot, 'computes'>,
  { policies, windows }: Pick<Config, 'policies' | 'windows'>,
  within: Interval,
): readonly UpcomingSchedule[] {
  if (!policies.hasSchedules) return []
  const entries = computes.flatMap((view) => {
    const target = targetOf(view)
    const { mode, levers } = policies.changesOf(target)
    const acts = (mode === 'apply' || mode === 'approve') && levers.includes('delay')
    return acts ? policies.scheduleOf(target) : []
  })
  const same = Map.groupBy(entries, ({ window, delay }) => JSON.stringify([window, delay]))
  return [...same.values()]
    .flatMap((group) => {
      const [first] = group
      const openings = first ? (windows.get(first.window)?.between(within.from, within.to) ?? []) : []
      return openings.flatMap((opening) => (first ? [{ ...opening, ...first, computes: group.length }] : []))
    })
    .toSorted((one, other) => one.from - other.from)
}

/** Settings of one kind that a budget set, and that are put back when its period ends, where they still hold then. */
export type UpcomingPutBack = Readonly<{
  budget: string
  at: Instant
  kind: SettingStep['kind']
  computes: number
}>

/** Periods that end in `within`, in order of time. @param standing steps that took effect, and that no change puts back */
export function upcomingPutBacks(
  standing: readonly StepChange[],
  budgets: readonly Budget[],
  within: Interval,
): readonly UpcomingPutBack[] {
  const periods = new Map(budgets.map(({ name, periodAt }) => [name, periodAt(within.from)]))
  const ending = standing.flatMap(({ origin, kind }) => {
    const period = origin.by === 'budget' ? periods.get(origin.name) : undefined
    const isEnding = period?.from === origin.period && period.to <= within.to
    return isEnding ? [{ budget: origin.name, at: period.to, kind: stepKind(kind) }] : []
  })
  const same = Map.groupBy(ending, ({ budget, kind }) => JSON.stringify([budget, kind]))
  return [...same.values()]
    .flatMap((steps) => steps.slice(0, 1).map((first) => ({ ...first, computes: steps.length })))
    .toSorted((one, other) => one.at - other.at)
}

const stepKind = (kind: StepChange['kind']): SettingStep['kind'] => (kind === 'sizing' ? 'sizing' : 'delay')
