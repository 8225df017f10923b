import type { Hono } from 'hono'
import { z } from 'zod'
import type { Project } from '../control/project.ts'
import type { Api, Call, Env } from './context.ts'
import { refuse } from './errors.ts'
import { queryOf } from './input.ts'
import { NOT_YET_IN_REQUESTS } from './not-yet.ts'
import { projectOf } from './projects.ts'

/** The database every project begins with. */
export const DATABASE = 'app'

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
    const project = projectOf(call, api)
    if (project instanceof Response) return project
    const query = queryOf(call, uriQuery)
    if (!query.ok) return query.answer
    if (query.value.pooled === 'true') return refuse(call, 501, NOT_YET_IN_REQUESTS.pooled)
    return answer(call, project, { query: query.value, api })
  })
}

function answer(
  call: Call,
  project: Project,
  asked: { readonly query: UriQuery; readonly api: Api },
): Response {
  const { query, api } = asked
  if (query.database_name !== DATABASE) return refuse(call, 404, `database not found: ${query.database_name}`)
  const password = api.store.roles(project.id).get(query.role_name)
  if (password === undefined) return refuse(call, 404, `role not found: ${query.role_name}`)
  const branchId = query.branch_id ?? project.branches[0]?.id
  const compute = project.computes.find(
    ({ id, branchId: of }) =>
      of === branchId && (query.endpoint_id === undefined || id === query.endpoint_id),
  )
  if (!compute) return refuse(call, 404, `no endpoint found on branch ${branchId}`)
  return call.json({
    uri: uriOf({ role: query.role_name, password, endpointId: compute.id, port: api.proxyPort }),
  })
}

type UriParts = {
  readonly role: string
  readonly password: string
  readonly endpointId: string
  readonly port: number
}

const uriOf = ({ role, password, endpointId, port }: UriParts): string =>
  `postgresql://${role}:${password}@127.0.0.1:${port}/${DATABASE}?options=endpoint%3D${endpointId}&sslmode=disable`
