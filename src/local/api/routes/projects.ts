import type { Hono } from 'hono'
import { z } from 'zod'
import type { Api, Env } from '../context.ts'
import { ApiError } from '../errors.ts'
import { parseBody, parseQuery, requirePgSettings } from '../input.ts'
import { askPlane, projectOr404 } from '../plane-access.ts'
import { defaultsOf, quotaOf, updateProjectBody } from '../wire/project-body.ts'
import { projectDetailWire, projectListWire } from '../wire/project-wire.ts'
import { operationWire } from '../wire/records.ts'

/** The `limit` of a query, a whole number from 1 to `max`. */
export const limitQuery = (max: number, fallback: number): z.ZodDefault<z.ZodCoercedNumber> =>
  z.coerce.number().int().min(1).max(max).default(fallback)

/** Whether the id or the name contains the text. */
export const matches = (
  search: string | undefined,
  { id, name }: { readonly id: string; readonly name: string },
): boolean => search === undefined || id.includes(search) || name.includes(search)

const listQuery = z.object({
  cursor: z.string().optional(),
  limit: limitQuery(400, 10),
  search: z.string().optional(),
  org_id: z.string().optional(),
  timeout: z.coerce.number().int().min(100).max(30_000).optional(),
})

export const PG_SETTINGS = 'project.default_endpoint_settings.pg_settings'

export function projectRoutes(app: Hono<Env>, api: Api): void {
  app.get('/projects', (call) => {
    const { cursor: after, search, limit, org_id: organization } = parseQuery(call, listQuery)
    if (organization !== undefined && organization !== api.account.organizationId)
      throw new ApiError(404, `org_id: organization not found: ${organization}`)
    const page = api.plane.page({ after, limit, fits: (project) => matches(search, project) })
    const last = page.at(-1)
    return call.json({
      projects: page.map((project) => projectListWire(project, api)),
      // present on the last page too; absent on an empty one, where an empty cursor would break the schema
      ...(last && { pagination: { cursor: last.id } }),
      applications: {},
      integrations: {},
    })
  })

  // empty: there is one account, so no project is shared with it
  app.get('/projects/shared', (call) => call.json({ projects: [], applications: {}, integrations: {} }))

  app.get('/projects/:project_id', (call) => {
    return call.json({ project: projectDetailWire(projectOr404(call, api), api) })
  })

  app.patch('/projects/:project_id', async (call) => {
    const project = projectOr404(call, api)
    const { project: fields } = await parseBody(call, updateProjectBody, api)
    const defaults = defaultsOf(fields)
    await requirePgSettings(defaults.pgSettings, PG_SETTINGS, api)
    const request = {
      kind: 'update-project',
      name: fields.name,
      quota: quotaOf(fields),
      defaults,
      historyRetention: fields.history_retention_seconds,
    } as const
    const { project: changed, operations } = askPlane(project.id, request, api)
    return call.json({
      project: projectDetailWire(changed, api),
      operations: operations.map(operationWire),
    })
  })

  app.delete('/projects/:project_id', (call) => {
    const project = projectOr404(call, api)
    const before = projectDetailWire(project, api)
    askPlane(project.id, { kind: 'delete-project' }, api)
    return call.json({ project: before })
  })
}
