import type { Hono } from 'hono'
import { ID_LENGTH, firstCatalogue } from '../../setup/default-catalogue.ts'
import { nameProblem } from '../../control/requests/catalogue-requests.ts'
import { NO_DEFAULTS } from '../../control/config.ts'
import { defaultsRefusal, newProject } from '../../control/requests/project-requests.ts'
import type { Project } from '../../control/project.ts'
import type { AcceptedAnswer } from '../ask-plane.ts'
import { roleWire, databaseWire } from '../wire/catalogue-wire.ts'
import { connectionsOf } from './connection-uri.ts'
import type { Api, Call, Env } from '../context.ts'
import { withoutUndefined } from '../../without-undefined.ts'
import { refusalAnswer, errorAnswer } from '../errors.ts'
import { bodyOf } from '../input.ts'
import { settingsAnswer } from '../settings-check.ts'
import { type ProjectCreateFields, createProjectBody, defaultsOf, quotaOf } from '../wire/project-body.ts'
import { branchesWire, projectDetailWire } from '../wire/project-wire.ts'
import { REGION, endpointWire, operationWire, wireViewOf } from '../wire/records.ts'

const PLACE = 'project.default_endpoint_settings.pg_settings'

/** A project with its default branch, a database with its owner, and a primary compute that starts (S-02). */
export function projectCreateRoute(app: Hono<Env>, api: Api): void {
  app.post('/projects', async (call) => {
    const body = await bodyOf(call, createProjectBody, api)
    if (!body.ok) return body.answer
    const fields = body.value.project
    const refused = fieldsAnswer(call, fields, api)
    if (refused) return refused
    const { pgSettings } = defaultsOf(fields)
    return (
      (await settingsAnswer(call, { settings: pgSettings, place: PLACE }, api)) ?? create(call, fields, api)
    )
  })
}

/** The answer to what this service does not have; undefined when it has all of it. */
function fieldsAnswer(call: Call, fields: ProjectCreateFields, api: Api): Response | undefined {
  const { errors } = api.settings()
  const problems = [
    mismatch('region_id', fields.region_id, REGION),
    mismatch('pg_version', fields.pg_version, api.pgVersion),
    nameIn(fields.branch?.role_name, 'role'),
    nameIn(fields.branch?.database_name, 'database'),
  ].filter((problem) => problem !== undefined)
  if (problems.length > 0) return errorAnswer(call, errors.invalid, problems.join('; '))
  const { organizationId } = api.account
  return fields.org_id === undefined || fields.org_id === organizationId
    ? undefined
    : errorAnswer(call, 404, `project.org_id: organization not found: ${fields.org_id}`)
}

const mismatch = <Value extends string | number>(
  field: string,
  said: Value | undefined,
  has: Value,
): string | undefined =>
  said === undefined || said === has
    ? undefined
    : `project.${field}: expected ${has}, the only one here, got ${said}`

function nameIn(name: string | undefined, what: 'role' | 'database'): string | undefined {
  const problem = name === undefined ? undefined : nameProblem(name, what)
  return problem?.replace(/^[a-z]+\.name/, `project.branch.${what}_name`)
}

function create(call: Call, fields: ProjectCreateFields, api: Api): Response {
  const project = projectFrom(fields, api)
  const refusal = defaultsRefusal(project.defaults, api.settings())
  if (refusal) return refusalAnswer(call, refusal, api)
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
  if (answer.ok) return call.json(createdWire(answer, api), 201)
  const message = answer.refusal.message.replace(/^endpoint\./, 'project.')
  return refusalAnswer(call, { ...answer.refusal, message }, api)
}

function projectFrom(fields: ProjectCreateFields, api: Api): Project {
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

/** Passwords are in the answer to the creation, whether they are stored or not. */
function createdWire({ project, operations }: AcceptedAnswer, api: Api): Record<string, unknown> {
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
