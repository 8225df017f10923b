import { z } from 'zod'
import { type Branch, type Project, primaryOf } from '../../control/project.ts'
import type { AddRoutes, Api } from '../context.ts'
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

/** The start-up options name the compute, so that a URI works unchanged in psql and drivers. */
export const connectionUriRoutes: AddRoutes = (app, api) => {
  app.get('/projects/:project_id/connection_uri', (call) => {
    const project = projectOr404(call, api)
    return call.json({ uri: requestedUri(project, parseQuery(call, uriQuery), api) })
  })
}

/** URI on the named branch, else of the named compute, else the default one. */
function requestedUri(project: Project, query: z.output<typeof uriQuery>, api: Api): string {
  const { endpoint_id: endpointId, database_name: database } = query
  const named = project.computes.find(({ id }) => id === endpointId)
  const branch = branchOr404(project, query.branch_id ?? named?.branchId ?? project.branches[0]?.id)
  namedOr404(branch.catalogue.databases, 'database', database)
  const { name: role, password } = namedOr404(branch.catalogue.roles, 'role', query.role_name)
  if (!project.storePasswords) throw new ApiError(412, 'this project does not store passwords')
  const compute = endpointId === undefined ? primaryOf(project, branch.id) : named
  if (compute?.branchId !== branch.id) throw new ApiError(404, `no endpoint found on branch ${branch.id}`)
  const host = query.pooled === 'true' ? `${compute.id}-pooler` : compute.id
  return uriOf({ role, password, database }, host, api)
}

type Login = Readonly<{ database: string; password: string; role: string }>

/** Names the certificate file, because node's `pg` always verifies the server. Without TLS: `sslmode=disable`. */
function uriOf(login: Login, endpoint: string, { proxyPort, host }: Api): string {
  const [role, password, database] = [login.role, login.password, login.database].map(encodeURIComponent)
  const certificate = encodeURIComponent(host.certificateFile).replaceAll('%2F', '/')
  const options = `options=endpoint%3D${endpoint}&sslmode=verify-full&sslrootcert=${certificate}`
  return `postgresql://${role}:${password}@127.0.0.1:${proxyPort}/${database}?${options}`
}

/** Connections of a new branch: one per database, as its owner; none without a primary. */
export function connectionsOf(project: Project, branch: Branch, api: Api): WireRecord[] {
  const compute = primaryOf(project, branch.id)
  if (!compute) return []
  const { suffix } = api.host
  const hosts = { host: `${compute.id}.${suffix}`, pooler_host: `${compute.id}-pooler.${suffix}` }
  return branch.catalogue.databases.flatMap(({ name: database, owner }) => {
    const role = branch.catalogue.roles.find(({ name }) => name === owner)
    if (!role) return []
    const login = { database, password: role.password, role: owner }
    return { connection_uri: uriOf(login, compute.id, api), connection_parameters: { ...login, ...hosts } }
  })
}
