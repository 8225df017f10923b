// Operations that read the service's own history and metering, page by page.
import type { ConsumptionQuery } from '../model/service/consumption.ts'
import type { ConsumptionPage, ListPage, Service } from '../model/ports/service.ts'
import { failed, ok, type Result } from '../std/result.ts'
import { serviceErrorText, type ServiceError } from '../model/service/service-error.ts'
import { toIso } from '../model/time.ts'
import { decodeOperations } from './wire/decode.ts'
import type { DecodeProblems } from './wire/lenient.ts'
import { decodeConnectionUri, decodeConsumption, decodeProjectDetail } from './wire/decode-usage.ts'
import { CONSUMPTION_PER_PAGE, OPERATIONS_PER_PAGE } from './wire/list-limits.ts'
import { isMissingRoute } from './http/response.ts'
import { nextCursor } from './pages.ts'

/** Sends a GET and decodes the answer; `operation` names it in metrics and is its route for rate limits. */
export type ReadOperation = <Value>(
  operation: string,
  path: string,
  how: {
    readonly decode: (body: unknown) => Result<Value, DecodeProblems>
    readonly signal: AbortSignal
  },
) => Promise<Result<Value, ServiceError>>

type UsageOperations = Pick<
  Service,
  'listOperationsPage' | 'getProjectDetail' | 'listConsumption' | 'getConnectionUri'
>

export type UsageOptions = Readonly<{
  orgId?: string | undefined
  useConnectionUri?: boolean
  /** Told every connection string, which holds a password. */
  learn?: ((secret: string) => void) | undefined
}>

const projectPath = (projectId: string): string => `projects/${encodeURIComponent(projectId)}`

export const createUsageOperations = (
  read: ReadOperation,
  { orgId, useConnectionUri = false, learn }: UsageOptions,
): UsageOperations => ({
  async listOperationsPage(projectId, cursor, signal) {
    const query = new URLSearchParams({ limit: String(OPERATIONS_PER_PAGE) })
    if (cursor !== undefined) query.set('cursor', cursor)
    const path = `${projectPath(projectId)}/operations?${query.toString()}`
    const page = await read('list_operations', path, {
      decode: (body) => decodeOperations(body, projectId),
      signal,
    })
    if (!page.ok) return isMissingRoute(page.error) ? ok(END) : page
    const { items, problems } = page.value
    const next = nextCursor(page.value, cursor)
    return next.ok ? ok({ items, problems, next: next.value }) : next
  },

  getProjectDetail: (projectId, signal) =>
    read('get_project', projectPath(projectId), { decode: decodeProjectDetail, signal }),

  async listConsumption(query, cursor, signal) {
    const path = `consumption_history/v2/projects?${consumptionQuery({ ...query, orgId: query.orgId ?? orgId }, cursor)}`
    const page = await read('list_consumption', path, { decode: decodeConsumption, signal })
    if (!page.ok) return cursor === undefined ? withoutHistory(page.error) : page
    const { items, problems, projects: size } = page.value
    const next = nextCursor({ ...page.value, size }, cursor)
    return next.ok ? ok({ kind: 'page', items, problems, next: next.value }) : next
  },

  async getConnectionUri(projectId, { endpointId, database, role }, signal) {
    if (!useConnectionUri) return ok(undefined)
    const query = new URLSearchParams({
      endpoint_id: endpointId,
      database_name: database,
      role_name: role,
      pooled: 'false',
    })
    const path = `${projectPath(projectId)}/connection_uri?${query.toString()}`
    const uri = await read('get_connection_uri', path, { decode: decodeConnectionUri, signal })
    if (uri.ok) learn?.(uri.value.reveal())
    return uri
  },
})

const END: ListPage<never> = { items: [], problems: [], next: undefined }

function consumptionQuery(
  {
    from,
    to,
    granularity,
    metrics,
    projectIds,
    orgId,
  }: Omit<ConsumptionQuery, 'orgId'> & { readonly orgId: string | undefined },
  cursor: string | undefined,
): string {
  const query = new URLSearchParams({
    from: toIso(from),
    to: toIso(to),
    granularity,
    metrics: metrics.join(','),
    limit: String(CONSUMPTION_PER_PAGE),
  })
  if (orgId !== undefined) query.set('org_id', orgId)
  if (projectIds !== undefined) query.set('project_ids', projectIds.join(','))
  if (cursor !== undefined) query.set('cursor', cursor)
  return query.toString()
}

/** A service plan without history is no error. Source: service-facts.md, "Consumption". */
function withoutHistory(error: ServiceError): Result<ConsumptionPage, ServiceError> {
  if (error.kind === 'refused' && error.status === 403)
    return ok({ kind: 'none', because: 'plan', message: error.message })
  if (isMissingRoute(error)) return ok({ kind: 'none', because: 'absent', message: serviceErrorText(error) })
  return failed(error)
}
