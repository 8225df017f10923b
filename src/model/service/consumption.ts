// The service's own metering: source for the time before the first sweep, and for reconciliation with the ledger.
import type { Project } from './compute.ts'
import type { Bytes, CuMillis, Instant, Seconds, Interval } from '../units.ts'

/** Metered use of a project in its current billing period. All values are late; undefined where the service does not publish them. */
type ProjectCounters = Readonly<{
  /** Wall-clock time that computes of the project were awake. */
  activeTime: Seconds | undefined
  computeTime: CuMillis | undefined
  writtenBytes: Bytes | undefined
  transferredBytes: Bytes | undefined
}>

/** Limits that stop a project until its period ends; undefined: no limit. */
export type Quota = ProjectCounters & { readonly logicalBytes: Bytes | undefined }

/** Single record of a project, with fields that the list lacks. Source: service-facts.md, "Projects". */
export type ProjectDetail = Readonly<{
  project: Project
  orgId: string | undefined
  /** The plan in the service's own word, such as `scale_v3`. */
  subscription: string | undefined
  /** Billing period: the counters restart with each. */
  period: Interval | undefined
  counters: ProjectCounters
  quota: Quota
  /** Announced maintenance, which restarts the computes of the project. */
  maintenanceAt: Instant | undefined
}>

/** Service plan in the price file for a subscription; undefined for an unknown word. */
export function planOfSubscription(subscription: string): 'free' | 'launch' | 'scale' | undefined {
  const [family] = subscription.split('_')
  return family === 'free' || family === 'launch' || family === 'scale' ? family : undefined
}

/** Length of one row. The service stores hours for 7 days, days for 60 days, months for a year. */
export type Granularity = 'hourly' | 'daily' | 'monthly'

/** Units are in the names; the first is CU-seconds, the billed quantity. */
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
    /** At most 100; every project of the organisation when absent. */
    projectIds?: readonly string[]
    /** In place of the organisation of the configuration. */
    orgId?: string
  }>

/** Metered use of one project in `[from, to)`. The last hours may still change. */
export type Consumption = Interval &
  Readonly<{
    projectId: string
    /** Plan in force then, in the service's own word. */
    subscription: string | undefined
    /** Metric → amount; absent where the service did not publish it. */
    amounts: Readonly<Record<string, number>>
  }>
