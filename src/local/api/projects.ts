import type { Hono } from 'hono'
import { z } from 'zod'
import type { Project } from '../control/project.ts'
import type { Api, Call, Env } from './context.ts'
import { refuse } from './errors.ts'
import { queryOf } from './input.ts'
import { branchWire, projectUse, projectWire, timestamp } from './wire.ts'

const limit = (most: number, fallback: number): z.ZodDefault<z.ZodCoercedNumber> =>
  z.coerce.number().int().min(1).max(most).default(fallback)

const listQuery = z.object({
  cursor: z.string().optional(),
  limit: limit(400, 10),
  search: z.string().optional(),
  timeout: z.coerce.number().int().min(100).max(30_000).optional(),
})

const branchesQuery = z.object({
  cursor: z.string().optional(),
  limit: limit(10_000, 100),
  search: z.string().optional(),
})

const matches = (
  search: string | undefined,
  { id, name }: { readonly id: string; readonly name: string },
): boolean => search === undefined || id.includes(search) || name.includes(search)

/** The project of the path, or the answer that there is none. */
export function projectOf(call: Call, { engine }: Api): Project | Response {
  const projectId = call.req.param('project_id') ?? ''
  return engine.project(projectId) ?? refuse(call, 404, `project not found: ${projectId}`)
}

export function projectRoutes(app: Hono<Env>, api: Api): void {
  const { engine, settings, clock } = api
  const view = (): { now: number; lag: number } => ({ now: clock.now(), lag: settings.lastActiveLag })

  app.get('/projects', (call) => {
    const query = queryOf(call, listQuery)
    if (!query.ok) return query.answer
    const { cursor, search, limit: most } = query.value
    const page = engine
      .projects()
      .filter((project) => (cursor === undefined || project.id > cursor) && matches(search, project))
      .slice(0, most)
    const last = page.at(-1)
    return call.json({
      projects: page.map((project) => ({
        ...projectWire(project, api.pgVersion, view()),
        active_time: projectUse(project, clock.now()).awake,
        owner_id: api.accountId,
      })),
      // present on the last page too; absent on an empty one, where an empty cursor would break the schema
      ...(last && { pagination: { cursor: last.id } }),
      applications: {},
      integrations: {},
    })
  })

  app.get('/projects/:project_id', (call) => {
    const project = projectOf(call, api)
    return project instanceof Response ? project : call.json({ project: detailWire(project, api) })
  })

  app.get('/projects/:project_id/branches', (call) => {
    const project = projectOf(call, api)
    if (project instanceof Response) return project
    const query = queryOf(call, branchesQuery)
    if (!query.ok) return query.answer
    const { cursor, search, limit: most } = query.value
    const page = project.branches
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .filter((branch) => (cursor === undefined || branch.id > cursor) && matches(search, branch))
      .slice(0, most)
    const last = page.at(-1)
    return call.json({
      branches: page.map((branch) => branchWire(project, branch, clock.now())),
      annotations: {},
      ...(last && { pagination: { next: last.id, sort_by: 'id', sort_order: 'ASC' } }),
    })
  })

  app.get('/projects/:project_id/branches/:branch_id', (call) => {
    const project = projectOf(call, api)
    if (project instanceof Response) return project
    const branchId = call.req.param('branch_id')
    const branch = project.branches.find(({ id }) => id === branchId)
    if (!branch) return refuse(call, 404, `branch not found: ${branchId}`)
    return call.json({
      branch: branchWire(project, branch, clock.now()),
      annotation: { object: { type: 'console/branch', id: branchId }, value: {} },
    })
  })
}

/** Counters of a project cover the calendar month in UTC. */
function detailWire(project: Project, api: Api): Record<string, unknown> {
  const now = api.clock.now()
  const today = new Date(now)
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()]
  const [start, end] = [Date.UTC(year, month), Date.UTC(year, month + 1)]
  const use = useSince(project, start, api)
  return {
    ...projectWire(project, api.pgVersion, { now, lag: api.settings.lastActiveLag }),
    owner_id: api.accountId,
    owner: {
      name: 'local',
      email: 'local@localhost.localdomain',
      branches_limit: 10,
      subscription_type: api.settings.plan === 'free' ? 'free_v3' : 'scale_v3',
    },
    consumption_period_start: timestamp(start),
    consumption_period_end: timestamp(end),
    active_time_seconds: Math.floor(use.awake),
    compute_time_seconds: Math.floor(use.cu),
    written_data_bytes: 0,
    data_transfer_bytes: 0,
    data_storage_bytes_hour: 0,
  }
}

/** Awake seconds and CU-seconds of a project since `from`, ms, exactly. */
function useSince(project: Project, from: number, { engine, clock }: Api): { awake: number; cu: number } {
  const now = clock.now()
  const intervals = engine
    .accounts(now)
    .filter(({ projectId }) => projectId === project.id)
    .flatMap((account) => account.intervals)
    .map(({ from: began, to, cu }) => ({ span: Math.max(0, (to ?? now) - Math.max(from, began)) / 1000, cu }))
  return {
    awake: intervals.reduce((sum, { span }) => sum + span, 0),
    cu: intervals.reduce((sum, { span, cu }) => sum + span * cu, 0),
  }
}
