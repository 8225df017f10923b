// Computes, operations, roles and databases on the wire: snake_case, times to the second in UTC.
import type { Branch, Compute, Database, Operation, Role } from '../../control/project.ts'
import { publishedActivity } from '../../control/project.ts'
import { loopbackAddress } from '../../proxy/loopback.ts'
import type { Api } from '../context.ts'

/** A JSON object of the API; undefined fields are not sent. */
export type WireRecord = Readonly<Record<string, unknown>>

/** The only region. Names in `localhost` are this machine (RFC 6761). */
export const REGION = 'local'
export const DOMAIN = `${REGION}.localhost`

/** `YYYY-MM-DDTHH:MM:SSZ` (S-11). */
export function timestamp(ms: number): string {
  const second = Math.floor(ms / 1000)
  const known = TEXTS.get(second)
  if (known !== undefined) return known
  if (TEXTS.size >= MAX_TEXTS) TEXTS.clear()
  const text = `${new Date(ms).toISOString().slice(0, 19)}Z`
  TEXTS.set(second, text)
  return text
}

/** Second → its text: each list repeats those of the list before, and a text costs more than the rest of its record. */
const TEXTS = new Map<number, string>()
/** 20,000, some 2 MB: the times of 5,000 computes. */
const MAX_TEXTS = 20_000

export const optionalTimestamp = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : timestamp(ms)

type Timestamped = Readonly<{ createdAt: number; updatedAt: number }>

export const recordTimes = ({ createdAt, updatedAt }: Timestamped): WireRecord => ({
  created_at: timestamp(createdAt),
  updated_at: timestamp(updatedAt),
})

/** Activity newer than `lag` is not shown yet. Both in ms. */
export type WireView = Pick<Api['host'], 'suffix' | 'loopback'> & Readonly<{ now: number; lag: number }>

export const wireViewOf = ({ clock, settings, host }: Api): WireView => ({
  ...host,
  now: clock.now(),
  lag: 1000 * settings().lastActiveLag,
})

export const endpointWire = (
  projectId: string,
  { config, ...compute }: Compute,
  { now, lag, suffix, loopback }: WireView,
): WireRecord => ({
  id: compute.id,
  host: loopback ? loopbackAddress(compute.id) : `${compute.id}.${suffix}`,
  project_id: projectId,
  branch_id: compute.branchId,
  region_id: REGION,
  type: compute.type,
  current_state: compute.state,
  pending_state: compute.pending,
  autoscaling_limit_min_cu: config.minCu,
  autoscaling_limit_max_cu: config.maxCu,
  suspend_timeout_seconds: config.suspendTimeout,
  settings: { pg_settings: config.pgSettings },
  pooler_enabled: config.poolerEnabled,
  pooler_mode: 'transaction',
  disabled: config.disabled,
  passwordless_access: config.passwordless,
  provisioner: config.provisioner,
  creation_source: 'api',
  name: config.name,
  last_active: optionalTimestamp(publishedActivity(compute.activity, now, lag)),
  started_at: optionalTimestamp(compute.startedAt),
  suspended_at: optionalTimestamp(compute.suspendedAt),
  compute_release_version: compute.release === undefined ? undefined : `release-${compute.release}`,
  ...recordTimes(compute),
  proxy_host: suffix,
})

export function endpointsWire(projectId: string, computes: readonly Compute[], api: Api): WireRecord[] {
  const view = wireViewOf(api)
  return computes.map((compute) => endpointWire(projectId, compute, view))
}

export const operationWire = (operation: Operation): WireRecord => ({
  id: operation.id,
  project_id: operation.projectId,
  branch_id: operation.branchId,
  endpoint_id: operation.endpointId,
  action: operation.action,
  status: operation.status,
  failures_count: operation.failures,
  error: operation.error,
  retry_at: optionalTimestamp(operation.retryAt),
  ...recordTimes(operation),
  total_duration_ms: operation.updatedAt - operation.createdAt,
})

/** No password: only creation, `reset_password` and `reveal_password` show it. */
export const roleWire = ({ id }: Branch, role: Role): WireRecord => ({
  branch_id: id,
  name: role.name,
  protected: false,
  authentication_method: 'password',
  ...recordTimes(role),
})

export const databaseWire = ({ id }: Branch, database: Database): WireRecord => ({
  id: database.id,
  branch_id: id,
  name: database.name,
  owner_name: database.owner,
  ...recordTimes(database),
})
