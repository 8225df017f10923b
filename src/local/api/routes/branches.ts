import type { Hono } from 'hono'
import { z } from 'zod'
import { ID_LENGTH } from '../../setup/default-catalogue.ts'
import type { BranchRequest, NewCompute } from '../../control/events.ts'
import type { Branch, Project } from '../../control/project.ts'
import { connectionsOf } from './connection-uri.ts'
import type { Api, Env } from '../context.ts'
import { branchEndpoint, configOf, idSchema } from '../wire/endpoint-body.ts'
import { ApiError } from '../errors.ts'
import { parseBody, parseOptionalBody, parseQuery, requirePgSettings } from '../input.ts'
import { type AcceptedAnswer, askPlane, branchAndProjectOr404, projectOr404 } from '../plane-access.ts'
import { branchesWire } from '../wire/project-wire.ts'
import { limitQuery, matchesSearch } from './projects.ts'
import { databaseWire, endpointWire, operationWire, roleWire, wireViewOf } from '../wire/records.ts'

const listQuery = z.object({
  cursor: z.string().optional(),
  limit: limitQuery(10_000, 100),
  search: z.string().optional(),
  sort_by: z.enum(['name', 'created_at', 'updated_at']).default('updated_at'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
})

const name = z.string().min(1).max(256).optional()

/** Fields of the service that the local service does not support: it copies the present state of the parent only. */
const unsupported = {
  parent_lsn: z.string().optional(),
  parent_timestamp: z.string().optional(),
  init_source: z.string().optional(),
  archived: z.boolean().optional(),
  expires_at: z.string().optional(),
}

const createBody = z.object({
  branch: z
    .object({ name, parent_id: idSchema.optional(), protected: z.boolean().optional(), ...unsupported })
    .optional(),
  endpoints: z.array(branchEndpoint).max(100).optional(),
})

const updateBody = z.object({ branch: z.object({ name, protected: z.boolean().optional() }) })

type CreateFields = z.output<typeof createBody>
type ListQuery = z.output<typeof listQuery>

const COLLECTION = '/projects/:project_id/branches'
const ITEM = `${COLLECTION}/:branch_id`

export function branchRoutes(app: Hono<Env>, api: Api): void {
  app.get(COLLECTION, (call) => {
    const project = projectOr404(call, api)
    return call.json(branchPage(project, parseQuery(call, listQuery), api))
  })

  app.get(ITEM, (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    return call.json({
      branch: branchesWire(project, [branch], api)[0],
      annotation: { object: { type: 'console/branch', id: branch.id }, value: {} },
    })
  })

  app.post(COLLECTION, async (call) => {
    const project = projectOr404(call, api)
    const fields = await parseOptionalBody(call, createBody, api)
    await requireFields(fields, api)
    const branchId = `br-${api.random.text(ID_LENGTH)}`
    const request = newBranchRequest(branchId, fields, api)
    return call.json(createdBranchWire(askPlane(project.id, request, api), branchId, api), 201)
  })

  app.patch(ITEM, async (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    const { branch: fields } = await parseBody(call, updateBody, api)
    const request = { kind: 'update-branch', branchId: branch.id, ...fields } as const
    const { project: changed, operations } = askPlane(project.id, request, api)
    const branches = changed.branches.filter(({ id }) => id === branch.id)
    return call.json({
      branch: branchesWire(changed, branches, api)[0],
      operations: operations.map(operationWire),
    })
  })

  app.delete(ITEM, (call) => {
    const project = projectOr404(call, api)
    const branch = project.branches.find(({ id }) => id === call.req.param('branch_id'))
    if (!branch) return call.body(null, 204)
    const [before] = branchesWire(project, [branch], api)
    const { operations } = askPlane(project.id, { kind: 'delete-branch', branchId: branch.id }, api)
    return call.json({ branch: before, operations: operations.map(operationWire) })
  })
}

/** Sort key of a branch: the value to sort by, then the id. */
const keyOf = (branch: Branch, { sort_by: by }: ListQuery): string => {
  const value = { name: branch.name, created_at: branch.createdAt, updated_at: branch.updatedAt }[by]
  return `${typeof value === 'number' ? String(value).padStart(15, '0') : value}\0${branch.id}`
}

/** A page of branches. The cursor is the id of the last branch of a page; after its deletion the list restarts. */
function branchPage(project: Project, query: ListQuery, api: Api): Record<string, unknown> {
  const { cursor, limit, search } = query
  const keyed = project.branches
    .filter((branch) => matchesSearch(search, branch))
    .map((branch) => ({ branch, key: keyOf(branch, query) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  const sorted = query.sort_order === 'asc' ? keyed : keyed.toReversed()
  const from = sorted.findIndex(({ branch }) => branch.id === cursor) + 1
  const page = sorted.slice(from, from + limit).map(({ branch }) => branch)
  const last = page.at(-1)
  return {
    branches: branchesWire(project, page, api),
    annotations: {},
    ...(last && {
      pagination: { next: last.id, sort_by: query.sort_by, sort_order: query.sort_order.toUpperCase() },
    }),
  }
}

async function requireFields({ branch, endpoints = [] }: CreateFields, api: Api): Promise<void> {
  const field = Object.keys(unsupported).find((key) => branch !== undefined && key in branch)
  if (field !== undefined)
    throw new ApiError(422, `branch.${field}: branches of the local service are copies of the present`)
  for (const [index, { settings }] of endpoints.entries())
    await requirePgSettings(settings?.pg_settings, `endpoints.${index}.settings.pg_settings`, api)
}

const newBranchRequest = (
  branchId: string,
  { branch, endpoints = [] }: CreateFields,
  { random }: Api,
): BranchRequest => ({
  kind: 'create-branch',
  branchId,
  parentId: branch?.parent_id,
  name: branch?.name ?? branchId,
  protected: branch?.protected ?? false,
  computes: endpoints.map((fields): NewCompute => ({
    endpointId: `ep-${random.text(ID_LENGTH)}`,
    type: fields.type,
    config: configOf(fields),
  })),
})

function createdBranchWire(
  { project, operations }: AcceptedAnswer,
  branchId: string,
  api: Api,
): Record<string, unknown> {
  const branch = project.branches.find(({ id }) => id === branchId)
  if (!branch) throw new Error(`branch ${branchId} was created and is missing`)
  const { roles, databases } = branch.catalogue
  return {
    branch: branchesWire(project, [branch], api)[0],
    endpoints: project.computes
      .filter((compute) => compute.branchId === branchId)
      .map((compute) => endpointWire(project.id, compute, wireViewOf(api))),
    operations: operations.map(operationWire),
    roles: roles.map((role) => roleWire(branch, role)),
    databases: databases.map((database) => databaseWire(branch, database)),
    connection_uris: project.storePasswords ? connectionsOf(project, branch, api) : [],
  }
}
