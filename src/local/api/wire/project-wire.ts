import { sumUsage } from '../../control/usage/usage.ts'
import { calendarMonth } from '../../control/usage/month.ts'
import { type Branch, type Project, type Usage, publishedActivity } from '../../control/project.ts'
import { totalUsage } from '../../control/usage/quota.ts'
import type { Api } from '../context.ts'
import { REGION, type WireRecord, optionalTimestamp, recordTimes, timestamp, wireViewOf } from './records.ts'

/** Size limit of a branch, MiB. Not in the interface (service-facts 4). */
const BRANCH_LIMIT_MIB = 16_384
export const ORGANIZATION = 'local'

const seconds = (ms: number) => Math.floor(ms / 1000)
const countersOf = ({ awakeMs, cuMs }: Usage) => ({ awake: seconds(awakeMs), cu: seconds(cuMs) })
type Counters = ReturnType<typeof countersOf>

/** Now less the lag of counters. */
export const countedUntil = ({ clock, settings }: Api): number => clock.now() - 1000 * settings().countersLag

/** Total usage of a project less the usage within the lag. */
function countersOfProject(project: Project, api: Api): Counters {
  const [to, from] = [api.clock.now(), countedUntil(api)]
  const total = totalUsage(project, to)
  if (from >= to) return countersOf(total)
  const recent = sumUsage(api.plane.intervals(project.id, { from, to }))
  return countersOf({ awakeMs: total.awakeMs - recent.awakeMs, cuMs: total.cuMs - recent.cuMs })
}

export const subscriptionOf = ({ settings }: Api) => `${settings().plan}_v3` as const

/** Fields that list and detail share. */
function projectWire(project: Project, { cu }: Counters, api: Api): WireRecord {
  const { now, lag, suffix } = wireViewOf(api)
  const activity = project.computes.flatMap((compute) => publishedActivity(compute.activity, now, lag) ?? [])
  const { defaults } = project
  return {
    id: project.id,
    name: project.name,
    platform_id: 'local',
    region_id: REGION,
    provisioner: 'k8s-neonvm',
    pg_version: api.pgVersion,
    locked: false,
    proxy_host: suffix,
    branch_logical_size_limit: BRANCH_LIMIT_MIB,
    branch_logical_size_limit_bytes: BRANCH_LIMIT_MIB * 1_048_576,
    store_passwords: project.storePasswords,
    cpu_used_sec: cu,
    creation_source: 'api',
    owner_id: api.account.id,
    org_id: api.account.organizationId,
    history_retention_seconds: project.historyRetention,
    default_endpoint_settings: {
      autoscaling_limit_min_cu: defaults.minCu,
      autoscaling_limit_max_cu: defaults.maxCu,
      suspend_timeout_seconds: defaults.suspendTimeout,
      pg_settings: defaults.pgSettings,
    },
    settings: { quota: project.quota, maintenance_window: maintenanceWindowWire(project) },
    compute_last_active_at: optionalTimestamp(activity.length > 0 ? Math.max(...activity) : undefined),
    ...recordTimes(project),
  }
}

const maintenanceWindowWire = ({ maintenanceWindow }: Project): WireRecord | undefined =>
  maintenanceWindow && {
    weekdays: maintenanceWindow.weekdays,
    start_time: maintenanceWindow.startTime,
    end_time: maintenanceWindow.endTime,
  }

export function projectListWire(project: Project, api: Api): WireRecord {
  const counters = countersOfProject(project, api)
  return { ...projectWire(project, counters, api), active_time: counters.awake, org_name: ORGANIZATION }
}

/** Detail of a project; its period and counters of usage are the calendar month in UTC. */
export function projectDetailWire(project: Project, api: Api): WireRecord {
  const month = calendarMonth(api.clock.now())
  const until = Math.max(month.from, countedUntil(api))
  const use = countersOf(sumUsage(api.plane.intervals(project.id, { from: month.from, to: until })))
  return {
    ...projectWire(project, countersOfProject(project, api), api),
    owner: {
      name: 'local',
      email: 'local@localhost.localdomain',
      branches_limit: 10,
      subscription_type: subscriptionOf(api),
    },
    maintenance_scheduled_for: optionalTimestamp(project.update?.scheduledFor),
    consumption_period_start: timestamp(month.from),
    consumption_period_end: timestamp(month.to),
    active_time_seconds: use.awake,
    compute_time_seconds: use.cu,
    written_data_bytes: 0,
    data_transfer_bytes: 0,
    data_storage_bytes_hour: 0,
  }
}

/** Counters of a branch cover its computes while they were on it. */
export function branchesWire(project: Project, branches: readonly Branch[], api: Api): WireRecord[] {
  const intervals = api.plane.intervals(project.id, { from: 0, to: countedUntil(api) })
  const byBranch = Map.groupBy(intervals, ({ branchId }) => branchId)
  return branches.map((branch) => {
    const use = countersOf(sumUsage(byBranch.get(branch.id) ?? []))
    const isDefault = project.branches[0]?.id === branch.id
    return {
      id: branch.id,
      project_id: project.id,
      parent_id: branch.parentId,
      name: branch.name,
      current_state: branch.state,
      pending_state: branch.state === 'init' ? 'ready' : undefined,
      state_changed_at: timestamp(branch.updatedAt),
      creation_source: 'api',
      default: isDefault,
      primary: isDefault,
      protected: branch.protected,
      cpu_used_sec: use.cu,
      compute_time_seconds: use.cu,
      active_time_seconds: use.awake,
      written_data_bytes: 0,
      data_transfer_bytes: 0,
      ...recordTimes(branch),
    }
  })
}

export const branchWire = (project: Project, branch: Branch, api: Api): WireRecord | undefined =>
  branchesWire(project, [branch], api)[0]
