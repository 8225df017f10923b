// The quota of a project: limits of its computes' usage per calendar month.
import type { Draft } from '../draft.ts'
import { addUsage, closeMeter } from './meter.ts'
import { calendarMonth } from './month.ts'
import type { Project, Usage } from '../project.ts'

/** Usage of all computes of a project until `now`, deleted ones included. */
export const totalUsage = ({ computes, spent }: Project, now: number): Usage =>
  computes.map(({ meter }) => closeMeter(meter, now).meter).reduce(addUsage, spent)

/** Length of the shortest month: until then no calendar is needed, and this runs at every event. */
const SHORTEST_MONTH = 28 * 86_400_000

/**
 * Starts the period of a new month. Usage until the month's start can be computed now, because an event since then would
 * have started the period.
 */
export function startPeriod(project: Project, now: number): Project {
  if (now - project.period.from < SHORTEST_MONTH) return project
  const { from } = calendarMonth(now)
  if (from <= project.period.from) return project
  return { ...project, period: { from, before: totalUsage(project, from) } }
}

/** States of the limits: the rest in ms of its unit, and the use per ms of the computes that are awake. */
function limitStates(project: Project, now: number) {
  const { quota, period, computes } = project
  if (!quota.active_time_seconds && !quota.compute_time_seconds) return []
  const total = totalUsage(project, now)
  const open = computes.flatMap(({ meter }) => meter.open ?? [])
  const uses = [
    { limit: 'active_time_seconds', used: total.awakeMs - period.before.awakeMs, rate: open.length },
    {
      limit: 'compute_time_seconds',
      used: total.cuMs - period.before.cuMs,
      rate: open.reduce((sum, { cu }) => sum + cu, 0),
    },
  ] as const
  return uses.flatMap(({ limit, used, rate }) => {
    const allowed = quota[limit] ?? 0
    return allowed > 0 ? [{ limit, remaining: allowed * 1000 - used, rate }] : []
  })
}

/** Message that names the first limit that is used up; undefined when none is. */
export function exceededQuota({ project, context }: Draft): string | undefined {
  const exceeded = limitStates(project, context.now).find(({ remaining }) => remaining <= 0)
  return exceeded && `project ${project.id} has used up its quota settings.quota.${exceeded.limit}`
}

/** Instant at which a limit will be used up if no compute wakes or suspends; Infinity when none will be. */
export function quotaExceededAt(project: Project, now: number): number {
  const ends = limitStates(project, now).map(({ remaining, rate }) =>
    rate > 0 ? now + remaining / rate : Infinity,
  )
  return Math.max(now, Math.ceil(Math.min(...ends)))
}
