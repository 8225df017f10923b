// The service's own metering, for the time before the first sweep and for reconciliation.
import { isServicePlan, type ServicePlan } from '../policy/plan-limits.ts'
import type { Project } from './compute.ts'
import type { Bytes, CuMillis, Instant, Interval, Millis, Seconds } from '../units.ts'

/** In the current billing period, late; undefined where the service does not publish them. */
type ProjectCounters = Readonly<{
  /** Time that computes of the project were awake. */
  activeTime: Seconds | undefined
  computeTime: CuMillis | undefined
  writtenBytes: Bytes | undefined
  transferredBytes: Bytes | undefined
}>

/** Stops a project until its period ends; undefined: no limit. */
export type Quota = ProjectCounters & { readonly logicalBytes: Bytes | undefined }

/** Weekly, UTC. `days`: 0 is Sunday, never empty. Milliseconds after midnight; `to` is on the next day when it is before `from`. */
export type MaintenanceHours = Readonly<{ days: ReadonlySet<number>; from: Millis; to: Millis }>

/** With fields that the list lacks. Source: service-facts.md, "Projects". */
export type ProjectDetail = Readonly<{
  project: Project
  orgId: string | undefined
  /** The plan in the service's own word: `scale_v3`. */
  subscription: string | undefined
  /** Billing period: the counters restart with each. */
  period: Interval | undefined
  counters: ProjectCounters
  quota: Quota
  /** Announced; restarts the computes of the project. */
  maintenanceAt: Instant | undefined
  /** When the service updates it; undefined where the service publishes none. */
  maintenanceHours: MaintenanceHours | 'unreadable' | undefined
}>

/** Undefined for an unknown word. */
export function planOfSubscription(subscription: string): ServicePlan | undefined {
  const [family = ''] = subscription.split('_')
  return isServicePlan(family) ? family : undefined
}

/** The service stores hours for 7 days, days for 60 days, months for a year. */
export type Granularity = 'hourly' | 'daily' | 'monthly'

/** The first is CU-seconds, the billed quantity. */
type ConsumptionMetric =
  | 'compute_unit_seconds'
  | 'root_branch_bytes_month'
  | 'child_branch_bytes_month'
  | 'instant_restore_bytes_month'
  | 'public_network_transfer_bytes'
  | 'private_network_transfer_bytes'
  | 'extra_branches_month'
  | 'snapshot_storage_bytes_month'

export type ConsumptionQuery = Interval &
  Readonly<{
    granularity: Granularity
    metrics: readonly ConsumptionMetric[]
    /** At most 100; absent: all of the organisation. */
    projectIds?: readonly string[]
    /** In place of the organisation of the configuration. */
    orgId?: string
  }>

/** Consumption of one project. The last hours may still change. */
export type Consumption = Interval &
  Readonly<{
    projectId: string
    /** Plan in force then, in the service's own word. */
    subscription: string | undefined
    /** By metric, as far as the service published it. */
    amounts: Readonly<Record<string, number>>
  }>
