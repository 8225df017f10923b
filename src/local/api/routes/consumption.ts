// Consumption history: usage by project or branch in hours, days or months.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { UsageWindow } from '../../control/usage/usage.ts'
import type { Interval } from '../../control/events.ts'
import { calendarMonth } from '../../control/usage/month.ts'
import type { Project } from '../../control/project.ts'
import type { AddRoutes, Api, Call } from '../context.ts'
import { ApiError } from '../errors.ts'
import { limitQuery, parseQuery } from '../input.ts'
import { requireOrganization } from '../plane-access.ts'
import { countedUntil, subscriptionOf } from '../wire/project-wire.ts'
import { type WireRecord, timestamp } from '../wire/records.ts'

const METRICS = [
  'compute_unit_seconds',
  'root_branch_bytes_month',
  'child_branch_bytes_month',
  'instant_restore_bytes_month',
  'public_network_transfer_bytes',
  'private_network_transfer_bytes',
] as const
const PROJECT_METRICS = ['extra_branches_month', 'snapshot_storage_bytes_month'] as const

/** Ids in one query (service-facts 6). */
const MAX_IDS = 100

/** Items of a comma list, each once. */
const listOf = <Item extends z.ZodType<unknown, string>>(
  item: Item,
  least = 0,
): z.ZodType<z.output<Item>[]> =>
  z
    .preprocess(
      (text) => (typeof text === 'string' ? text.split(',').filter(Boolean) : text),
      z.array(item).min(least).max(MAX_IDS),
    )
    .transform((items) => [...new Set(items)])

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
  project_ids: listOf(z.string(), 1),
  branch_ids: listOf(z.string()).optional(),
  limit: limitQuery(1000, 100),
})

type Query = Pick<z.output<typeof projectsQuery>, 'org_id' | 'from' | 'to' | 'granularity' | 'metrics'>

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The timeframe around an instant. */
type TimeframeAround = (at: number) => UsageWindow

const timeframesOf = (length: number) => (at: number) => {
  const from = Math.floor(at / length) * length
  return { from, to: from + length }
}

/** How far back the history reaches, ms, and its timeframes. */
const GRANULARITY = {
  hourly: { reach: 168 * HOUR, around: timeframesOf(HOUR) },
  daily: { reach: 60 * DAY, around: timeframesOf(DAY) },
  monthly: { reach: 366 * DAY, around: calendarMonth },
} as const

export const consumptionRoutes: AddRoutes = (app, api) => {
  app.get('/consumption_history/v2/projects', (call) => {
    const query = requestedHistory(call, projectsQuery, api)
    const { project_ids: ids = [], cursor, limit } = query
    const fits = ({ id }: Project) => ids.length === 0 || ids.includes(id)
    const page = api.plane.page({ after: cursor, limit, fits })
    const projects = page.map((project) => historyOf({ project }, query, api))
    return call.json({ projects, pagination: page.at(-1) && { cursor: page.at(-1)?.id } })
  })

  app.get('/consumption_history/v2/branches', (call) => {
    const query = requestedHistory(call, branchesQuery, api)
    const { project_ids: projectIds, branch_ids: branchIds = [], cursor = '', limit } = query
    const page = projectIds
      .flatMap((projectId) => api.plane.project(projectId) ?? [])
      .flatMap((project) =>
        project.branches.map(({ id }) => ({ project, branchId: id, key: `${project.id}/${id}` })),
      )
      .filter(({ branchId }) => branchIds.length === 0 || branchIds.includes(branchId))
      .filter(({ key }) => key > cursor)
      .toSorted((a, b) => (a.key < b.key ? -1 : 1))
      .slice(0, limit)
    const branches = page.map((subject) => historyOf(subject, query, api))
    return call.json({ branches, pagination: page.at(-1) && { cursor: page.at(-1)?.key } })
  })
}

/** The query, once plan, organization and range are checked. */
function requestedHistory<Asked extends Query>(call: Call, schema: z.ZodType<Asked>, api: Api): Asked {
  if (api.settings().plan === 'free') throw new ApiError(403, 'consumption history needs a paid plan')
  const query = parseQuery(call, schema)
  requireOrganization(query.org_id, api, 'org_id: ')
  const { reach, around } = GRANULARITY[query.granularity]
  if (query.from >= query.to) throw new ApiError(406, 'from: expected an instant before to')
  if (query.from < around(api.clock.now() - reach).from)
    throw new ApiError(406, `from: ${query.granularity} history reaches back ${reach / DAY} days`)
  return query
}

type Subject = Readonly<{ project: Project; branchId?: string }>

/** Periods by calendar month, oldest first, from the project's creation until now. */
function historyOf({ project, branchId }: Subject, query: Query, api: Api): WireRecord {
  const now = api.clock.now()
  const { around } = GRANULARITY[query.granularity]
  const intervals = api.plane
    .intervals(project.id, { from: around(query.from).from, to: countedUntil(api) })
    .filter((interval) => branchId === undefined || interval.branchId === branchId)
  const usage = usageByTimeframe(intervals, around)
  const range = { from: Math.max(query.from, project.createdAt), to: Math.min(query.to, now) }
  const months = Map.groupBy(timeframesIn(range, around), ({ from }) => calendarMonth(from).from)
  const periods = [...months].map(([start, timeframes]) => ({
    period_id: periodId(`${project.id} ${start}`),
    period_plan: subscriptionOf(api),
    period_start: timestamp(start),
    ...(calendarMonth(start).to <= now && { period_end: timestamp(calendarMonth(start).to) }),
    consumption: timeframes.map(({ from, to }) => ({
      timeframe_start: timestamp(from),
      timeframe_end: timestamp(to),
      metrics: query.metrics.map((metric) => ({
        metric_name: metric,
        value: metric === 'compute_unit_seconds' ? Math.floor((usage.get(from) ?? 0) / 1000) : 0,
      })),
    })),
  }))
  return { project_id: project.id, branch_id: branchId, periods }
}

/** Timeframes that overlap the range, in order. */
function* timeframesIn({ from, to }: UsageWindow, around: TimeframeAround): Iterable<UsageWindow> {
  for (let timeframe = around(from); timeframe.from < to; timeframe = around(timeframe.to)) yield timeframe
}

/** Start of a timeframe → CU·ms; absent without usage. */
function usageByTimeframe(intervals: readonly Interval[], around: TimeframeAround): Map<number, number> {
  const usage = new Map<number, number>()
  for (const interval of intervals)
    for (const { from, to } of timeframesIn(interval, around)) {
      const length = Math.min(interval.to, to) - Math.max(interval.from, from)
      usage.set(from, (usage.get(from) ?? 0) + length * interval.cu)
    }
  return usage
}

/** A UUID derived from the name: the same in every answer. */
const periodId = (name: string) =>
  createHash('sha256')
    .update(name)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5')
