import { chmodSync, rmSync } from 'node:fs'
import type {
  Branch,
  Database,
  Endpoint,
  Operation,
  Organization,
  ProjectListItem,
  Role,
} from '@neondatabase/api-client'
import { Client, type QueryResult } from 'pg'
import { onTestFinished } from 'vitest'
import type { Local, LocalOptions } from '../../src/local/start.ts'
import { startQuickly } from '../support/start-quickly.ts'
import type { ComputeTruth } from '../../src/local/engine/truth.ts'
import { memoryFolder } from '../support/folder.ts'
import { problemsOf } from './openapi.ts'

/** Polls every 25 ms until the condition yields a value, and returns it; fails after `bound` ms. */
export async function until<Value>(
  what: string,
  condition: () => Promise<Value | undefined | false> | Value | undefined | false,
  bound = 60_000,
): Promise<Value> {
  const end = Date.now() + bound
  for (;;) {
    const value = await condition()
    if (value !== undefined && value !== false) return value
    if (Date.now() > end) throw new Error(`not within ${bound} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** An empty folder that user postgres can reach, removed after the test. */
export function freshFolder(): string {
  const folder = makeFolder()
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A folder that user postgres can reach. */
export function makeFolder(): string {
  const folder = memoryFolder('dormouse-local-')
  chmodSync(folder, 0o711)
  return folder
}

/** Options without latency and lag, with short delays; one project `shop` that never suspends. */
export const QUICK: Omit<LocalOptions, 'folder'> = {
  projects: [{ name: 'shop', suspendTimeoutSeconds: -1 }],
  allowShortDelays: true,
  wakeLatency: { min: 0, max: 0 },
  lastActiveLag: 0,
  activityPoll: 0.25,
}

/** A service for one test, stopped after it. */
export async function quickLocal(options: Partial<LocalOptions> = {}): Promise<Local> {
  const local = await startQuickly({ folder: freshFolder(), ...QUICK, ...options })
  onTestFinished(() => local.stop())
  return local
}

/** All fields of bodies. `call` checks with the OpenAPI document that those of a route are present. */
export type Body = {
  readonly endpoint: Endpoint
  readonly branch: Branch
  readonly branches: readonly Branch[]
  readonly role: Role
  readonly roles: readonly Role[]
  readonly database: Database
  readonly databases: readonly Database[]
  readonly organizations: readonly Organization[]
  readonly password: string
  readonly code: string
  readonly endpoints: readonly Endpoint[]
  readonly operations: readonly Operation[]
  readonly projects: readonly ProjectListItem[]
  readonly project: ProjectListItem & { readonly active_time_seconds: number }
  readonly pagination: { readonly cursor: string }
  readonly uri: string
  readonly key: string
  readonly id: number
  readonly request_id: string
  readonly message: string
}

export type Answered = { readonly status: number; readonly headers: Headers; readonly body: Body }

/** The parts of a running service that tests use. */
export type Service = Pick<Local, 'baseUrl' | 'apiKey' | 'truth'>

type Call = { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }

/** Calls a route with the service's key and checks the answer against the public OpenAPI document. */
export async function call(local: Service, route: string, { body, headers }: Call = {}): Promise<Answered> {
  const [method = 'GET', path = '/'] = route.split(' ')
  const response = await fetch(`${local.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${local.apiKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const answered: Body = text === '' ? undefined : JSON.parse(text)
  const problems = problemsOf({
    method,
    path: path.split('?')[0] ?? '',
    status: response.status,
    body: answered,
  })
  if (problems.length > 0) throw new Error(`${route} ${response.status}: ${problems.join('; ')}\n${text}`)
  return { status: response.status, headers: response.headers, body: answered }
}

/** One compute under test, with its paths and readers. */
export type Subject = {
  readonly projectId: string
  readonly endpointId: string
  readonly branchId: string
  /** Path of the compute in the API. */
  readonly path: string
  /** Connection string of `app_owner` through the main port. */
  readonly uri: string
  record(): Promise<Endpoint>
  truth(): ComputeTruth
  /** Resolves with the record when no change is under way and the compute is in this state. */
  settled(state: 'active' | 'idle'): Promise<Endpoint>
}

/** The compute of the project of that name. */
export async function subject(local: Service, name = 'shop'): Promise<Subject> {
  const { projects } = (await call(local, 'GET /projects?limit=400')).body
  const projectId = projects.find((project) => project.name === name)?.id ?? ''
  const [endpoint] = (await call(local, `GET /projects/${projectId}/endpoints`)).body.endpoints
  if (!endpoint) throw new Error(`project ${name} has no compute`)
  return subjectOf(local, endpoint)
}

/** The compute of this record. */
export async function subjectOf(
  local: Service,
  { id: endpointId, project_id: projectId, branch_id: branchId }: Endpoint,
): Promise<Subject> {
  const path = `/projects/${projectId}/endpoints/${endpointId}`
  const { uri } = (
    await call(
      local,
      `GET /projects/${projectId}/connection_uri?database_name=app&role_name=app_owner&branch_id=${branchId}&endpoint_id=${endpointId}`,
    )
  ).body
  const record = async (): Promise<Endpoint> => (await call(local, `GET ${path}`)).body.endpoint
  const truth = (): ComputeTruth => {
    const found = local.truth().computes.find((compute) => compute.endpointId === endpointId)
    if (!found) throw new Error(`no truth about ${endpointId}`)
    return found
  }
  const settled = (state: string): Promise<Endpoint> =>
    until(`${endpointId} is ${state}`, async () => {
      const now = await record()
      const {
        current_state: current,
        pending_state: pending,
      }: { current_state: string; pending_state?: string } = now
      return current === state && pending === undefined && now
    })
  return { projectId, endpointId, branchId, path, uri, record, truth, settled }
}

/** Connects, runs one statement, and disconnects. */
export async function query(
  connectionString: string,
  sql: string,
  applicationName = 'test',
): Promise<QueryResult['rows']> {
  const client = await connected(connectionString, applicationName)
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** An open session. Its loss does not end the process. */
export async function connected(connectionString: string, applicationName = 'test'): Promise<Client> {
  const client = new Client({ connectionString, application_name: applicationName })
  client.on('error', () => undefined)
  await client.connect()
  return client
}
