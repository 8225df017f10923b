// The service's JSON as model data. Lenient: what we do not use is ignored, what we use must fit, item by item.
import { z } from 'zod'
import type { AutosuspendDelay, Compute, Project } from '../model/compute.ts'
import type { ApiKey, CreatedApiKey } from '../model/key.ts'
import type { Operation } from '../model/operation.ts'
import type { ChangedCompute, Listing } from '../model/ports.ts'
import { failed, ok, type Result } from '../model/result.ts'
import { fromIso } from '../model/time.ts'
import { cu, seconds, type Instant } from '../model/units.ts'

/** Lines for a person, each with the path of what does not fit: `endpoints[1].current_state: …`. Never empty. */
export type Problems = readonly string[]

/** Source: service interface, "Resources and their fields"; a fraction of a second is tolerated. */
export const timestamp = z.string().transform((text, context): Instant => {
  const at = fromIso(text)
  if (at !== undefined) return at
  context.addIssue('expected an ISO 8601 UTC timestamp')
  return z.NEVER
})

/** Ids become parts of paths and of our keys, which use `/` between them. */
export const id = (prefix: string) =>
  z
    .string()
    .regex(
      new RegExp(`^${prefix}[\\w-]+$`),
      prefix ? `expected an id that starts with ${prefix}` : 'expected an id',
    )

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
    updatedAt: wire.updated_at,
    computeLastActiveAt: wire.compute_last_active_at,
    defaultAutosuspendDelay: wire.default_endpoint_settings?.suspend_timeout_seconds,
  }))

const operationWire = z
  .object({
    id: id(''),
    project_id: id(''),
    endpoint_id: optionalText,
    action: z.string(),
    status: z.string(),
    failures_count: z.number().nullish(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .transform((wire): Operation => ({
    operationId: wire.id,
    projectId: wire.project_id,
    endpointId: wire.endpoint_id,
    action: wire.action,
    status: wire.status,
    failuresCount: wire.failures_count ?? 0,
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

export type Path = readonly PropertyKey[]

export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: Path,
): Result<z.output<Schema>, Problems> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return ok(parsed.data)
  return failed(
    parsed.error.issues.map(
      (issue) => `${z.core.toDotPath([...path, ...issue.path]) || 'body'}: ${issue.message}`,
    ),
  )
}

/** The items of the array at `path` of `body` that fit, and one line for each that does not. */
export function listAt<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  path: Path,
): Result<Listing<z.output<Schema>>, Problems> {
  const raw = parse(z.array(z.unknown()), valueAt(body, path), path)
  if (!raw.ok) return raw
  const results = raw.value.map((item, index) => parse(schema, item, [...path, index]))
  return ok({
    items: results.flatMap((result) => (result.ok ? [result.value] : [])),
    problems: results.flatMap((result) => (result.ok ? [] : [result.error.join('; ')])),
  })
}

export const valueAt = (body: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    body,
  )

/** One page of a list that may go on. */
export type Page<Item> = Listing<Item> & {
  /** Where the next page begins; undefined when the service names none. */
  readonly cursor: string | undefined
}

function pageAt<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  key: string,
): Result<Page<z.output<Schema>>, Problems> {
  const list = listAt(schema, body, [key])
  if (!list.ok) return list
  const paging = parse(paginationWire, body, [])
  if (!paging.ok) return paging
  return ok({ ...list.value, cursor: paging.value.pagination?.cursor })
}

/** A project that the service could not look at is a problem of the list, so that nobody takes it for deleted. */
export function decodeProjects(body: unknown): Result<Page<Project>, Problems> {
  const page = pageAt(projectWire, body, 'projects')
  if (!page.ok) return page
  const unavailable = parse(unavailableWire, body, [])
  if (!unavailable.ok) return unavailable
  const lines = (unavailable.value.unavailable_project_ids ?? []).map(
    (projectId, index) =>
      `unavailable_project_ids[${index}]: the service cannot say anything of ${projectId} now`,
  )
  return ok({ ...page.value, problems: [...page.value.problems, ...lines] })
}

export const decodeProject = (body: unknown): Result<Project, Problems> =>
  parse(projectWire, valueAt(body, ['project']), ['project'])

export const decodeComputes = (body: unknown): Result<Listing<Compute>, Problems> =>
  listAt(computeWire, body, ['endpoints'])

export const decodeCompute = (body: unknown): Result<Compute, Problems> =>
  parse(computeWire, valueAt(body, ['endpoint']), ['endpoint'])

export const decodeOperations = (body: unknown): Result<Page<Operation>, Problems> =>
  pageAt(operationWire, body, 'operations')

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
