// Limits of a project's usage per calendar month.
import type { Context } from '../events.ts'
import { addUsage, closeMeter } from './meter.ts'
import { calendarMonth } from './month.ts'
import type { Project, Usage } from '../project.ts'

/** Usage until `now`, deleted computes included. */
export const totalUsage = ({ computes, spent }: Project, now: number): Usage =>
  computes.map(({ meter }) => closeMeter(meter, now).meter).reduce(addUsage, spent)

/** 28 days: until then no calendar is needed, and this runs at every event. */
const SHORTEST_MONTH = 28 * 86_400_000

/** Usage until the month's start is known now: an event since then would have started the period. */
export function startPeriod(project: Project, now: number): Project {
  if (now - project.period.from < SHORTEST_MONTH) return project
  const { from } = calendarMonth(now)
  if (from <= project.period.from) return project
  return { ...project, period: { from, before: totalUsage(project, from) } }
}

/** What is left, in ms of its unit, and the use per ms of awake computes. */
function limitStates(project: Project, now: number) {
  const { quota, period, computes } = project
  if (!quota.active_time_seconds && !quota.compute_time_seconds) return []
  const total = totalUsage(project, now)
  const open = computes.flatMap(({ meter }) => meter.open ?? [])
  const { awakeMs, cuMs } = period.before
  const cu = open.reduce((sum, interval) => sum + interval.cu, 0)
  const uses = [
    { limit: 'active_time_seconds', used: total.awakeMs - awakeMs, rate: open.length },
    { limit: 'compute_time_seconds', used: total.cuMs - cuMs, rate: cu },
  ] as const
  return uses.flatMap(({ limit, used, rate }) => {
    const allowed = quota[limit] ?? 0
    return allowed > 0 ? [{ limit, remaining: allowed * 1000 - used, rate }] : []
  })
}

type ProjectNow = Readonly<{ project: Project; context: Pick<Context, 'now'> }>

/** Names the first limit that is used up. */
export function exceededQuota({ project, context }: ProjectNow): string | undefined {
  const exceeded = limitStates(project, context.now).find(({ remaining }) => remaining <= 0)
  return exceeded && `project ${project.id} has used up its quota settings.quota.${exceeded.limit}`
}

/** Infinity when no limit will be used up. Assumes that no compute wakes or suspends. */
export function quotaExceededAt(project: Project, now: number): number {
  const states = limitStates(project, now)
  const ends = states.map(({ remaining, rate }) => (rate > 0 ? now + remaining / rate : Infinity))
  return Math.max(now, Math.ceil(Math.min(...ends)))
}
