// The service's JSON as model data. Lenient: unused fields are ignored, used ones must fit, item by item.
import { z } from 'zod'
import {
  KNOWN_PROVISIONERS,
  sizingOfLimits,
  type Compute,
  type Project,
  type Sizing,
} from '../../model/service/compute.ts'
import type { ApiKey, CreatedApiKey } from '../../model/service/api-key.ts'
import type { Operation } from '../../model/service/operation.ts'
import type { ChangedCompute, Listing, OperationListing } from '../../model/ports/service.ts'
import { ok, type Result } from '../../std/result.ts'
import { millis } from '../../model/units.ts'
import {
  delaySchema,
  numberSchema,
  optionalTextSchema,
  optionalTimeSchema,
  cuSchema,
  timestampSchema,
  toDelay,
} from './fields.ts'
import {
  idSchema,
  textSchema,
  decodeList,
  decodeNamedList,
  decodeValue,
  decodeItems,
  valueAt,
  type DecodeProblems,
} from './lenient.ts'
import { MAX_COMPUTES, MAX_KEYS, MAX_STARTED, OPERATIONS_PER_PAGE, PROJECTS_PER_PAGE } from './list-limits.ts'
import { keepOwnItems, unreadOf } from './ownership.ts'
import { unreadableOperationsIn, operationsWithoutCompute } from './unreadable-operations.ts'

const computeWire = z
  .object({
    id: idSchema('ep-'),
    project_id: idSchema(''),
    branch_id: idSchema('br-'),
    region_id: optionalTextSchema,
    name: optionalTextSchema,
    host: textSchema,
    type: z.string(),
    current_state: z.enum(['init', 'active', 'idle']),
    pending_state: optionalTextSchema,
    autoscaling_limit_min_cu: cuSchema,
    autoscaling_limit_max_cu: cuSchema,
    suspend_timeout_seconds: delaySchema,
    provisioner: optionalTextSchema,
    pooler_enabled: z.boolean().nullish(),
    disabled: z.boolean().nullish(),
    last_active: optionalTimeSchema,
    started_at: optionalTimeSchema,
    suspended_at: optionalTimeSchema,
    created_at: timestampSchema,
    updated_at: timestampSchema,
  })
  .transform((wire): Compute => ({
    endpointId: wire.id,
    projectId: wire.project_id,
    branchId: wire.branch_id,
    name: wire.name,
    regionId: wire.region_id ?? '',
    host: wire.host,
    // the type of a read replica is not in the interface text: every other type counts as one
    type: wire.type === 'read_write' ? 'read_write' : 'read_only',
    state: wire.current_state,
    pendingState: wire.pending_state,
    sizing: sizingOfLimits(wire.autoscaling_limit_min_cu, wire.autoscaling_limit_max_cu),
    autosuspendDelay: toDelay(wire.suspend_timeout_seconds),
    ...((wire.suspend_timeout_seconds ?? undefined) === undefined && { isDelayListed: false }),
    ...(wire.provisioner !== undefined &&
      !KNOWN_PROVISIONERS.includes(wire.provisioner) && { unknownProvisioner: wire.provisioner }),
    poolerEnabled: wire.pooler_enabled ?? false,
    disabled: wire.disabled ?? false,
    lastActive: wire.last_active,
    startedAt: wire.started_at,
    suspendedAt: wire.suspended_at,
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
  }))

/** A default size that does not fit is not known: the project is readable without it. */
const defaultsWire = z.object({
  autoscaling_limit_min_cu: cuSchema.nullish().catch(undefined),
  autoscaling_limit_max_cu: cuSchema.nullish().catch(undefined),
  suspend_timeout_seconds: delaySchema,
})

/** Both limits: what one alone means is not in the interface. */
function toDefaultSizing(wire: z.output<typeof defaultsWire> | null | undefined): Sizing | undefined {
  const { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max } = wire ?? {}
  return min == null || max == null || min > max ? undefined : sizingOfLimits(min, max)
}

export const projectSchema = z
  .object({
    id: idSchema(''),
    name: optionalTextSchema,
    region_id: optionalTextSchema,
    platform_id: optionalTextSchema,
    pg_version: numberSchema.nullish(),
    cpu_used_sec: numberSchema.nullish(),
    // only the utilisation is derived from it: an invalid value does not make the project unreadable
    active_time: numberSchema.nonnegative().nullish().catch(undefined),
    updated_at: timestampSchema,
    compute_last_active_at: optionalTimeSchema,
    default_endpoint_settings: defaultsWire.nullish(),
  })
  .transform((wire): Project => {
    const defaultSizing = toDefaultSizing(wire.default_endpoint_settings)
    return {
      projectId: wire.id,
      name: wire.name ?? wire.id,
      regionId: wire.region_id ?? '',
      platformId: wire.platform_id ?? '',
      pgVersion: wire.pg_version ?? 0,
      cpuUsedSeconds: wire.cpu_used_sec ?? 0,
      activeSeconds: wire.active_time ?? undefined,
      updatedAt: wire.updated_at,
      computeLastActiveAt: wire.compute_last_active_at,
      defaultAutosuspendDelay: toDelay(wire.default_endpoint_settings?.suspend_timeout_seconds),
      ...(defaultSizing && { defaultSizing }),
      ...(!wire.default_endpoint_settings && { hasDefaults: false }),
    }
  })

const operationWire = z
  .object({
    id: idSchema(''),
    project_id: idSchema(''),
    endpoint_id: optionalTextSchema.pipe(idSchema('ep-').optional()),
    branch_id: optionalTextSchema,
    action: textSchema,
    status: textSchema,
    failures_count: numberSchema.nullish(),
    // only wake latency is derived from it: an invalid value does not make the operation unreadable
    total_duration_ms: z.int32().nonnegative().nullish().catch(undefined),
    created_at: timestampSchema,
    updated_at: timestampSchema,
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
    name: textSchema,
    created_at: optionalTimeSchema,
    last_used_at: optionalTimeSchema,
    last_used_from_addr: optionalTextSchema,
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

/** Characters of a cursor, which goes back in an address. */
const MAX_CURSOR_LENGTH = 1024

const cursorSchema = z
  .string()
  .max(MAX_CURSOR_LENGTH)
  .nullish()
  .transform((cursor) => cursor || undefined)
export const paginationSchema = z.object({ pagination: z.object({ cursor: cursorSchema }).nullish() })
const unavailableWire = z.object({
  unavailable_project_ids: z
    .array(z.unknown())
    .max(PROJECTS_PER_PAGE)
    .pipe(z.array(idSchema('')))
    .nullish(),
})

/** A page of a list as the service sends it. */
export type WirePage<Item> = Listing<Item> & {
  /** Undefined when the service names none. */
  readonly cursor: string | undefined
  /** Items of the page, also those that do not fit, and projects that the service reports as unavailable. */
  readonly size: number
}

/** @param place `most`: items that were asked for; further ones do not count */
function pageAt<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  place: { readonly key: string; readonly most: number },
): Result<WirePage<z.output<Schema>>, DecodeProblems> {
  const list = decodeNamedList(schema, body, { ...place, prefix: '' })
  if (!list.ok) return list
  const paging = decodeValue(paginationSchema, body, [])
  if (!paging.ok) return paging
  const { items, problems } = list.value
  const cursor = paging.value.pagination?.cursor
  return ok({ ...list.value, cursor, size: items.length + problems.length })
}

/** A project that the service reports as unavailable is a problem of the list, so that it does not count as deleted. */
export function decodeProjects(body: unknown): Result<WirePage<Project>, DecodeProblems> {
  const page = pageAt(projectSchema, body, { key: 'projects', most: PROJECTS_PER_PAGE })
  if (!page.ok) return page
  const unavailable = decodeValue(unavailableWire, body, [])
  const projectIds = (unavailable.ok && unavailable.value.unavailable_project_ids) || []
  const lines = projectIds.map(
    (projectId, index) =>
      `unavailable_project_ids[${index}]: the service cannot say anything of ${projectId} now`,
  )
  const problems = unavailable.ok ? lines : unavailable.error
  return ok({
    ...page.value,
    size: page.value.size + problems.length,
    problems: [...page.value.problems, ...problems],
    ...unreadOf([...(page.value.unread ?? []), ...projectIds]),
  })
}

export const decodeProject = (body: unknown): Result<Project, DecodeProblems> =>
  decodeValue(projectSchema, valueAt(body, ['project']), ['project'])

/** @param projectId the requested project: a record that names another is rejected */
export function decodeComputes(body: unknown, projectId?: string): Result<Listing<Compute>, DecodeProblems> {
  const list = decodeNamedList(computeWire, body, { key: 'endpoints', prefix: 'ep-', most: MAX_COMPUTES })
  return list.ok ? ok(keepOwnItems(list.value, { projectId, idOf: ({ endpointId }) => endpointId })) : list
}

export const decodeCompute = (body: unknown): Result<Compute, DecodeProblems> =>
  decodeValue(computeWire, valueAt(body, ['endpoint']), ['endpoint'])

/**
 * @param projectId the requested project: a record that names another is rejected
 * @param most operations that were asked for; further ones do not count
 */
export function decodeOperations(
  body: unknown,
  projectId?: string,
  most = OPERATIONS_PER_PAGE,
): Result<WirePage<Operation> & OperationListing, DecodeProblems> {
  const page = pageAt(operationWire, body, { key: 'operations', most })
  if (!page.ok) return page
  const own = keepOwnItems(page.value, { projectId, idOf: ({ operationId }) => operationId })
  const misfits =
    own.problems.length === 0
      ? []
      : unreadableOperationsIn(decodeItems(operationWire, body, { path: ['operations'], most }), own.items)
  const lost = [...operationsWithoutCompute(own.items), ...misfits]
  return ok({ ...page.value, ...own, ...(lost.length > 0 && { lost }) })
}

/** Operations that do not fit are left out: whether the change was accepted does not depend on them. */
export function decodeChanged(body: unknown): Result<ChangedCompute, DecodeProblems> {
  const compute = decodeCompute(body)
  return compute.ok ? ok({ compute: compute.value, operations: startedIn(body) }) : compute
}

export function startedIn(body: unknown): readonly Operation[] {
  const operations = decodeList(operationWire, body, { path: ['operations'], most: MAX_STARTED })
  return operations.ok ? operations.value.items : []
}

export const decodeKeys = (body: unknown): Result<Listing<ApiKey>, DecodeProblems> =>
  decodeList(keyWire, body, { path: [], most: MAX_KEYS })

export const decodeKey = (body: unknown): Result<ApiKey, DecodeProblems> => decodeValue(keyWire, body, [])

export const decodeCreatedKey = (body: unknown): Result<CreatedApiKey, DecodeProblems> =>
  decodeValue(createdKeyWire, body, [])
