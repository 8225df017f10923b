// Consumption history: usage by project or branch, in timeframes of hours, days or months.
import { createHash } from 'node:crypto'
import type { Hono } from 'hono'
import { z } from 'zod'
import type { UsageWindow } from '../../control/usage/usage.ts'
import type { Interval } from '../../control/events.ts'
import { calendarMonth } from '../../control/usage/month.ts'
import type { Project } from '../../control/project.ts'
import type { Api, Env } from '../context.ts'
import { ApiError } from '../errors.ts'
import { parseQuery } from '../input.ts'
import { subscriptionOf } from '../wire/project-wire.ts'
import { limitQuery } from './projects.ts'
import { timestamp } from '../wire/records.ts'

const METRICS = [
  'compute_unit_seconds',
  'root_branch_bytes_month',
  'child_branch_bytes_month',
  'instant_restore_bytes_month',
  'public_network_transfer_bytes',
  'private_network_transfer_bytes',
] as const
const PROJECT_METRICS = ['extra_branches_month', 'snapshot_storage_bytes_month'] as const

const listOf = <Item extends z.ZodType<unknown, string>>(item: Item): z.ZodType<z.output<Item>[]> =>
  z.preprocess((text) => (typeof text === 'string' ? text.split(',').filter(Boolean) : text), z.array(item))

const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))

const common = {
  org_id: z.string(),
  from: instant,
  to: instant,
  granularity: z.enum(['hourly', 'daily', 'monthly']),
  cursor: z.string().optional(),
}

const projectsQuery = z.object({
  ...common,
  metrics: listOf(z.enum([...METRICS, ...PROJECT_METRICS])),
  project_ids: listOf(z.string()).optional(),
  limit: limitQuery(100, 10),
})

const branchesQuery = z.object({
  ...common,
  metrics: listOf(z.enum(METRICS)),
  project_ids: listOf(z.string()),
  branch_ids: listOf(z.string()).optional(),
  limit: limitQuery(1000, 100),
})

type Query = Pick<z.output<typeof projectsQuery>, 'org_id' | 'from' | 'to' | 'granularity' | 'metrics'>

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** By granularity: how far back the history reaches, ms, and the timeframe that contains an instant. */
const GRANULARITY = {
  hourly: { reach: 168 * HOUR, around: (at: number) => timeframeOf(at, HOUR) },
  daily: { reach: 60 * DAY, around: (at: number) => timeframeOf(at, DAY) },
  monthly: { reach: 366 * DAY, around: calendarMonth },
} as const

const timeframeOf = (at: number, length: number): UsageWindow => {
  const from = Math.floor(at / length) * length
  return { from, to: from + length }
}

export function consumptionRoutes(app: Hono<Env>, api: Api): void {
  app.get('/consumption_history/v2/projects', (call) => {
    requirePaidPlan(api)
    const query = parseQuery(call, projectsQuery)
    requireRange(query, api)
    const { project_ids: ids, cursor, limit } = query
    const fits = ({ id }: Project): boolean => !ids || ids.length === 0 || ids.includes(id)
    const page = api.plane.page({ after: cursor, limit, fits })
    const projects = page.map((project) => ({
      project_id: project.id,
      periods: periodsOf(project, query, { api, intervals: intervalsOf(project, query, api) }),
    }))
    return call.json({ projects, ...paginationOf(page.at(-1)?.id) })
  })

  app.get('/consumption_history/v2/branches', (call) => {
    requirePaidPlan(api)
    const query = parseQuery(call, branchesQuery)
    requireRange(query, api)
    const { project_ids: projectIds, branch_ids: branchIds, cursor = '', limit } = query
    const page = projectIds
      .flatMap((projectId) => api.plane.project(projectId) ?? [])
      .flatMap((project) => project.branches.map((branch) => ({ project, branchId: branch.id })))
      .filter(({ branchId }) => !branchIds || branchIds.length === 0 || branchIds.includes(branchId))
      .filter(({ branchId }) => branchId > cursor)
      .toSorted((a, b) => (a.branchId < b.branchId ? -1 : 1))
      .slice(0, limit)
    const branches = page.map(({ project, branchId }) => {
      const intervals = intervalsOf(project, query, api).filter((interval) => interval.branchId === branchId)
      return {
        project_id: project.id,
        branch_id: branchId,
        periods: periodsOf(project, query, { api, intervals }),
      }
    })
    return call.json({ branches, ...paginationOf(page.at(-1)?.branchId) })
  })
}

const paginationOf = (cursor: string | undefined): Record<string, unknown> =>
  cursor === undefined ? {} : { pagination: { cursor } }

function requirePaidPlan({ settings }: Api): void {
  if (settings().plan === 'free') throw new ApiError(403, 'consumption history needs a paid plan')
}

function requireRange({ org_id: organization, from, to, granularity }: Query, api: Api): void {
  if (organization !== api.account.organizationId)
    throw new ApiError(404, `org_id: organization not found: ${organization}`)
  const { reach, around } = GRANULARITY[granularity]
  if (from >= to) throw new ApiError(406, 'from: expected an instant before to')
  if (from < around(api.clock.now() - reach).from)
    throw new ApiError(406, `from: ${granularity} history reaches back ${reach / DAY} days`)
}

type TimeframeQuery = Omit<Query, 'org_id'>

/** Awake intervals of a project from the first timeframe on, without the usage that counters do not show yet. */
function intervalsOf(
  project: Project,
  { granularity, from }: TimeframeQuery,
  { plane, clock, settings }: Api,
): readonly Interval[] {
  const window = {
    from: GRANULARITY[granularity].around(from).from,
    to: clock.now() - 1000 * settings().countersLag,
  }
  return plane.intervals(project.id, window)
}

type UsageSource = { readonly api: Api; readonly intervals: readonly Interval[] }

/** Periods of a project by calendar month, oldest first, from the creation of the project until now at most. */
function periodsOf(project: Project, query: TimeframeQuery, { api, intervals }: UsageSource): unknown[] {
  const now = api.clock.now()
  const { around } = GRANULARITY[query.granularity]
  const usage = usageByTimeframe(intervals, around)
  const months = new Map<number, unknown[]>()
  const end = Math.min(query.to, now)
  for (
    let timeframe = around(Math.max(query.from, project.createdAt));
    timeframe.from < end;
    timeframe = around(timeframe.to)
  ) {
    const month = calendarMonth(timeframe.from).from
    const timeframes = months.get(month) ?? []
    timeframes.push({
      timeframe_start: timestamp(timeframe.from),
      timeframe_end: timestamp(timeframe.to),
      metrics: query.metrics.map((metric) => ({
        metric_name: metric,
        value: metric === 'compute_unit_seconds' ? Math.floor((usage.get(timeframe.from) ?? 0) / 1000) : 0,
      })),
    })
    months.set(month, timeframes)
  }
  return [...months].map(([start, consumption]) => ({
    period_id: periodId(`${project.id} ${start}`),
    period_plan: subscriptionOf(api),
    period_start: timestamp(start),
    ...(calendarMonth(start).to <= now && { period_end: timestamp(calendarMonth(start).to) }),
    consumption,
  }))
}

/** Start of a timeframe → CU·ms in it. Timeframes without usage are absent. */
function usageByTimeframe(
  intervals: readonly Interval[],
  around: (at: number) => UsageWindow,
): Map<number, number> {
  const usage = new Map<number, number>()
  for (const { from, to, cu } of intervals) {
    for (let timeframe = around(from); timeframe.from < to; timeframe = around(timeframe.to)) {
      const length = Math.min(to, timeframe.to) - Math.max(from, timeframe.from)
      usage.set(timeframe.from, (usage.get(timeframe.from) ?? 0) + length * cu)
    }
  }
  return usage
}

/** The id of a period: a UUID derived from its name, so the same in every answer. */
const periodId = (name: string): string =>
  createHash('sha256')
    .update(name)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5')
