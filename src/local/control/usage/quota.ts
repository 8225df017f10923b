// The quota of a project: how much its computes may use in a calendar month.
import { usedUntil } from './meter.ts'
import { calendarMonth } from './month.ts'
import type { Project, Quota, Usage } from '../project.ts'

/** What all computes of a project have used until `now`, deleted ones included. */
export function totalUsage({ computes, spent }: Project, now: number): Usage {
  const uses = computes.map(({ meter }) => usedUntil(meter, now))
  return {
    awakeMs: uses.reduce((sum, { awakeMs }) => sum + awakeMs, spent.awakeMs),
    cuMs: uses.reduce((sum, { cuMs }) => sum + cuMs, spent.cuMs),
  }
}

/** A period begins with its month, so for this long no calendar is needed: every event comes by here. */
const SHORTEST_MONTH = 28 * 86_400_000

/** Begins a new month of counting when one has begun; nothing changed since, or an earlier step would have seen it. */
export function startPeriod(project: Project, now: number): Project {
  if (now - project.period.from < SHORTEST_MONTH) return project
  const { from } = calendarMonth(now)
  return from <= project.period.from
    ? project
    : { ...project, period: { from, before: totalUsage(project, from) } }
}

type Spending = { readonly left: number; readonly rate: number; readonly what: keyof Quota }

/** What is left of each limit, in ms of its unit, and how much of it goes per ms now. */
function spendings(project: Project, now: number): readonly Spending[] {
  const { quota, period, computes } = project
  if (!quota.active_time_seconds && !quota.compute_time_seconds) return []
  const used = totalUsage(project, now)
  const open = computes.map(({ meter }) => meter.open).filter((interval) => interval !== undefined)
  const limits: readonly (Omit<Spending, 'left'> & { readonly spent: number })[] = [
    { what: 'active_time_seconds', spent: used.awakeMs - period.before.awakeMs, rate: open.length },
    {
      what: 'compute_time_seconds',
      spent: used.cuMs - period.before.cuMs,
      rate: open.reduce((sum, { cu }) => sum + cu, 0),
    },
  ]
  return limits.flatMap(({ what, spent, rate }) => {
    const limit = quota[what] ?? 0
    return limit > 0 ? [{ what, left: limit * 1000 - spent, rate }] : []
  })
}

/** The limit that is used up, in words; undefined while none is. */
export function exceededQuota(project: Project, now: number): string | undefined {
  const spent = spendings(project, now).find(({ left }) => left <= 0)
  return spent && `project ${project.id} has used up its quota settings.quota.${spent.what}`
}

/** When a limit will be used up if the computes that are awake stay so; undefined when none will. */
export function quotaExceededAt(project: Project, now: number): number | undefined {
  const ends = spendings(project, now).flatMap(({ left, rate }) => (rate > 0 ? [now + left / rate] : []))
  return ends.length > 0 ? Math.max(now, Math.ceil(Math.min(...ends))) : undefined
}
