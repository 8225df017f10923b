import type { Hono } from 'hono'
import { z } from 'zod'
import { NO_DEFAULTS } from '../../control/config.ts'
import type { Project } from '../../control/project.ts'
import { nameProblem } from '../../control/requests/catalogue-requests.ts'
import { defaultsRefusal, newProject } from '../../control/requests/project-requests.ts'
import { ID_LENGTH, firstCatalogue } from '../../setup/default-catalogue.ts'
import { withoutUndefined } from '../../without-undefined.ts'
import type { Api, Env } from '../context.ts'
import { ApiError, refusalError } from '../errors.ts'
import { parseBody, parseQuery, requirePgSettings } from '../input.ts'
import { type AcceptedAnswer, askPlane, projectOr404 } from '../plane-access.ts'
import {
  type ProjectCreateFields,
  createProjectBody,
  defaultsOf,
  quotaOf,
  updateProjectBody,
} from '../wire/project-body.ts'
import { branchesWire, projectDetailWire, projectListWire } from '../wire/project-wire.ts'
import { REGION, databaseWire, endpointWire, operationWire, roleWire, wireViewOf } from '../wire/records.ts'
import { connectionsOf } from './connection-uri.ts'

/** The `limit` of a query, a whole number from 1 to `max`. */
export const limitQuery = (max: number, fallback: number): z.ZodDefault<z.ZodCoercedNumber> =>
  z.coerce.number().int().min(1).max(max).default(fallback)

/** Whether the id or the name contains the text. */
export const matchesSearch = (
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

const PG_SETTINGS = 'project.default_endpoint_settings.pg_settings'

export function projectRoutes(app: Hono<Env>, api: Api): void {
  app.get('/projects', (call) => {
    const { cursor: after, search, limit, org_id: organization } = parseQuery(call, listQuery)
    if (organization !== undefined && organization !== api.account.organizationId)
      throw new ApiError(404, `org_id: organization not found: ${organization}`)
    const page = api.plane.page({ after, limit, fits: (project) => matchesSearch(search, project) })
    const last = page.at(-1)
    return call.json({
      projects: page.map((project) => projectListWire(project, api)),
      // present on the last page too; absent on an empty one, where an empty cursor would break the schema
      ...(last && { pagination: { cursor: last.id } }),
      applications: {},
      integrations: {},
    })
  })

  // a project with its default branch, a database with its owner, and a primary compute that starts (S-02)
  app.post('/projects', async (call) => {
    const { project: fields } = await parseBody(call, createProjectBody, api)
    requireFields(fields, api)
    await requirePgSettings(defaultsOf(fields).pgSettings, PG_SETTINGS, api)
    return call.json(createdProjectWire(createProject(fields, api), api), 201)
  })

  // empty: there is one account, so no project is shared with it
  app.get('/projects/shared', (call) => call.json({ projects: [], applications: {}, integrations: {} }))

  app.get('/projects/:project_id', (call) =>
    call.json({ project: projectDetailWire(projectOr404(call, api), api) }),
  )

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

/** Throws when a field asks for what the local service does not have. */
function requireFields(fields: ProjectCreateFields, api: Api): void {
  const { errors } = api.settings()
  const problems = [
    mismatchText('region_id', fields.region_id, REGION),
    mismatchText('pg_version', fields.pg_version, api.pgVersion),
    nameProblemText(fields.branch?.role_name, 'role'),
    nameProblemText(fields.branch?.database_name, 'database'),
  ].filter((problem) => problem !== undefined)
  if (problems.length > 0) throw new ApiError(errors.invalid, problems.join('; '))
  if (fields.org_id !== undefined && fields.org_id !== api.account.organizationId)
    throw new ApiError(404, `project.org_id: organization not found: ${fields.org_id}`)
}

const mismatchText = <Value extends string | number>(
  field: string,
  value: Value | undefined,
  only: Value,
): string | undefined =>
  value === undefined || value === only
    ? undefined
    : `project.${field}: expected ${only}, the only one here, got ${value}`

function nameProblemText(name: string | undefined, what: 'role' | 'database'): string | undefined {
  const problem = name === undefined ? undefined : nameProblem(name, what)
  return problem?.replace(/^[a-z]+\.name/, `project.branch.${what}_name`)
}

function createProject(fields: ProjectCreateFields, api: Api): AcceptedAnswer {
  const project = newProjectOf(fields, api)
  const refusal = defaultsRefusal(project.defaults, api.settings())
  if (refusal) throw refusalError(refusal, api)
  const answer = api.plane.createProject(project, {
    kind: 'create',
    endpointId: `ep-${api.random.text(ID_LENGTH)}`,
    branchId: project.branches[0]?.id ?? '',
    config: withoutUndefined({
      minCu: fields.autoscaling_limit_min_cu,
      maxCu: fields.autoscaling_limit_max_cu,
      provisioner: fields.provisioner,
    }),
  })
  if (answer.ok) return answer
  const message = answer.refusal.message.replace(/^endpoint\./, 'project.')
  throw refusalError({ ...answer.refusal, message }, api)
}

function newProjectOf(fields: ProjectCreateFields, api: Api): Project {
  const { random, clock, monitoringPassword } = api
  const id = `local-${random.text(ID_LENGTH)}`
  const now = clock.now()
  const { name = 'main', role_name: role, database_name: database } = fields.branch ?? {}
  const catalogue = firstCatalogue({ role, database, monitoringPassword, random, now })
  return newProject({
    id,
    name: fields.name ?? id,
    branch: { id: `br-${random.text(ID_LENGTH)}`, name, catalogue },
    now,
    storePasswords: fields.store_passwords ?? true,
    quota: quotaOf(fields),
    defaults: { ...NO_DEFAULTS, ...defaultsOf(fields) },
    historyRetention: fields.history_retention_seconds ?? 0,
  })
}

/** The answer to a creation. It shows the passwords even when the project does not store them. */
function createdProjectWire({ project, operations }: AcceptedAnswer, api: Api): Record<string, unknown> {
  const [branch] = project.branches
  return {
    project: projectDetailWire(project, api),
    ...(branch && {
      branch: branchesWire(project, [branch], api)[0],
      roles: branch.catalogue.roles.map((role) => ({ ...roleWire(branch, role), password: role.password })),
      databases: branch.catalogue.databases.map((database) => databaseWire(branch, database)),
      connection_uris: connectionsOf(project, branch, api),
    }),
    endpoints: project.computes.map((compute) => endpointWire(project.id, compute, wireViewOf(api))),
    operations: operations.map(operationWire),
  }
}
