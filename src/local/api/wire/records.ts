// Computes, operations, roles and databases on the wire: snake_case, times to the second in UTC.
import {
  type Branch,
  type Compute,
  type Database,
  type Operation,
  type Role,
  publishedActivity,
} from '../../control/project.ts'
import { loopbackAddress } from '../../proxy/loopback.ts'
import type { Api } from '../context.ts'

/** The only region, and the default suffix of host names: names in `localhost` are this machine (RFC 6761). */
export const REGION = 'local'
export const DOMAIN = `${REGION}.localhost`

/** `YYYY-MM-DDTHH:MM:SSZ` (S-11). */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** A field with a timestamp, left out when there is none. */
export const optionalTimestamp = (key: string, ms: number | undefined): Readonly<Record<string, string>> =>
  ms === undefined ? {} : { [key]: timestamp(ms) }

/** Environment of compute records: activity newer than `lag` is not shown yet. Both in ms. */
export type WireView = Pick<Api['host'], 'suffix' | 'loopback'> & {
  readonly now: number
  readonly lag: number
}

export const wireViewOf = ({
  clock,
  settings,
  host,
}: Pick<Api, 'clock' | 'settings' | 'host'>): WireView => ({
  ...host,
  now: clock.now(),
  lag: 1000 * settings().lastActiveLag,
})

export const endpointWire = (
  projectId: string,
  compute: Compute,
  { now, lag, suffix, loopback }: WireView,
): Record<string, unknown> => ({
  id: compute.id,
  host: loopback ? loopbackAddress(compute.id) : `${compute.id}.${suffix}`,
  project_id: projectId,
  branch_id: compute.branchId,
  region_id: REGION,
  type: compute.type,
  current_state: compute.state,
  ...(compute.pending && { pending_state: compute.pending }),
  autoscaling_limit_min_cu: compute.config.minCu,
  autoscaling_limit_max_cu: compute.config.maxCu,
  suspend_timeout_seconds: compute.config.suspendTimeout,
  settings: { pg_settings: compute.config.pgSettings },
  pooler_enabled: compute.config.poolerEnabled,
  pooler_mode: 'transaction',
  disabled: compute.config.disabled,
  passwordless_access: compute.config.passwordless,
  provisioner: compute.config.provisioner,
  creation_source: 'api',
  ...(compute.config.name !== undefined && { name: compute.config.name }),
  ...optionalTimestamp('last_active', publishedActivity(compute.activity, now, lag)),
  ...optionalTimestamp('started_at', compute.startedAt),
  ...optionalTimestamp('suspended_at', compute.suspendedAt),
  ...(compute.release !== undefined && { compute_release_version: `release-${compute.release}` }),
  created_at: timestamp(compute.createdAt),
  updated_at: timestamp(compute.updatedAt),
  proxy_host: suffix,
})

export const operationWire = (operation: Operation): Record<string, unknown> => ({
  id: operation.id,
  project_id: operation.projectId,
  branch_id: operation.branchId,
  ...(operation.endpointId !== undefined && { endpoint_id: operation.endpointId }),
  action: operation.action,
  status: operation.status,
  failures_count: operation.failures,
  ...(operation.error !== undefined && { error: operation.error }),
  ...optionalTimestamp('retry_at', operation.retryAt),
  created_at: timestamp(operation.createdAt),
  updated_at: timestamp(operation.updatedAt),
  total_duration_ms: operation.updatedAt - operation.createdAt,
})

/** A role without its password: only creation, `reset_password` and `reveal_password` show it. */
export const roleWire = ({ id }: Branch, role: Role): Record<string, unknown> => ({
  branch_id: id,
  name: role.name,
  protected: false,
  authentication_method: 'password',
  created_at: timestamp(role.createdAt),
  updated_at: timestamp(role.updatedAt),
})

export const databaseWire = ({ id }: Branch, database: Database): Record<string, unknown> => ({
  id: database.id,
  branch_id: id,
  name: database.name,
  owner_name: database.owner,
  created_at: timestamp(database.createdAt),
  updated_at: timestamp(database.updatedAt),
})
