// The service reduced to the routes and fields of the interface text.
import type { MiddlewareHandler } from 'hono'
import type { Api, Call, Env } from './context.ts'
import { ApiError } from './errors.ts'

const ID = '[^/]+'

/** Table "Endpoints" of the interface text. */
const ROUTES: readonly RegExp[] = [
  '(?:GET|POST) /api_keys',
  `DELETE /api_keys/${ID}`,
  'GET /projects',
  `(?:GET|POST) /projects/${ID}/endpoints`,
  `(?:PATCH|DELETE) /projects/${ID}/endpoints/${ID}`,
  `POST /projects/${ID}/endpoints/${ID}/restart`,
].map((route) => new RegExp(`^${route.replace(' ', ' /api/v2')}$`))

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const KEY = words('id key name created_at last_used_at last_used_from_addr revoked')
const COMPUTE =
  words(`id host project_id branch_id region_id type current_state pending_state autoscaling_limit_min_cu
  autoscaling_limit_max_cu settings pooler_enabled pooler_mode disabled passwordless_access last_active created_at
  updated_at proxy_host`)

/** Field of a body → fields of its records. `pagination` stays although the interface text has no pages. */
const RECORD_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  projects:
    words(`id name cpu_used_sec platform_id region_id provisioner pg_version locked created_at updated_at
    proxy_host branch_logical_size_limit`),
  endpoints: COMPUTE,
  endpoint: COMPUTE,
  operations: words('id project_id branch_id endpoint_id action status failures_count created_at updated_at'),
  pagination: words('cursor'),
}

export const interfaceOnly =
  (api: Api): MiddlewareHandler<Env> =>
  async (call, next) => {
    if (!api.settings().interfaceOnly) return next()
    const route = `${call.req.method} ${call.req.path}`
    if (!ROUTES.some((pattern) => pattern.test(route))) throw new ApiError(404, `no such route: ${route}`)
    await next()
    if (call.res.ok) call.res = await reducedAnswer(call)
    return undefined
  }

async function reducedAnswer(call: Call): Promise<Response> {
  const text = await call.res.text()
  if (text === '') return call.body(null, 204)
  const body: unknown = JSON.parse(text)
  const reduced = call.req.path.includes('/api_keys') ? pickFields(KEY, body) : reduceBody(body)
  return call.json(reduced, call.res.status === 201 ? 201 : 200)
}

const reduceBody = (body: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(body ?? {}).flatMap(([name, part]) => {
      const fields = RECORD_FIELDS[name]
      return fields ? [[name, pickFields(fields, part)]] : []
    }),
  )

function pickFields(fields: ReadonlySet<string>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => pickFields(fields, item))
  return Object.fromEntries(Object.entries(value ?? {}).filter(([name]) => fields.has(name)))
}
