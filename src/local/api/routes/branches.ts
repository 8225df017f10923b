import { z } from 'zod'
import { ID_LENGTH } from '../../setup/default-catalogue.ts'
import { type Branch, type Project, computesOn } from '../../control/project.ts'
import { connectionsOf } from './connection-uri.ts'
import type { AddRoutes, Api } from '../context.ts'
import { UNSUPPORTED, configOf, createBranchBody, updateBranchBody } from '../wire/bodies.ts'
import { ApiError } from '../errors.ts'
import { limitQuery, parseBody, parseOptionalBody, parseQuery, requirePgSettings } from '../input.ts'
import { askPlane, branchAndProjectOr404, branchOr404, projectOr404 } from '../plane-access.ts'
import { branchWire, branchesWire } from '../wire/project-wire.ts'
import { type WireRecord, databaseWire, endpointsWire, roleWire } from '../wire/records.ts'

const listQuery = z.object({
  cursor: z.string().optional(),
  limit: limitQuery(10_000, 100),
  search: z.string().optional(),
  sort_by: z.enum(['name', 'created_at', 'updated_at']).default('updated_at'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
})

type CreateFields = z.output<typeof createBranchBody>
type ListQuery = z.output<typeof listQuery>
type Searched = Readonly<{ id: string; name: string }>

export const matchesSearch = (search: string | undefined, { id, name }: Searched): boolean =>
  search === undefined || id.includes(search) || name.includes(search)

const COLLECTION = '/projects/:project_id/branches'
const ITEM = `${COLLECTION}/:branch_id`

export const branchRoutes: AddRoutes = (app, api) => {
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
    const fields = await parseOptionalBody(call, createBranchBody, api)
    await requireFields(fields, api)
    const request = newBranchRequest(fields, api)
    const { project: changed, operations } = askPlane(project.id, request, api)
    const content = branchContentWire(changed, branchOr404(changed, request.branchId), api)
    return call.json({ ...content, ...(!changed.storePasswords && { connection_uris: [] }), operations }, 201)
  })

  app.patch(ITEM, async (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    const { branch: fields } = await parseBody(call, updateBranchBody, api)
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

const keyOf = (branch: Branch, { sort_by: by }: ListQuery): string => {
  const value = { name: branch.name, created_at: branch.createdAt, updated_at: branch.updatedAt }[by]
  return `${typeof value === 'number' ? String(value).padStart(15, '0') : value}\0${branch.id}`
}

/** A page; its cursor is the id of its last branch. If that is deleted, the list restarts. */
function branchPage(project: Project, query: ListQuery, api: Api): WireRecord {
  const { cursor, limit, search, sort_by, sort_order } = query
  const sign = sort_order === 'asc' ? 1 : -1
  const sorted = project.branches
    .filter((branch) => matchesSearch(search, branch))
    .toSorted((a, b) => (keyOf(a, query) < keyOf(b, query) ? -sign : sign))
  const from = sorted.findIndex(({ id }) => id === cursor) + 1
  const page = sorted.slice(from, from + limit)
  const next = page.at(-1)?.id
  return {
    branches: branchesWire(project, page, api),
    annotations: {},
    pagination: next === undefined ? undefined : { next, sort_by, sort_order: sort_order.toUpperCase() },
  }
}

async function requireFields({ branch, endpoints = [] }: CreateFields, api: Api): Promise<void> {
  const field = Object.keys(UNSUPPORTED).find((key) => branch !== undefined && key in branch)
  if (field !== undefined)
    throw new ApiError(422, `branch.${field}: branches of the local service are copies of the present`)
  for (const [index, { settings }] of endpoints.entries())
    await requirePgSettings(settings?.pg_settings, `endpoints.${index}.settings.pg_settings`, api)
}

function newBranchRequest({ branch, endpoints = [] }: CreateFields, { random }: Api) {
  const branchId = `br-${random.text(ID_LENGTH)}`
  return {
    kind: 'create-branch' as const,
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

export function branchContentWire(project: Project, branch: Branch, api: Api): WireRecord {
  const { roles, databases } = branch.catalogue
  return {
    branch: branchWire(project, branch, api),
    endpoints: endpointsWire(project.id, computesOn(project, branch.id), api),
    roles: roles.map((role) => roleWire(branch, role)),
    databases: databases.map((database) => databaseWire(branch, database)),
    connection_uris: connectionsOf(project, branch, api),
  }
}
