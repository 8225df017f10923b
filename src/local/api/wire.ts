// Records as the service writes them: snake_case, times to the second in UTC.
import type { Branch, Compute, Operation, Project } from '../control/project.ts'
import { publishedActivity } from '../control/project.ts'
import { usedUntil } from '../control/meter.ts'

/** The only region, and the suffix of host names: `*.localhost` is this machine by convention (RFC 6761). */
export const REGION = 'local'
export const DOMAIN = 'localhost'

/** Service-facts 4: MiB, and the same in bytes. Not in the interface. */
const BRANCH_LIMIT_MIB = 16_384

/** `YYYY-MM-DDTHH:MM:SSZ` (S-11). */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

const optional = <Key extends string>(key: Key, ms: number | undefined): { [key in Key]?: string } =>
  ms === undefined ? {} : ({ [key]: timestamp(ms) } as { [key in Key]?: string })

/** A moment to look at records: activity newer than the lag is not shown yet. Both in ms. */
export type View = { readonly now: number; readonly lag: number }

export const endpointWire = (
  projectId: string,
  compute: Compute,
  { now, lag }: View,
): Record<string, unknown> => ({
  id: compute.id,
  host: `${compute.id}.${DOMAIN}`,
  project_id: projectId,
  branch_id: compute.branchId,
  region_id: REGION,
  type: 'read_write',
  current_state: compute.state,
  ...(compute.pending && { pending_state: compute.pending }),
  autoscaling_limit_min_cu: compute.config.minCu,
  autoscaling_limit_max_cu: compute.config.maxCu,
  suspend_timeout_seconds: compute.config.suspendTimeout,
  settings: { pg_settings: {} },
  pooler_enabled: false,
  pooler_mode: 'transaction',
  disabled: compute.config.disabled,
  passwordless_access: compute.config.passwordless,
  provisioner: compute.config.provisioner,
  creation_source: 'api',
  ...(compute.config.name !== undefined && { name: compute.config.name }),
  ...optional('last_active', publishedActivity(compute.activity, now, lag)),
  ...optional('started_at', compute.startedAt),
  ...optional('suspended_at', compute.suspendedAt),
  created_at: timestamp(compute.createdAt),
  updated_at: timestamp(compute.updatedAt),
  proxy_host: DOMAIN,
})

export const operationWire = (operation: Operation): Record<string, unknown> => ({
  id: operation.id,
  project_id: operation.projectId,
  branch_id: operation.branchId,
  endpoint_id: operation.endpointId,
  action: operation.action,
  status: operation.status,
  failures_count: operation.failures,
  ...(operation.error !== undefined && { error: operation.error }),
  created_at: timestamp(operation.createdAt),
  updated_at: timestamp(operation.updatedAt),
  total_duration_ms: operation.updatedAt - operation.createdAt,
})

/** Awake and CU time of a project up to now, deleted computes included, in whole seconds. */
export function projectUse({ computes, spent }: Project, now: number): { awake: number; cu: number } {
  const uses = computes.map(({ meter }) => usedUntil(meter, now))
  const sum = (of: (use: { awakeMs: number; cuMs: number }) => number): number =>
    uses.reduce((total, use) => total + of(use), of(spent))
  return {
    awake: Math.floor(sum((use) => use.awakeMs) / 1000),
    cu: Math.floor(sum((use) => use.cuMs) / 1000),
  }
}

/** What the list and the detail of a project have in common. */
export function projectWire(
  project: Project,
  pgVersion: number,
  { now, lag }: View,
): Record<string, unknown> {
  const activity = project.computes
    .map((compute) => publishedActivity(compute.activity, now, lag))
    .filter((at) => at !== undefined)
  return {
    id: project.id,
    name: project.name,
    platform_id: 'local',
    region_id: REGION,
    provisioner: 'k8s-neonvm',
    pg_version: pgVersion,
    locked: false,
    proxy_host: DOMAIN,
    branch_logical_size_limit: BRANCH_LIMIT_MIB,
    branch_logical_size_limit_bytes: BRANCH_LIMIT_MIB * 1_048_576,
    store_passwords: true,
    cpu_used_sec: projectUse(project, now).cu,
    creation_source: 'api',
    history_retention_seconds: 0,
    default_endpoint_settings: { suspend_timeout_seconds: 0 },
    ...optional('compute_last_active_at', activity.length > 0 ? Math.max(...activity) : undefined),
    created_at: timestamp(project.createdAt),
    updated_at: timestamp(project.updatedAt),
  }
}

/** A branch shows the use of the computes it has now. */
export function branchWire(project: Project, branch: Branch, now: number): Record<string, unknown> {
  const computes = project.computes.filter(({ branchId }) => branchId === branch.id)
  const isDefault = project.branches[0]?.id === branch.id
  const spent = isDefault ? project.spent : { awakeMs: 0, cuMs: 0 }
  const use = projectUse({ ...project, computes, spent }, now)
  return {
    id: branch.id,
    project_id: project.id,
    name: branch.name,
    current_state: 'ready',
    state_changed_at: timestamp(branch.createdAt),
    creation_source: 'api',
    default: isDefault,
    primary: isDefault,
    protected: false,
    cpu_used_sec: use.cu,
    compute_time_seconds: use.cu,
    active_time_seconds: use.awake,
    written_data_bytes: 0,
    data_transfer_bytes: 0,
    created_at: timestamp(branch.createdAt),
    updated_at: timestamp(branch.createdAt),
  }
}
