import type { Hono } from 'hono'
import { z } from 'zod'
import { ID_LENGTH } from '../../setup/default-catalogue.ts'
import type { NewCompute } from '../../control/events.ts'
import type { Branch, Project } from '../../control/project.ts'
import { type AcceptedAnswer, askPlane } from '../ask-plane.ts'
import { databaseWire, roleWire } from '../wire/catalogue-wire.ts'
import { connectionsOf } from './connection-uri.ts'
import type { Api, Call, Env } from '../context.ts'
import { branchEndpoint, configOf, idSchema } from '../wire/endpoint-body.ts'
import { errorAnswer } from '../errors.ts'
import { branchAndProjectOr404, projectOr404 } from '../found.ts'
import { bodyOf, optionalBodyOf, queryOf } from '../input.ts'
import { settingsAnswer } from '../settings-check.ts'
import { branchesWire } from '../wire/project-wire.ts'
import { limitQuery, matches } from './projects.ts'
import { endpointWire, operationWire, wireViewOf } from '../wire/records.ts'

const listQuery = z.object({
  cursor: z.string().optional(),
  limit: limitQuery(10_000, 100),
  search: z.string().optional(),
  sort_by: z.enum(['name', 'created_at', 'updated_at']).default('updated_at'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
})

const name = z.string().min(1).max(256).optional()

/** Beginnings in the past and other kinds of data, of which the local service has none. */
const absent = {
  parent_lsn: z.string().optional(),
  parent_timestamp: z.string().optional(),
  init_source: z.string().optional(),
  archived: z.boolean().optional(),
  expires_at: z.string().optional(),
}

const createBody = z.object({
  branch: z
    .object({ name, parent_id: idSchema.optional(), protected: z.boolean().optional(), ...absent })
    .optional(),
  endpoints: z.array(branchEndpoint).max(100).optional(),
})

const updateBody = z.object({ branch: z.object({ name, protected: z.boolean().optional() }) })

type CreateFields = z.output<typeof createBody>
type ListQuery = z.output<typeof listQuery>

const BASE = '/projects/:project_id/branches'
const ONE = `${BASE}/:branch_id`

export function branchRoutes(app: Hono<Env>, api: Api): void {
  app.get(BASE, (call) => {
    const project = projectOr404(call, api)
    if (project instanceof Response) return project
    const query = queryOf(call, listQuery)
    return query.ok ? list(call, project, { query: query.value, api }) : query.answer
  })

  app.get(ONE, (call) => {
    const place = branchAndProjectOr404(call, api)
    if (place instanceof Response) return place
    const { project, branch } = place
    return call.json({
      branch: branchesWire(project, [branch], api)[0],
      annotation: { object: { type: 'console/branch', id: branch.id }, value: {} },
    })
  })

  app.post(BASE, async (call) => {
    const project = projectOr404(call, api)
    if (project instanceof Response) return project
    const body = await optionalBodyOf(call, createBody, api)
    return body.ok ? create(call, project, { fields: body.value, api }) : body.answer
  })

  app.patch(ONE, async (call) => {
    const place = branchAndProjectOr404(call, api)
    if (place instanceof Response) return place
    const body = await bodyOf(call, updateBody, api)
    if (!body.ok) return body.answer
    const request = { kind: 'update-branch', branchId: place.branch.id, ...body.value.branch } as const
    const answer = askPlane(call, { projectId: place.project.id, request }, api)
    return answer instanceof Response ? answer : changed(call, answer, { branchId: place.branch.id, api })
  })

  app.delete(ONE, (call) => {
    const project = projectOr404(call, api)
    if (project instanceof Response) return project
    const branch = project.branches.find(({ id: known }) => known === call.req.param('branch_id'))
    if (!branch) return call.body(null, 204)
    const [last] = branchesWire(project, [branch], api)
    const request = { kind: 'delete-branch', branchId: branch.id } as const
    const answer = askPlane(call, { projectId: project.id, request }, api)
    if (answer instanceof Response) return answer
    return call.json({ branch: last, operations: answer.operations.map(operationWire) })
  })
}

type Listing = { readonly query: ListQuery; readonly api: Api }

/** The value branches are sorted by; the id tells equal ones apart. */
const keyOf = (branch: Branch, { sort_by: by }: ListQuery): string => {
  const value = { name: branch.name, created_at: branch.createdAt, updated_at: branch.updatedAt }[by]
  return `${typeof value === 'number' ? String(value).padStart(15, '0') : value}\0${branch.id}`
}

/** The cursor is the id of the last branch shown; a branch deleted meanwhile begins the list anew. */
function list(call: Call, project: Project, { query, api }: Listing): Response {
  const { cursor, limit, search } = query
  const keyed = project.branches
    .filter((branch) => matches(search, branch))
    .map((branch) => ({ branch, key: keyOf(branch, query) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  const sorted = query.sort_order === 'asc' ? keyed : keyed.toReversed()
  const from = sorted.findIndex(({ branch }) => branch.id === cursor) + 1
  const page = sorted.slice(from, from + limit).map(({ branch }) => branch)
  const last = page.at(-1)
  return call.json({
    branches: branchesWire(project, page, api),
    annotations: {},
    ...(last && {
      pagination: { next: last.id, sort_by: query.sort_by, sort_order: query.sort_order.toUpperCase() },
    }),
  })
}

type Creation = { readonly fields: CreateFields; readonly api: Api }

async function create(call: Call, project: Project, { fields, api }: Creation): Promise<Response> {
  const computes = (fields.endpoints ?? []).map((asked): NewCompute => ({
    endpointId: `ep-${api.random.text(ID_LENGTH)}`,
    type: asked.type,
    config: configOf(asked),
  }))
  const refused = (await fieldsAnswer(call, fields, api)) ?? undefined
  if (refused) return refused
  const branchId = `br-${api.random.text(ID_LENGTH)}`
  const { parent_id: parentId, protected: kept = false } = fields.branch ?? {}
  const request = {
    kind: 'create-branch',
    branchId,
    parentId,
    name: fields.branch?.name ?? branchId,
    protected: kept,
    computes,
  } as const
  const answer = askPlane(call, { projectId: project.id, request }, api)
  return answer instanceof Response ? answer : created(call, answer, { branchId, api })
}

/** The answer to what this service does not have; undefined when it has all of it. */
async function fieldsAnswer(
  call: Call,
  { branch, endpoints = [] }: CreateFields,
  api: Api,
): Promise<Response | undefined> {
  const field = Object.keys(absent).find((key) => branch !== undefined && key in branch)
  if (field)
    return errorAnswer(call, 422, `branch.${field}: branches of the local service are copies of the present`)
  for (const [at, { settings }] of endpoints.entries()) {
    const asked = { settings: settings?.pg_settings, place: `endpoints.${at}.settings.pg_settings` }
    const unfit = await settingsAnswer(call, asked, api)
    if (unfit) return unfit
  }
  return undefined
}

type Subject = { readonly branchId: string; readonly api: Api }

function created(call: Call, { project, operations }: AcceptedAnswer, { branchId, api }: Subject): Response {
  const branch = project.branches.find((candidate) => candidate.id === branchId)
  if (!branch) throw new Error(`branch ${branchId} was made and is not there`)
  const { roles, databases } = branch.catalogue
  const body = {
    branch: branchesWire(project, [branch], api)[0],
    endpoints: project.computes
      .filter((compute) => compute.branchId === branchId)
      .map((compute) => endpointWire(project.id, compute, wireViewOf(api))),
    operations: operations.map(operationWire),
    roles: roles.map((role) => roleWire(branch, role)),
    databases: databases.map((database) => databaseWire(branch, database)),
    connection_uris: project.storePasswords ? connectionsOf(project, branch, api) : [],
  }
  return call.json(body, 201)
}

function changed(call: Call, { project, operations }: AcceptedAnswer, { branchId, api }: Subject): Response {
  const branches = project.branches.filter((candidate) => candidate.id === branchId)
  return call.json({
    branch: branchesWire(project, branches, api)[0],
    operations: operations.map(operationWire),
  })
}
