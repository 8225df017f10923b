// A small, well-formed account on the wire, and ways to answer.
import type { IncomingMessage, ServerResponse } from 'node:http'

export type Exchange = Readonly<{
  request: IncomingMessage
  response: ServerResponse
  /** Number of the request, from 1. */
  count: number
  projectId: string
  cursor: string | null
}>
export type Answer = (exchange: Exchange) => void
export type Route = 'projects' | 'computes' | 'operations'
export type Mode = Readonly<Partial<Record<Route, Answer>>>

export const MINUTE = 60_000
export const iso = (ago: number): string =>
  new Date(Math.floor((Date.now() - ago) / 1000) * 1000).toISOString()

export const project = (id: string, more: object = {}) => ({
  id,
  name: `shop ${id}`,
  region_id: 'aws-eu-central-1',
  platform_id: 'aws',
  pg_version: 17,
  cpu_used_sec: 12,
  created_at: iso(600 * MINUTE),
  updated_at: iso(MINUTE),
  compute_last_active_at: iso(MINUTE),
  ...more,
})
export const compute = (id: string, projectId: string, more: object = {}) => ({
  id,
  project_id: projectId,
  branch_id: 'br-main-1',
  host: `${id}.example.test`,
  region_id: 'aws-eu-central-1',
  type: 'read_write',
  current_state: 'active',
  autoscaling_limit_min_cu: 0.25,
  autoscaling_limit_max_cu: 2,
  suspend_timeout_seconds: 300,
  last_active: iso(MINUTE),
  started_at: iso(60 * MINUTE),
  created_at: iso(600 * MINUTE),
  updated_at: iso(MINUTE),
  ...more,
})
export const operation = (id: string, projectId: string, more: object = {}) => ({
  id,
  project_id: projectId,
  endpoint_id: 'ep-one-1',
  branch_id: 'br-main-1',
  action: 'start_compute',
  status: 'finished',
  failures_count: 0,
  total_duration_ms: 400,
  created_at: iso(60 * MINUTE),
  updated_at: iso(60 * MINUTE),
  ...more,
})

export const send =
  (text: string | Buffer, headers: Readonly<Record<string, string>> = {}, status = 200): Answer =>
  ({ response }) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
export const json =
  (value: (exchange: Exchange) => unknown): Answer =>
  (exchange) => {
    send(JSON.stringify(value(exchange)))(exchange)
  }
export const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** Writes `chunk` until `bytes` are written or the client has gone. */
export function pour(response: ServerResponse, chunk: Buffer, bytes: number): void {
  let left = bytes
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length
      if (!response.write(chunk)) return void response.once('drain', more)
    }
    if (!response.destroyed) response.end()
  }
  more()
}
export const poured =
  (head: string, chunk: string, bytes: number, status = 200): Answer =>
  ({ response }) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.write(head)
    pour(response, Buffer.from(chunk.repeat(65_536 / chunk.length)), bytes)
  }

export const PROJECTS = ['quiet-one-1', 'quiet-two-2', 'quiet-three-3']
export const computesWith = (more: (exchange: Exchange) => object): Answer =>
  json((exchange) => ({ endpoints: [compute('ep-one-1', exchange.projectId, more(exchange))] }))
export const computesText = (items: string): Answer => send(`{"endpoints":[${items}]}`)
export const on = (routes: readonly Route[], answer: Answer): Mode =>
  Object.fromEntries(routes.map((route) => [route, answer]))
export const everywhere = (answer: Answer): Mode => on(['projects', 'computes', 'operations'], answer)

/** One for each mode of the malicious Postgres server, and some more. */
const AWAKE_COMPUTES = 60

export const NORMAL: Required<Mode> = {
  projects: json(({ cursor }) => ({ projects: cursor === null ? PROJECTS.map((id) => project(id)) : [] })),
  computes: computesWith(() => ({})),
  operations: json(({ projectId, cursor }) => ({
    operations: cursor === null ? [operation(`op-${projectId}`, projectId)] : [],
  })),
}

/** Computes that never suspend, so that each is read in the first pass: `awake-7` has `ep-7`. */
export const AWAKE: Mode = {
  projects: json(({ cursor }) => ({
    projects: cursor === null ? times(AWAKE_COMPUTES, (index) => project(`awake-${index}`)) : [],
  })),
  computes: json(({ projectId }) => {
    const id = projectId.replace('awake', 'ep')
    const more = { host: `${id}.localhost`, suspend_timeout_seconds: -1 }
    return { endpoints: [compute(id, projectId, more)] }
  }),
}

export function routeOf(url: string): Route {
  if (/\/endpoints/.test(url)) return 'computes'
  return /\/operations/.test(url) ? 'operations' : 'projects'
}
export const pick = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item
