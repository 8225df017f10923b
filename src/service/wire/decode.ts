// The service's JSON as model data. Lenient: what we do not use is ignored, what we use must fit, item by item.
import { z } from 'zod'
import type { AutosuspendDelay, Compute, Project } from '../../model/service/compute.ts'
import type { ApiKey, CreatedApiKey } from '../../model/service/api-key.ts'
import type { Operation } from '../../model/service/operation.ts'
import type { ChangedCompute, Listing, OperationListing } from '../../model/ports.ts'
import { ok, type Result } from '../../std/result.ts'
import { fromIso } from '../../model/time.ts'
import { cu, millis, seconds, type Instant } from '../../model/units.ts'
import { id, listAt, namedListAt, parse, resultsAt, valueAt, type Problems } from './lenient.ts'
import { lostIn, unaddressed } from './unreadable-operations.ts'
import { ownOf, unreadOf } from './ownership.ts'

/** Source: service interface, "Resources and their fields"; a fraction of a second is tolerated. */
export const timestamp = z.string().transform((text, context): Instant => {
  const at = fromIso(text)
  if (at !== undefined) return at
  context.addIssue('expected an ISO 8601 UTC timestamp')
  return z.NEVER
})

export const optionalText = z
  .string()
  .nullish()
  .transform((text) => text || undefined)
export const optionalTime = timestamp.nullish().transform((at) => at ?? undefined)

/** 0 and absent: the default one level up; −1: never. Not in the interface text; service-facts.md, "Compute record". */
const delay = z
  .number()
  .min(-1)
  .nullish()
  .transform((value): AutosuspendDelay | undefined => {
    if (!value) return undefined
    return value < 0 ? 'never' : seconds(value)
  })

const computeWire = z
  .object({
    id: id('ep-'),
    project_id: id(''),
    branch_id: id('br-'),
    region_id: optionalText,
    name: optionalText,
    host: z.string(),
    type: z.string(),
    current_state: z.enum(['init', 'active', 'idle']),
    pending_state: optionalText,
    autoscaling_limit_min_cu: z.number().positive().transform(cu),
    autoscaling_limit_max_cu: z.number().positive().transform(cu),
    suspend_timeout_seconds: delay,
    pooler_enabled: z.boolean().nullish(),
    disabled: z.boolean().nullish(),
    last_active: optionalTime,
    started_at: optionalTime,
    suspended_at: optionalTime,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .transform((wire): Compute => ({
    endpointId: wire.id,
    projectId: wire.project_id,
    branchId: wire.branch_id,
    name: wire.name,
    regionId: wire.region_id ?? '',
    host: wire.host,
    // the word of a read replica is not in the interface text: whatever is not the primary's is one
    type: wire.type === 'read_write' ? 'read_write' : 'read_only',
    state: wire.current_state,
    pendingState: wire.pending_state,
    sizing:
      wire.autoscaling_limit_min_cu === wire.autoscaling_limit_max_cu
        ? { fixed: wire.autoscaling_limit_min_cu }
        : { min: wire.autoscaling_limit_min_cu, max: wire.autoscaling_limit_max_cu },
    autosuspendDelay: wire.suspend_timeout_seconds,
    poolerEnabled: wire.pooler_enabled ?? false,
    disabled: wire.disabled ?? false,
    lastActive: wire.last_active,
    startedAt: wire.started_at,
    suspendedAt: wire.suspended_at,
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
  }))

export const projectWire = z
  .object({
    id: id(''),
    name: optionalText,
    region_id: optionalText,
    platform_id: optionalText,
    pg_version: z.number().nullish(),
    cpu_used_sec: z.number().nullish(),
    // only what is usual is taken from it: no project is lost for one that makes no sense
    active_time: z.number().nonnegative().nullish().catch(undefined),
    updated_at: timestamp,
    compute_last_active_at: optionalTime,
    default_endpoint_settings: z.object({ suspend_timeout_seconds: delay }).nullish(),
  })
  .transform((wire): Project => ({
    projectId: wire.id,
    name: wire.name ?? wire.id,
    regionId: wire.region_id ?? '',
    platformId: wire.platform_id ?? '',
    pgVersion: wire.pg_version ?? 0,
    cpuUsedSeconds: wire.cpu_used_sec ?? 0,
    activeSeconds: wire.active_time ?? undefined,
    updatedAt: wire.updated_at,
    computeLastActiveAt: wire.compute_last_active_at,
    defaultAutosuspendDelay: wire.default_endpoint_settings?.suspend_timeout_seconds,
  }))

const operationWire = z
  .object({
    id: id(''),
    project_id: id(''),
    endpoint_id: optionalText.pipe(id('ep-').optional()),
    branch_id: optionalText,
    action: z.string(),
    status: z.string(),
    failures_count: z.number().nullish(),
    // nothing is counted by it but how long starts take: no operation is lost for one that makes no sense
    total_duration_ms: z.int32().nonnegative().nullish().catch(undefined),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .transform((wire): Operation => ({
    operationId: wire.id,
    projectId: wire.project_id,
    endpointId: wire.endpoint_id,
    branchId: wire.branch_id,
    action: wire.action,
    status: wire.status,
    failuresCount: wire.failures_count ?? 0,
    duration: wire.total_duration_ms == null ? undefined : millis(wire.total_duration_ms),
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
  }))

const keyWire = z
  .object({
    id: z.int(),
    name: z.string(),
    created_at: optionalTime,
    last_used_at: optionalTime,
    last_used_from_addr: optionalText,
    revoked: z.boolean().nullish(),
  })
  .transform((wire): ApiKey => ({
    keyId: wire.id,
    name: wire.name,
    createdAt: wire.created_at,
    lastUsedAt: wire.last_used_at,
    lastUsedFrom: wire.last_used_from_addr,
    revoked: wire.revoked ?? false,
  }))

const createdKeyWire = z
  .object({ id: z.int(), key: z.string().min(1) })
  .transform((wire): CreatedApiKey => ({ keyId: wire.id, key: wire.key }))

export const paginationWire = z.object({ pagination: z.object({ cursor: optionalText }).nullish() })
const unavailableWire = z.object({ unavailable_project_ids: z.array(z.string()).nullish() })

/** One page of a list that may go on. */
export type Page<Item> = Listing<Item> & {
  /** Where the next page begins; undefined when the service names none. */
  readonly cursor: string | undefined
  /** There is no list in it: nobody knows how many items it has. */
  readonly unreadable?: true
}

function pageAt<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  key: string,
): Result<Page<z.output<Schema>>, Problems> {
  const list = namedListAt(schema, body, { key, prefix: '' })
  const paging = parse(paginationWire, body, [])
  const cursor = paging.ok ? paging.value.pagination?.cursor : undefined
  // What comes after a page of which nothing can be read is read nevertheless, where it says where that is.
  if (!list.ok) return cursor === undefined ? list : ok({ ...unreadable(list.error), cursor })
  const problems = paging.ok ? [] : paging.error
  return ok({ ...list.value, problems: [...list.value.problems, ...problems], cursor })
}

const unreadable = (error: Problems) => ({
  items: [],
  problems: [error.join('; ')],
  unreadable: true as const,
})

/** A project that the service could not look at is a problem of the list, so that nobody takes it for deleted. */
export function decodeProjects(body: unknown): Result<Page<Project>, Problems> {
  const page = pageAt(projectWire, body, 'projects')
  if (!page.ok) return page
  const unavailable = parse(unavailableWire, body, [])
  const projectIds = (unavailable.ok && unavailable.value.unavailable_project_ids) || []
  const lines = projectIds.map(
    (projectId, index) =>
      `unavailable_project_ids[${index}]: the service cannot say anything of ${projectId} now`,
  )
  const problems = unavailable.ok ? lines : unavailable.error
  return ok({
    ...page.value,
    cursor: page.value.cursor ?? cursorInstead(body),
    problems: [...page.value.problems, ...problems],
    ...unreadOf([...(page.value.unread ?? []), ...projectIds]),
  })
}

const pagedWire = z.object({ pagination: z.unknown(), projects: z.array(z.unknown()) })

/** Where the page says in a way that does not fit where it goes on: the cursor is the last id. Source: service-facts.md, "Projects". */
function cursorInstead(body: unknown): string | undefined {
  const paged = pagedWire.safeParse(body).data
  const isSilent = !paged?.pagination || parse(paginationWire, body, []).ok
  return isSilent ? undefined : z.object({ id: id('') }).safeParse(paged.projects.at(-1)).data?.id
}

export const decodeProject = (body: unknown): Result<Project, Problems> =>
  parse(projectWire, valueAt(body, ['project']), ['project'])

/** @param projectId whose computes were asked for: what says that it is another's is not believed */
export function decodeComputes(body: unknown, projectId?: string): Result<Listing<Compute>, Problems> {
  const list = namedListAt(computeWire, body, { key: 'endpoints', prefix: 'ep-' })
  return list.ok ? ok(ownOf(list.value, { projectId, idOf: ({ endpointId }) => endpointId })) : list
}

export const decodeCompute = (body: unknown): Result<Compute, Problems> =>
  parse(computeWire, valueAt(body, ['endpoint']), ['endpoint'])

/** @param projectId whose operations were asked for */
export function decodeOperations(
  body: unknown,
  projectId?: string,
): Result<Page<Operation> & OperationListing, Problems> {
  const page = pageAt(operationWire, body, 'operations')
  if (!page.ok) return page
  const own = ownOf(page.value, { projectId, idOf: ({ operationId }) => operationId })
  const misfits =
    own.problems.length === 0 ? [] : lostIn(resultsAt(operationWire, body, ['operations']), own.items)
  const lost = [...unaddressed(own.items), ...misfits]
  return ok({ ...page.value, ...own, ...(lost.length > 0 && { lost }) })
}

/** Operations that do not fit are left out: none of them says whether the change was accepted. */
export function decodeChanged(body: unknown): Result<ChangedCompute, Problems> {
  const compute = decodeCompute(body)
  if (!compute.ok) return compute
  const operations = listAt(operationWire, body, ['operations'])
  return ok({ compute: compute.value, operations: operations.ok ? operations.value.items : [] })
}

export const decodeKeys = (body: unknown): Result<Listing<ApiKey>, Problems> => listAt(keyWire, body, [])

export const decodeKey = (body: unknown): Result<ApiKey, Problems> => parse(keyWire, body, [])

export const decodeCreatedKey = (body: unknown): Result<CreatedApiKey, Problems> =>
  parse(createdKeyWire, body, [])
