// Delays that schedules of policies will set within a time, for plans.
import type { Config } from '../../../config/load.ts'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import type { AutosuspendDelay } from '../../../model/service/compute.ts'
import type { Interval } from '../../../model/units.ts'
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
