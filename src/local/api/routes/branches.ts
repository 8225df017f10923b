import type { Hono } from 'hono'
import { z } from 'zod'
import { ID_LENGTH } from '../../setup/default-catalogue.ts'
import type { Request } from '../../control/events.ts'
import type { Branch, Project } from '../../control/project.ts'
import { connectionsOf } from './connection-uri.ts'
import type { Api, Env } from '../context.ts'
import { branchEndpoint, configOf, idSchema } from '../wire/endpoint-body.ts'
import { ApiError } from '../errors.ts'
import { limitQuery, parseBody, parseOptionalBody, parseQuery, requirePgSettings } from '../input.ts'
import { type Accepted, askPlane, branchAndProjectOr404, branchOr404, projectOr404 } from '../plane-access.ts'
import { branchWire, branchesWire } from '../wire/project-wire.ts'
import { matchesSearch } from './projects.ts'
import { type WireRecord, databaseWire, endpointsWire, roleWire } from '../wire/records.ts'

const listQuery = z.object({
  cursor: z.string().optional(),
  limit: limitQuery(10_000, 100),
  search: z.string().optional(),
  sort_by: z.enum(['name', 'created_at', 'updated_at']).default('updated_at'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
})

/** Fields of the service that the local service does not support: it copies the present state of the parent only. */
const unsupported = {
  parent_lsn: z.string().optional(),
  parent_timestamp: z.string().optional(),
  init_source: z.string().optional(),
  archived: z.boolean().optional(),
  expires_at: z.string().optional(),
}

const settable = { name: z.string().min(1).max(256).optional(), protected: z.boolean().optional() }

const createBody = z.object({
  branch: z.object({ ...settable, parent_id: idSchema.optional(), ...unsupported }).optional(),
  endpoints: z.array(branchEndpoint).max(100).optional(),
})

const updateBody = z.object({ branch: z.object(settable) })

type CreateFields = z.output<typeof createBody>
type ListQuery = z.output<typeof listQuery>

const COLLECTION = '/projects/:project_id/branches'
const ITEM = `${COLLECTION}/:branch_id`

export function branchRoutes(app: Hono<Env>, api: Api): void {
  app.get(COLLECTION, (call) =>
    call.json(branchPage(projectOr404(call, api), parseQuery(call, listQuery), api)),
  )

  app.get(ITEM, (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    const annotation = { object: { type: 'console/branch', id: branch.id }, value: {} }
    return call.json({ branch: branchWire(project, branch, api), annotation })
  })

  app.post(COLLECTION, async (call) => {
    const project = projectOr404(call, api)
    const fields = await parseOptionalBody(call, createBody, api)
    await requireFields(fields, api)
    const request = newBranchRequest(fields, api)
    return call.json(createdBranchWire(askPlane(project.id, request, api), request.branchId, api), 201)
  })

  app.patch(ITEM, async (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    const { branch: fields } = await parseBody(call, updateBody, api)
    const request = { kind: 'update-branch', branchId: branch.id, ...fields } as const
    const { project: changed, operations } = askPlane(project.id, request, api)
    return call.json({ branch: branchWire(changed, branchOr404(changed, branch.id), api), operations })
  })

  app.delete(ITEM, (call) => {
    const project = projectOr404(call, api)
    const branch = project.branches.find(({ id }) => id === call.req.param('branch_id'))
    if (!branch) return call.body(null, 204)
    const before = branchWire(project, branch, api)
    const { operations } = askPlane(project.id, { kind: 'delete-branch', branchId: branch.id }, api)
    return call.json({ branch: before, operations })
  })
}

/** Sort key of a branch: the value to sort by, then the id. */
const keyOf = (branch: Branch, { sort_by: by }: ListQuery): string => {
  const value = { name: branch.name, created_at: branch.createdAt, updated_at: branch.updatedAt }[by]
  return `${typeof value === 'number' ? String(value).padStart(15, '0') : value}\0${branch.id}`
}

/** A page of branches. The cursor is the id of the last branch of a page; after its deletion the list restarts. */
function branchPage(project: Project, query: ListQuery, api: Api): WireRecord {
  const { cursor, limit, search, sort_by, sort_order } = query
  const ascending = project.branches
    .filter((branch) => matchesSearch(search, branch))
    .map((branch) => ({ branch, key: keyOf(branch, query) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ branch }) => branch)
  const sorted = sort_order === 'asc' ? ascending : ascending.toReversed()
  const from = sorted.findIndex(({ id }) => id === cursor) + 1
  const page = sorted.slice(from, from + limit)
  const next = page.at(-1)?.id
  return {
    branches: branchesWire(project, page, api),
    annotations: {},
    ...(next !== undefined && { pagination: { next, sort_by, sort_order: sort_order.toUpperCase() } }),
  }
}

async function requireFields({ branch, endpoints = [] }: CreateFields, api: Api): Promise<void> {
  const field = Object.keys(unsupported).find((key) => branch !== undefined && key in branch)
  if (field !== undefined)
    throw new ApiError(422, `branch.${field}: branches of the local service are copies of the present`)
  for (const [index, { settings }] of endpoints.entries())
    await requirePgSettings(settings?.pg_settings, `endpoints.${index}.settings.pg_settings`, api)
}

function newBranchRequest(
  { branch, endpoints = [] }: CreateFields,
  { random }: Api,
): Request<'create-branch'> {
  const branchId = `br-${random.text(ID_LENGTH)}`
  return {
    kind: 'create-branch',
    branchId,
    parentId: branch?.parent_id,
    name: branch?.name ?? branchId,
    protected: branch?.protected ?? false,
    computes: endpoints.map((fields) => ({
      endpointId: `ep-${random.text(ID_LENGTH)}`,
      type: fields.type,
      config: configOf(fields),
    })),
  }
}

function createdBranchWire({ project, operations }: Accepted, branchId: string, api: Api): WireRecord {
  const branch = branchOr404(project, branchId)
  const computes = project.computes.filter((compute) => compute.branchId === branchId)
  const { roles, databases } = branch.catalogue
  return {
    branch: branchWire(project, branch, api),
    endpoints: endpointsWire(project.id, computes, api),
    operations,
    roles: roles.map((role) => roleWire(branch, role)),
    databases: databases.map((database) => databaseWire(branch, database)),
    connection_uris: project.storePasswords ? connectionsOf(project, branch, api) : [],
  }
}
