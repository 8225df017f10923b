// Consumption history: what every project or branch used, cut into hours, days or months.
import { createHash } from 'node:crypto'
import type { Hono } from 'hono'
import { z } from 'zod'
import type { UsageWindow } from '../../control/usage/usage.ts'
import type { Interval } from '../../control/events.ts'
import { calendarMonth } from '../../control/usage/month.ts'
import type { Project } from '../../control/project.ts'
import type { Api, Call, Env } from '../context.ts'
import { errorAnswer } from '../errors.ts'
import { queryOf } from '../input.ts'
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
const OF_PROJECTS = ['extra_branches_month', 'snapshot_storage_bytes_month'] as const

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
  metrics: listOf(z.enum([...METRICS, ...OF_PROJECTS])),
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

/** How far back each granularity reaches, ms, and where the piece of time around an instant begins and ends. */
const GRANULARITY = {
  hourly: { reach: 168 * HOUR, around: (at: number) => pieceOf(at, HOUR) },
  daily: { reach: 60 * DAY, around: (at: number) => pieceOf(at, DAY) },
  monthly: { reach: 366 * DAY, around: calendarMonth },
} as const

const pieceOf = (at: number, length: number): UsageWindow => {
  const from = Math.floor(at / length) * length
  return { from, to: from + length }
}

export function consumptionRoutes(app: Hono<Env>, api: Api): void {
  app.get('/consumption_history/v2/projects', (call) => {
    const refused = planAnswer(call, api)
    if (refused) return refused
    const query = queryOf(call, projectsQuery)
    if (!query.ok) return query.answer
    const unfit = rangeAnswer(call, query.value, api)
    if (unfit) return unfit
    const { project_ids: ids, cursor, limit } = query.value
    const fits = ({ id }: Project): boolean => !ids || ids.length === 0 || ids.includes(id)
    const page = api.plane.page({ after: cursor, limit, fits })
    const projects = page.map((project) => ({
      project_id: project.id,
      periods: periodsOf(project, query.value, { api, intervals: intervalsOf(project, query.value, api) }),
    }))
    return call.json({ projects, ...paginationOf(page.at(-1)?.id) })
  })

  app.get('/consumption_history/v2/branches', (call) => {
    const refused = planAnswer(call, api)
    if (refused) return refused
    const query = queryOf(call, branchesQuery)
    if (!query.ok) return query.answer
    const unfit = rangeAnswer(call, query.value, api)
    if (unfit) return unfit
    const { project_ids: projectIds, branch_ids: branchIds, cursor = '', limit } = query.value
    const page = projectIds
      .flatMap((projectId) => api.plane.project(projectId) ?? [])
      .flatMap((project) => project.branches.map((branch) => ({ project, branchId: branch.id })))
      .filter(({ branchId }) => !branchIds || branchIds.length === 0 || branchIds.includes(branchId))
      .filter(({ branchId }) => branchId > cursor)
      .toSorted((a, b) => (a.branchId < b.branchId ? -1 : 1))
      .slice(0, limit)
    const branches = page.map(({ project, branchId }) => {
      const intervals = intervalsOf(project, query.value, api).filter((one) => one.branchId === branchId)
      return {
        project_id: project.id,
        branch_id: branchId,
        periods: periodsOf(project, query.value, { api, intervals }),
      }
    })
    return call.json({ branches, ...paginationOf(page.at(-1)?.branchId) })
  })
}

const paginationOf = (cursor: string | undefined): Record<string, unknown> =>
  cursor === undefined ? {} : { pagination: { cursor } }

const planAnswer = (call: Call, { settings }: Api): Response | undefined =>
  settings().plan === 'free' ? errorAnswer(call, 403, 'consumption history needs a paid plan') : undefined

function rangeAnswer(
  call: Call,
  { org_id: organization, from, to, granularity }: Query,
  api: Api,
): Response | undefined {
  if (organization !== api.account.organizationId)
    return errorAnswer(call, 404, `org_id: organization not found: ${organization}`)
  const { reach, around } = GRANULARITY[granularity]
  if (from >= to) return errorAnswer(call, 406, 'from: expected an instant before to')
  if (from >= around(api.clock.now() - reach).from) return undefined
  return errorAnswer(call, 406, `from: ${granularity} history reaches back ${reach / DAY} days`)
}

type Span = Pick<Query, 'granularity' | 'from' | 'to' | 'metrics'>

/** All the use there is in the pieces of time that are asked for; it shows only after the lag of the counters. */
function intervalsOf(
  project: Project,
  { granularity, from }: Span,
  { plane, clock, settings }: Api,
): readonly Interval[] {
  const window = {
    from: GRANULARITY[granularity].around(from).from,
    to: clock.now() - 1000 * settings().countersLag,
  }
  return plane.intervals(project.id, window)
}

type Source = { readonly api: Api; readonly intervals: readonly Interval[] }

/** One period per calendar month, oldest first; nothing before the project was, and nothing after now. */
function periodsOf(project: Project, query: Span, { api, intervals }: Source): unknown[] {
  const now = api.clock.now()
  const { around } = GRANULARITY[query.granularity]
  const uses = usesByPiece(intervals, around)
  const months = new Map<number, unknown[]>()
  const end = Math.min(query.to, now)
  for (
    let piece = around(Math.max(query.from, project.createdAt));
    piece.from < end;
    piece = around(piece.to)
  ) {
    const month = calendarMonth(piece.from).from
    const timeframes = months.get(month) ?? []
    timeframes.push({
      timeframe_start: timestamp(piece.from),
      timeframe_end: timestamp(piece.to),
      metrics: query.metrics.map((metric) => ({
        metric_name: metric,
        value: metric === 'compute_unit_seconds' ? Math.floor((uses.get(piece.from) ?? 0) / 1000) : 0,
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

/** Beginning of a piece of time → CU·ms in it; pieces without use are not there. */
function usesByPiece(
  intervals: readonly Interval[],
  around: (at: number) => UsageWindow,
): Map<number, number> {
  const uses = new Map<number, number>()
  for (const { from, to, cu } of intervals) {
    for (let piece = around(from); piece.from < to; piece = around(piece.to)) {
      const length = Math.min(to, piece.to) - Math.max(from, piece.from)
      uses.set(piece.from, (uses.get(piece.from) ?? 0) + length * cu)
    }
  }
  return uses
}

/** A UUID that is the same whenever the same period is asked for. */
const periodId = (name: string): string =>
  createHash('sha256')
    .update(name)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5')
