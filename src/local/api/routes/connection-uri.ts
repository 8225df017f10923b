import type { Hono } from 'hono'
import { z } from 'zod'
import { type Branch, type Compute, type Project, primaryOf } from '../../control/project.ts'
import type { Api, Env } from '../context.ts'
import { ApiError } from '../errors.ts'
import { parseQuery } from '../input.ts'
import { branchOr404, projectOr404 } from '../plane-access.ts'

const uriQuery = z.object({
  database_name: z.string(),
  role_name: z.string(),
  branch_id: z.string().optional(),
  endpoint_id: z.string().optional(),
  pooled: z.enum(['true', 'false']).default('false'),
})

type UriQuery = z.output<typeof uriQuery>

/** Route of connection URIs. The start-up options name the compute, so that a URI works unchanged in psql and drivers. */
export function connectionUriRoutes(app: Hono<Env>, api: Api): void {
  app.get('/projects/:project_id/connection_uri', (call) => {
    const project = projectOr404(call, api)
    return call.json({ uri: uriOf(requestedParts(project, parseQuery(call, uriQuery)), api) })
  })
}

/** The compute, role and database of a query. */
function requestedParts(project: Project, query: UriQuery): UriParts {
  const { endpoint_id: endpointId, database_name: database } = query
  const branch = requestedBranch(project, query)
  const { databases, roles } = branch.catalogue
  if (!databases.some(({ name }) => name === database))
    throw new ApiError(404, `database not found: ${database}`)
  const role = roles.find(({ name }) => name === query.role_name)
  if (!role) throw new ApiError(404, `role not found: ${query.role_name}`)
  if (!project.storePasswords) throw new ApiError(412, 'this project does not store passwords')
  const compute =
    endpointId === undefined
      ? primaryOf(project, branch.id)
      : project.computes.find(({ id, branchId }) => branchId === branch.id && id === endpointId)
  if (!compute) throw new ApiError(404, `no endpoint found on branch ${branch.id}`)
  return { role: role.name, password: role.password, database, compute, pooled: query.pooled === 'true' }
}

/** The named branch, else the branch of the named compute, else the default branch. */
function requestedBranch(project: Project, { branch_id, endpoint_id }: UriQuery): Branch {
  const compute = project.computes.find(({ id }) => id === endpoint_id)
  return branchOr404(project, branch_id ?? compute?.branchId ?? project.branches[0]?.id ?? '')
}

type UriParts = {
  readonly role: string
  readonly password: string
  readonly database: string
  readonly compute: Compute
  readonly pooled: boolean
}

type UriHost = Pick<Api, 'proxyPort' | 'host'>

/**
 * The connection URI. It names the certificate file, so that clients that verify the server, as node's `pg` always
 * does, need nothing else. Without TLS: `sslmode=disable`.
 */
function uriOf(parts: UriParts, { proxyPort, host }: UriHost): string {
  const [role, password, database] = [parts.role, parts.password, parts.database].map(encodeURIComponent)
  const name = parts.pooled ? `${parts.compute.id}-pooler` : parts.compute.id
  const certificate = encodeURIComponent(host.certificateFile).replaceAll('%2F', '/')
  return (
    `postgresql://${role}:${password}@127.0.0.1:${proxyPort}/${database}?options=endpoint%3D${name}` +
    `&sslmode=verify-full&sslrootcert=${certificate}`
  )
}

/** A URI and its parts, as the answers about new branches show them. */
const connectionWire = (parts: UriParts, api: UriHost): Record<string, unknown> => ({
  connection_uri: uriOf(parts, api),
  connection_parameters: {
    database: parts.database,
    password: parts.password,
    role: parts.role,
    host: `${parts.compute.id}.${api.host.suffix}`,
    pooler_host: `${parts.compute.id}-pooler.${api.host.suffix}`,
  },
})

/** Connections of a branch: one per database, as its owner; none without a primary compute. */
export function connectionsOf(project: Project, branch: Branch, api: UriHost): unknown[] {
  const compute = primaryOf(project, branch.id)
  if (!compute) return []
  return branch.catalogue.databases.flatMap(({ name: database, owner }) => {
    const role = branch.catalogue.roles.find(({ name }) => name === owner)
    const parts = role && { role: owner, password: role.password, database, compute, pooled: false }
    return parts ? [connectionWire(parts, api)] : []
  })
}
