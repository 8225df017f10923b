import type { Hono } from 'hono'
import { z } from 'zod'
import { type Branch, type Compute, type Project, primaryOf } from '../../control/project.ts'
import type { Api, Env } from '../context.ts'
import { ApiError } from '../errors.ts'
import { parseQuery } from '../input.ts'
import { branchOr404, namedOr404, projectOr404 } from '../plane-access.ts'
import type { WireRecord } from '../wire/records.ts'

const uriQuery = z.object({
  database_name: z.string(),
  role_name: z.string(),
  branch_id: z.string().optional(),
  endpoint_id: z.string().optional(),
  pooled: z.enum(['true', 'false']).default('false'),
})

/** Route of connection URIs. The start-up options name the compute, so that a URI works unchanged in psql and drivers. */
export function connectionUriRoutes(app: Hono<Env>, api: Api): void {
  app.get('/projects/:project_id/connection_uri', (call) => {
    const project = projectOr404(call, api)
    return call.json({ uri: uriOf(requestedParts(project, parseQuery(call, uriQuery)), api) })
  })
}

type UriParts = {
  readonly role: string
  readonly password: string
  readonly database: string
  readonly compute: Compute
  readonly pooled: boolean
}

/** The compute, role and database of a query: on the named branch, else that of the named compute, else the default one. */
function requestedParts(project: Project, query: z.output<typeof uriQuery>): UriParts {
  const { endpoint_id: endpointId, database_name: database } = query
  const named = project.computes.find(({ id }) => id === endpointId)
  const branch = branchOr404(project, query.branch_id ?? named?.branchId ?? project.branches[0]?.id)
  namedOr404(branch.catalogue.databases, 'database', database)
  const { name: role, password } = namedOr404(branch.catalogue.roles, 'role', query.role_name)
  if (!project.storePasswords) throw new ApiError(412, 'this project does not store passwords')
  const compute = endpointId === undefined ? primaryOf(project, branch.id) : named
  if (compute?.branchId !== branch.id) throw new ApiError(404, `no endpoint found on branch ${branch.id}`)
  return { role, password, database, compute, pooled: query.pooled === 'true' }
}

/**
 * The connection URI. It names the certificate file, so that clients that verify the server, as node's `pg` always
 * does, need nothing else. Without TLS: `sslmode=disable`.
 */
function uriOf(parts: UriParts, { proxyPort, host }: Api): string {
  const [role, password, database] = [parts.role, parts.password, parts.database].map(encodeURIComponent)
  const name = parts.pooled ? `${parts.compute.id}-pooler` : parts.compute.id
  const certificate = encodeURIComponent(host.certificateFile).replaceAll('%2F', '/')
  return (
    `postgresql://${role}:${password}@127.0.0.1:${proxyPort}/${database}?options=endpoint%3D${name}` +
    `&sslmode=verify-full&sslrootcert=${certificate}`
  )
}

/** Connections of a new branch, each a URI and its parts: one per database, as its owner; none without a primary compute. */
export function connectionsOf(project: Project, branch: Branch, api: Api): WireRecord[] {
  const compute = primaryOf(project, branch.id)
  if (!compute) return []
  return branch.catalogue.databases.flatMap(({ name: database, owner }) => {
    const role = branch.catalogue.roles.find(({ name }) => name === owner)
    if (!role) return []
    const login = { database, password: role.password, role: owner }
    const hosts = {
      host: `${compute.id}.${api.host.suffix}`,
      pooler_host: `${compute.id}-pooler.${api.host.suffix}`,
    }
    return {
      connection_uri: uriOf({ ...login, compute, pooled: false }, api),
      connection_parameters: { ...login, ...hosts },
    }
  })
}
