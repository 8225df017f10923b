import type { Hono } from 'hono'
import { z } from 'zod'
import { askPlane } from '../ask-plane.ts'
import type { Api, Call, Env } from '../context.ts'
import { errorAnswer } from '../errors.ts'
import { projectOr404 } from '../found.ts'
import { bodyOf, queryOf } from '../input.ts'
import { settingsAnswer } from '../settings-check.ts'
import { type ProjectUpdateFields, defaultsOf, quotaOf, updateProjectBody } from '../wire/project-body.ts'
import { projectDetailWire, projectListWire } from '../wire/project-wire.ts'
import { operationWire } from '../wire/records.ts'

/** A limit in a query: text that is a whole number in range. */
export const limitQuery = (most: number, fallback: number): z.ZodDefault<z.ZodCoercedNumber> =>
  z.coerce.number().int().min(1).max(most).default(fallback)

/** Whether a search finds something: by a part of its id or name. */
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

export function projectRoutes(app: Hono<Env>, api: Api): void {
  app.get('/projects', (call) => {
    const query = queryOf(call, listQuery)
    if (!query.ok) return query.answer
    const { cursor: after, search, limit, org_id: organization } = query.value
    if (organization !== undefined && organization !== api.account.organizationId)
      return errorAnswer(call, 404, `org_id: organization not found: ${organization}`)
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

  // one account: nobody shares anything with it
  app.get('/projects/shared', (call) => call.json({ projects: [], applications: {}, integrations: {} }))

  app.get('/projects/:project_id', (call) => {
    const project = projectOr404(call, api)
    return project instanceof Response ? project : call.json({ project: projectDetailWire(project, api) })
  })

  app.patch('/projects/:project_id', async (call) => {
    const project = projectOr404(call, api)
    if (project instanceof Response) return project
    const body = await bodyOf(call, updateProjectBody, api)
    return body.ok ? update(call, body.value.project, { projectId: project.id, api }) : body.answer
  })

  app.delete('/projects/:project_id', (call) => {
    const project = projectOr404(call, api)
    if (project instanceof Response) return project
    const last = projectDetailWire(project, api)
    const answer = askPlane(call, { projectId: project.id, request: { kind: 'delete-project' } }, api)
    return answer instanceof Response ? answer : call.json({ project: last })
  })
}

const PLACE = 'project.default_endpoint_settings.pg_settings'

async function update(
  call: Call,
  fields: ProjectUpdateFields,
  { projectId, api }: { readonly projectId: string; readonly api: Api },
): Promise<Response> {
  const defaults = defaultsOf(fields)
  const unfit = await settingsAnswer(call, { settings: defaults.pgSettings, place: PLACE }, api)
  if (unfit) return unfit
  const request = {
    kind: 'update-project',
    name: fields.name,
    quota: quotaOf(fields),
    defaults,
    historyRetention: fields.history_retention_seconds,
  } as const
  const answer = askPlane(call, { projectId, request }, api)
  if (answer instanceof Response) return answer
  return call.json({
    project: projectDetailWire(answer.project, api),
    operations: answer.operations.map(operationWire),
  })
}
