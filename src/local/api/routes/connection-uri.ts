import type { Hono } from 'hono'
import { z } from 'zod'
import { type Branch, type Compute, type Project, primaryOf } from '../../control/project.ts'
import type { Api, Call, Env } from '../context.ts'
import { errorAnswer } from '../errors.ts'
import { queryOf } from '../input.ts'
import { branchOr404, projectOr404 } from '../found.ts'

const uriQuery = z.object({
  database_name: z.string(),
  role_name: z.string(),
  branch_id: z.string().optional(),
  endpoint_id: z.string().optional(),
  pooled: z.enum(['true', 'false']).default('false'),
})

type UriQuery = z.output<typeof uriQuery>

/** A URI that works as it stands, with psql and with drivers: the compute is named in the start-up options. */
export function connectionUriRoutes(app: Hono<Env>, api: Api): void {
  app.get('/projects/:project_id/connection_uri', (call) => {
    const project = projectOr404(call, api)
    if (project instanceof Response) return project
    const query = queryOf(call, uriQuery)
    if (!query.ok) return query.answer
    const branch = branchAsked(call, project, query.value)
    return branch instanceof Response ? branch : answer(call, project, { branch, query: query.value, api })
  })
}

/** The branch that is named, that of the compute that is named, or the default one. */
function branchAsked(call: Call, project: Project, { branch_id, endpoint_id }: UriQuery): Branch | Response {
  const compute = project.computes.find(({ id }) => id === endpoint_id)
  const branchId = branch_id ?? compute?.branchId ?? project.branches[0]?.id ?? ''
  return branchOr404(call, project, branchId)
}

type Asked = { readonly branch: Branch; readonly query: UriQuery; readonly api: Api }

function answer(call: Call, project: Project, { branch, query, api }: Asked): Response {
  const { databases, roles } = branch.catalogue
  if (!databases.some(({ name }) => name === query.database_name))
    return errorAnswer(call, 404, `database not found: ${query.database_name}`)
  const role = roles.find(({ name }) => name === query.role_name)
  if (!role) return errorAnswer(call, 404, `role not found: ${query.role_name}`)
  if (!project.storePasswords) return errorAnswer(call, 412, 'this project does not store passwords')
  const compute =
    query.endpoint_id === undefined
      ? primaryOf(project, branch.id)
      : project.computes.find(({ id, branchId }) => branchId === branch.id && id === query.endpoint_id)
  if (!compute) return errorAnswer(call, 404, `no endpoint found on branch ${branch.id}`)
  const parts = {
    role: role.name,
    password: role.password,
    database: query.database_name,
    compute,
    pooled: query.pooled === 'true',
  }
  return call.json({ uri: uriOf(parts, api) })
}

export type UriParts = {
  readonly role: string
  readonly password: string
  readonly database: string
  readonly compute: Compute
  readonly pooled: boolean
}

/** The name of the compute, or that of its pooled door. */
const nameOf = ({ compute, pooled }: UriParts): string => (pooled ? `${compute.id}-pooler` : compute.id)

type Place = Pick<Api, 'proxyPort' | 'host'>

/**
 * The file of the certificate is named, so that clients that verify what they are shown, as node's `pg` always does,
 * need nothing else. Whoever wants no TLS changes `sslmode` to `disable`.
 */
export function uriOf(parts: UriParts, { proxyPort, host }: Place): string {
  const [role, password, database] = [parts.role, parts.password, parts.database].map(encodeURIComponent)
  const name = nameOf(parts)
  const certificate = encodeURIComponent(host.certificateFile).replaceAll('%2F', '/')
  return (
    `postgresql://${role}:${password}@127.0.0.1:${proxyPort}/${database}?options=endpoint%3D${name}` +
    `&sslmode=verify-full&sslrootcert=${certificate}`
  )
}

/** URI and its parts as answers about new branches show them. */
export const connectionWire = (parts: UriParts, api: Place): Record<string, unknown> => ({
  connection_uri: uriOf(parts, api),
  connection_parameters: {
    database: parts.database,
    password: parts.password,
    role: parts.role,
    host: `${parts.compute.id}.${api.host.suffix}`,
    pooler_host: `${parts.compute.id}-pooler.${api.host.suffix}`,
  },
})

/** One for every database of a branch that has a compute, each as its owner. */
export function connectionsOf(project: Project, branch: Branch, api: Place): unknown[] {
  const compute = primaryOf(project, branch.id)
  if (!compute) return []
  return branch.catalogue.databases.flatMap(({ name: database, owner }) => {
    const role = branch.catalogue.roles.find(({ name }) => name === owner)
    const parts = role && { role: owner, password: role.password, database, compute, pooled: false }
    return parts ? [connectionWire(parts, api)] : []
  })
}
