// A service with the routes and fields of the interface text and nothing else: a real one behind a door that takes the rest away.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const words = (text: string): string[] => text.trim().split(/\s+/)

/** Source: service interface, "Resources and their fields". */
const PROJECT = words(`
  id name cpu_used_sec platform_id region_id provisioner pg_version locked created_at updated_at proxy_host
  branch_logical_size_limit`)
const COMPUTE = words(`
  id host project_id branch_id region_id type current_state pending_state autoscaling_limit_min_cu
  autoscaling_limit_max_cu settings pooler_enabled pooler_mode disabled passwordless_access last_active created_at
  updated_at proxy_host`)

const only = (fields: readonly string[], records: unknown): unknown =>
  (Array.isArray(records) ? records : []).map((record: object) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => fields.includes(name))),
  )

type Route = { readonly path: RegExp; readonly keeps: (body: object) => unknown }

const ROUTES: readonly Route[] = [
  { path: /^\/api_keys$/, keeps: (body) => body },
  { path: /^\/projects$/, keeps: (body) => ({ projects: only(PROJECT, Reflect.get(body, 'projects')) }) },
  {
    path: /^\/projects\/[^/]+\/endpoints$/,
    keeps: (body) => ({ endpoints: only(COMPUTE, Reflect.get(body, 'endpoints')) }),
  },
]

type PlainService = AsyncDisposable & { readonly baseUrl: string }

/** What `GET baseUrl/path` answers, with what the interface names. */
async function plainAnswer(baseUrl: string, path: string, authorization: string | undefined) {
  const route = ROUTES.find((one) => one.path.test(path))
  if (!route) return { status: 404, body: { code: '', message: `no such route: ${path}` } }
  const all = path === '/projects' ? '?limit=400' : ''
  const answer = await fetch(baseUrl + path + all, { headers: { authorization: authorization ?? '' } })
  const body = (await answer.json()) as object
  return { status: answer.status, body: answer.ok ? route.keeps(body) : body }
}

/** Answers GET; queries mean nothing to it. */
export async function plainService(baseUrl: string): Promise<PlainService> {
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname } = new URL(request.url ?? '', 'http://x')
      const path = pathname.replace('/api/v2', '')
      const { status, body } = await plainAnswer(baseUrl, path, request.headers.authorization)
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    })()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v2`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
