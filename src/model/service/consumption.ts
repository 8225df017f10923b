// What the service itself counts: for the time before anybody looked, and to hold our ledger against.
import type { Project } from './compute.ts'
import type { Bytes, CuMillis, Instant, Seconds } from '../units.ts'

/** What the service counts of a project in its current period. Each lags, and each is undefined where the service does not tell. */
export type ProjectCounters = {
  /** Wall-clock time that computes of the project were awake. */
  readonly activeTime: Seconds | undefined
  readonly computeTime: CuMillis | undefined
  readonly writtenBytes: Bytes | undefined
  readonly transferredBytes: Bytes | undefined
}

/** Limits that stop a project until its period ends; one that is undefined does not exist. */
export type Quota = ProjectCounters & { readonly logicalBytes: Bytes | undefined }

/** What the record of one project tells beyond that of the list. Source: service-facts.md, "Projects". */
export type ProjectDetail = {
  readonly project: Project
  readonly orgId: string | undefined
  /** The plan in the service's own word, such as `scale_v3`. */
  readonly subscription: string | undefined
  /** What the counters cover: they begin anew with each. */
  readonly period: { readonly from: Instant; readonly to: Instant } | undefined
  readonly counters: ProjectCounters
  readonly quota: Quota
  /** The service announces that it will restart the computes of the project. */
  readonly maintenanceAt: Instant | undefined
}

/** The plan of a price file that a subscription comes to; undefined for a word that says nothing of prices. */
export function planOfSubscription(subscription: string): 'free' | 'launch' | 'scale' | undefined {
  const [family] = subscription.split('_')
  return family === 'free' || family === 'launch' || family === 'scale' ? family : undefined
}

/** How long a piece of history is. The service keeps hours for 7 days, days for 60, months for a year. */
export type Granularity = 'hourly' | 'daily' | 'monthly'

/** Units are in the names; the first is CU-seconds, which are what is paid for. */
export type ConsumptionMetric =
  | 'compute_unit_seconds'
  | 'root_branch_bytes_month'
  | 'child_branch_bytes_month'
  | 'instant_restore_bytes_month'
  | 'public_network_transfer_bytes'
  | 'private_network_transfer_bytes'
  | 'extra_branches_month'
  | 'snapshot_storage_bytes_month'

export type ConsumptionQuery = {
  readonly from: Instant
  readonly to: Instant
  readonly granularity: Granularity
  readonly metrics: readonly ConsumptionMetric[]
  /** At most 100; every project of the organisation when absent. */
  readonly projectIds?: readonly string[]
  /** In place of the organisation of the configuration. */
  readonly orgId?: string
}

/** What one project used in `[from, to)`. The last hours settle late. */
export type Consumption = {
  readonly projectId: string
  /** The plan that held then, in the service's own word. */
  readonly subscription: string | undefined
  readonly from: Instant
  readonly to: Instant
  /** Metric → amount; one that is absent was not told. */
  readonly amounts: Readonly<Record<string, number>>
}
