import type { Project } from '../model/service/compute.ts'
import type { UnreadableOperation, Operation } from '../model/service/operation.ts'
import type { Clock } from '../model/ports/clock.ts'
import type { ChangedCompute, Service, ServiceOperations } from '../model/ports/service.ts'
import { failed, ok, type Result } from '../std/result.ts'
import type { ServiceError } from '../model/service/service-error.ts'
import { instant } from '../model/units.ts'
import { encodeDefaults, encodeSettings } from '../model/service/change-request.ts'
import {
  createClient,
  type ServiceClient,
  type ClientOptions,
  type PrioritizedClients,
  type MutationRequest,
} from './http/client.ts'
import {
  decodeChanged,
  decodeCompute,
  decodeComputes,
  decodeCreatedKey,
  decodeKey,
  decodeKeys,
  decodeOperations,
  decodeProject,
  decodeProjects,
} from './wire/decode.ts'
import { decodeChangedDefaults } from './wire/decode-usage.ts'
import type { DecodeProblems } from './wire/lenient.ts'
import { operationsPerPage, PROJECTS_PER_PAGE, SMALL_OPERATIONS_PAGE } from './wire/list-limits.ts'
import { isMissingRoute } from './http/response.ts'
import { createConfiguredPages, getAll } from './configured-projects.ts'
import { nextCursor, readPages } from './pages.ts'
import { createUsageOperations, type ReadOperation, type UsageOptions } from './usage.ts'

export type ServiceOptions = ClientOptions & AccessOptions

type AccessOptions = Readonly<{
  /** Explicit ids for a key that may not list: then the list is never requested. */
  projects: 'discover' | readonly string[]
  /** A personal key must name the organisation whose projects it lists. */
  orgId?: string | undefined
  /** Whether connection strings, which hold passwords, may be requested. */
  useConnectionUri?: boolean
  learn?: UsageOptions['learn']
  clock: Clock
}>

/** The service's HTTP API. Whatever goes wrong is a `ServiceError`; no method rejects. A message may repeat the key: exits leave it out. */
export const createService = (options: ServiceOptions): Service =>
  createServiceOn(createClient(options), options)

/** A service over clients that its caller uses, too. */
export function createServiceOn(clients: PrioritizedClients, options: AccessOptions): Service {
  const at: Service['at'] = (priority, maySend) => ({
    ...operationsOf(clients.at(priority, maySend), options),
    at,
  })
  return at('poll')
}

function operationsOf(client: ServiceClient, options: AccessOptions): ServiceOperations {
  const { projects, orgId } = options

  const read: ReadOperation = async (operation, path, { decode, signal }) => {
    const body = await client.read({ operation, path }, signal)
    if (!body.ok) return body
    const decoded = decode(body.value)
    return decoded.ok ? decoded : failed({ kind: 'malformed', problems: decoded.error })
  }

  /** An accepted change with an unreadable answer is `uncertain`: the caller looks again. */
  async function mutate<Value>(
    mutation: MutationRequest,
    { decode, signal }: { decode: Decoder<Value>; signal: AbortSignal },
  ): Promise<Result<Value, ServiceError>> {
    const body = await client.mutate(mutation, signal)
    if (!body.ok) return body
    const decoded = decode(body.value)
    return decoded.ok ? decoded : failed({ kind: 'uncertain', message: decoded.error.join('; ') })
  }

  const projectsPage = (cursor: string | undefined, signal: AbortSignal) => {
    const query = new URLSearchParams({ limit: String(PROJECTS_PER_PAGE) })
    if (orgId !== undefined) query.set('org_id', orgId)
    if (cursor !== undefined) query.set('cursor', cursor)
    return read('list_projects', `projects?${query.toString()}`, { decode: decodeProjects, signal })
  }

  const discover = (signal: AbortSignal) =>
    readPages({
      idOf: (project: Project) => project.projectId,
      fetch: (cursor) => projectsPage(cursor, signal),
    })

  /** Whether the service has ever answered for a project: then a 404 is no missing route. */
  let hasProjectRoute = false

  /** Project whose last read brought at least as many operations as a small page has → how many. */
  const busy = new Map<string, number>()

  async function getProject(projectId: string, signal: AbortSignal): Promise<Result<Project, ServiceError>> {
    const project = await read('get_project', `projects/${encodeURIComponent(projectId)}`, {
      decode: decodeProject,
      signal,
    })
    hasProjectRoute ||= project.ok
    return project
  }

  const configured = {
    getProject,
    isRouteMissing: (error: ServiceError): boolean => !hasProjectRoute && isMissingRoute(error),
  }
  const configuredPages = projects === 'discover' ? undefined : createConfiguredPages(projects, configured)

  const act = (
    action: 'restart' | 'start' | 'suspend',
    path: string,
    signal: AbortSignal,
  ): Promise<Result<ChangedCompute | undefined, ServiceError>> =>
    mutate(
      { operation: `${action}_compute`, method: 'POST', path: `${path}/${action}`, statusSuffices: true },
      { decode: optional<ChangedCompute>(decodeChanged), signal },
    )

  return {
    ...createUsageOperations(read, options),

    listProjects: (signal) =>
      projects === 'discover' ? discover(signal) : getAll(projects, configured, signal),

    async listProjectsPage(requested, signal) {
      if (configuredPages) return configuredPages(requested, signal)
      const page = await projectsPage(requested, signal)
      if (!page.ok) return page
      const { cursor: _, size: __, ...listing } = page.value
      const next = nextCursor(page.value, requested)
      return next.ok ? ok({ ...listing, next: next.value }) : next
    },

    listComputes: (projectId, signal) =>
      read('list_computes', computesPath(projectId), {
        decode: (body) => decodeComputes(body, projectId),
        signal,
      }),

    getCompute: (projectId, endpointId, signal) =>
      read('get_compute', computePath(projectId, endpointId), { decode: decodeCompute, signal }),

    async listOperations(projectId, since, signal) {
      // records carry whole seconds: one created later in the second of `since` looks older
      const from = instant(Math.floor(since / 1000) * 1000)
      const limit = operationsPerPage(options.clock.now() - since, busy.get(projectId) ?? 0)
      const lost: UnreadableOperation[] = []
      let requests = 0
      const listed = await readPages({
        idOf: (operation: Operation) => operation.operationId,
        isLast: (page) => page.items.some(({ createdAt }) => createdAt < from),
        fetch: async (cursor) => {
          const query = new URLSearchParams({ limit: String(limit) })
          if (cursor !== undefined) query.set('cursor', cursor)
          const path = `projects/${encodeURIComponent(projectId)}/operations?${query.toString()}`
          requests += 1
          const page = await read('list_operations', path, {
            decode: (body) => decodeOperations(body, projectId, limit),
            signal,
          })
          if (page.ok) lost.push(...(page.value.lost ?? []))
          return page
        },
      })
      // behind a first page the route is there: what is missing is the cursor
      const isAbsent = !listed.ok && requests === 1 && isMissingRoute(listed.error)
      if (isAbsent) return ok({ items: [], problems: [], isAbsent })
      if (!listed.ok) return listed
      const items = listed.value.items.filter(({ createdAt }) => createdAt >= from)
      if (items.length < SMALL_OPERATIONS_PAGE) busy.delete(projectId)
      else busy.set(projectId, items.length)
      const recent = lost.filter(({ createdBy = from }) => createdBy >= from)
      return ok({
        ...listed.value,
        items: items.toSorted((a, b) => b.createdAt - a.createdAt),
        ...(recent.length > 0 && { lost: recent }),
        ...(requests > 1 && { requests }),
      })
    },

    // oxlint-disable-next-line max-params -- as the port has it
    createCompute: (projectId, branchId, settings, signal) =>
      mutate(
        {
          operation: 'create_compute',
          method: 'POST',
          path: computesPath(projectId),
          body: { endpoint: { ...encodeSettings(settings), branch_id: branchId, type: 'read_write' } },
        },
        { decode: decodeChanged, signal },
      ),

    // oxlint-disable-next-line max-params -- as the port has it
    updateCompute: (projectId, endpointId, settings, signal) =>
      mutate(
        {
          operation: 'update_compute',
          method: 'PATCH',
          path: computePath(projectId, endpointId),
          body: { endpoint: encodeSettings(settings) },
        },
        { decode: decodeChanged, signal },
      ),

    updateDefaults: (projectId, settings, signal) =>
      mutate(
        {
          operation: 'update_project',
          method: 'PATCH',
          path: `projects/${encodeURIComponent(projectId)}`,
          body: encodeDefaults(settings),
        },
        { decode: decodeChangedDefaults, signal },
      ),

    deleteCompute: (projectId, endpointId, signal) =>
      mutate(
        {
          operation: 'delete_compute',
          method: 'DELETE',
          path: computePath(projectId, endpointId),
          statusSuffices: true,
        },
        { decode: optional(decodeCompute), signal },
      ),

    restartCompute: (projectId, endpointId, signal) =>
      act('restart', computePath(projectId, endpointId), signal),
    startCompute: (projectId, endpointId, signal) => act('start', computePath(projectId, endpointId), signal),
    suspendCompute: (projectId, endpointId, signal) =>
      act('suspend', computePath(projectId, endpointId), signal),

    listKeys: (signal) => read('list_keys', 'api_keys', { decode: decodeKeys, signal }),

    createKey: (name, signal) =>
      mutate(
        { operation: 'create_key', method: 'POST', path: 'api_keys', body: { key_name: name } },
        { decode: decodeCreatedKey, signal },
      ),

    revokeKey: (keyId, signal) =>
      mutate(
        { operation: 'revoke_key', method: 'DELETE', path: `api_keys/${keyId}` },
        { decode: decodeKey, signal },
      ),
  }
}

const computesPath = (projectId: string): string => `projects/${encodeURIComponent(projectId)}/endpoints`
const computePath = (projectId: string, endpointId: string): string =>
  `${computesPath(projectId)}/${encodeURIComponent(endpointId)}`

type Decoder<Value> = (body: unknown) => Result<Value, DecodeProblems>

/** For an answer whose status suffices: undefined when its body does not fit. */
const optional =
  <Value>(decode: Decoder<Value>): Decoder<Value | undefined> =>
  (body) => {
    const decoded = decode(body)
    return decoded.ok ? decoded : ok(undefined)
  }
