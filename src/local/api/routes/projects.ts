import { z } from 'zod'
import { NO_DEFAULTS } from '../../control/config.ts'
import type { Project } from '../../control/project.ts'
import { nameProblem } from '../../control/requests/catalogue-requests.ts'
import { defaultsRefusal, newProject } from '../../control/requests/project-requests.ts'
import { ID_LENGTH, MONITOR, firstCatalogue } from '../../setup/default-catalogue.ts'
import { withoutUndefined } from '../../without-undefined.ts'
import type { AddRoutes, Api } from '../context.ts'
import { ApiError, refusalError } from '../errors.ts'
import { limitQuery, parseBody, parseQuery, requirePgSettings } from '../input.ts'
import type { Accepted } from '../plane-access.ts'
import { acceptedAnswer, askPlane, branchOr404, projectOr404, requireOrganization } from '../plane-access.ts'
import type { ProjectCreateFields } from '../wire/bodies.ts'
import {
  createProjectBody,
  defaultsOf,
  maintenanceWindowOf,
  quotaOf,
  updateProjectBody,
} from '../wire/bodies.ts'
import { projectDetailWire, projectListWire } from '../wire/project-wire.ts'
import { REGION, type WireRecord, roleWire } from '../wire/records.ts'
import { branchContentWire, matchesSearch } from './branches.ts'

const listQuery = z.object({
  cursor: z.string().optional(),
  limit: limitQuery(400, 10),
  search: z.string().optional(),
  org_id: z.string().optional(),
  timeout: z.coerce.number().int().min(100).max(30_000).optional(),
  recoverable: z.enum(['true', 'false']).default('false'),
})

const PG_SETTINGS = 'project.default_endpoint_settings.pg_settings'

export const projectRoutes: AddRoutes = (app, api) => {
  app.get('/projects', (call) => {
    const { cursor: after, search, limit, org_id: organizationId, recoverable } = parseQuery(call, listQuery)
    requireOrganization(organizationId, api, 'org_id: ')
    // only deleted projects that can be restored: here none can
    const fits = (project: Project) => recoverable === 'false' && matchesSearch(search, project)
    const page = api.plane.page({ after, limit, fits })
    const last = page.at(-1)
    return call.json({
      projects: page.map((project) => projectListWire(project, api)),
      // present on the last page too; absent on an empty one, because the schema forbids an empty cursor
      pagination: last && { cursor: last.id },
      applications: {},
      integrations: {},
    })
  })

  // with a default branch, a database, its owner, and a primary that starts (S-02)
  app.post('/projects', async (call) => {
    const { project: fields } = await parseBody(call, createProjectBody, api)
    requireFields(fields, api)
    await requirePgSettings(defaultsOf(fields).pgSettings, PG_SETTINGS, api)
    return call.json(createdProjectWire(createProject(fields, api), api), 201)
  })

  // empty: there is only one account
  app.get('/projects/shared', (call) => call.json({ projects: [], applications: {}, integrations: {} }))

  app.get('/projects/:project_id', (call) =>
    call.json({ project: projectDetailWire(projectOr404(call, api), api) }),
  )

  app.patch('/projects/:project_id', async (call) => {
    const project = projectOr404(call, api)
    const { project: fields } = await parseBody(call, updateProjectBody, api)
    const [defaults, quota] = [defaultsOf(fields), quotaOf(fields)]
    await requirePgSettings(defaults.pgSettings, PG_SETTINGS, api)
    const { name, history_retention_seconds: historyRetention } = fields
    const maintenanceWindow = maintenanceWindowOf(fields)
    const changes = { name, quota, defaults, historyRetention, maintenanceWindow }
    const request = { kind: 'update-project', ...changes } as const
    const { project: changed, operations } = askPlane(project.id, request, api)
    return call.json({ project: projectDetailWire(changed, api), operations })
  })

  app.delete('/projects/:project_id', (call) => {
    const project = projectOr404(call, api)
    const before = projectDetailWire(project, api)
    askPlane(project.id, { kind: 'delete-project' }, api)
    return call.json({ project: before })
  })
}

/** Throws for what the local service does not have. */
function requireFields({ region_id, pg_version, branch, org_id }: ProjectCreateFields, api: Api): void {
  const problems = [
    mismatchText('region_id', region_id, REGION),
    mismatchText('pg_version', pg_version, api.pgVersion),
    nameProblemText(branch?.role_name, 'role'),
    nameProblemText(branch?.database_name, 'database'),
  ].filter((problem) => problem !== undefined)
  if (problems.length > 0) throw new ApiError(api.settings().errors.invalid, problems.join('; '))
  requireOrganization(org_id, api, 'project.org_id: ')
}

type FieldValue = string | number | undefined

const mismatchText = (field: string, value: FieldValue, only: FieldValue) =>
  value === undefined || value === only
    ? undefined
    : `project.${field}: expected ${only}, the only one here, got ${value}`

function nameProblemText(name: string | undefined, what: 'role' | 'database'): string | undefined {
  if (what === 'role' && name === MONITOR)
    return `project.branch.role_name: ${JSON.stringify(name)} is the reader for monitoring, which every project has`
  const problem = name === undefined ? undefined : nameProblem(name, what)
  return problem?.replace(/^[a-z]+\.name/, `project.branch.${what}_name`)
}

function createProject(fields: ProjectCreateFields, api: Api): Accepted {
  const project = newProjectOf(fields, api)
  const refusal = defaultsRefusal(project.defaults, api.settings())
  if (refusal) throw refusalError(refusal, api)
  const { autoscaling_limit_min_cu: minCu, autoscaling_limit_max_cu: maxCu, provisioner } = fields
  const answer = api.plane.createProject(project, {
    kind: 'create',
    endpointId: `ep-${api.random.text(ID_LENGTH)}`,
    branchId: project.branches[0]?.id ?? '',
    config: withoutUndefined({ minCu, maxCu, provisioner }),
  })
  if (answer.ok) return acceptedAnswer(answer, api)
  const message = answer.refusal.message.replace(/^endpoint\./, 'project.')
  throw refusalError({ ...answer.refusal, message }, api)
}

function newProjectOf(fields: ProjectCreateFields, { random, clock, monitoringPassword }: Api): Project {
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
    maintenanceWindow: maintenanceWindowOf(fields),
  })
}

/** Shows the passwords even when the project does not store them. */
function createdProjectWire({ project, operations }: Accepted, api: Api): WireRecord {
  const branch = branchOr404(project, project.branches[0]?.id)
  const { roles } = branch.catalogue
  return {
    project: projectDetailWire(project, api),
    ...branchContentWire(project, branch, api),
    roles: roles.map((role) => ({ ...roleWire(branch, role), password: role.password })),
    operations,
  }
}
