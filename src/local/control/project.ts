// The state of one project: everything that the control plane decides by. Stored as JSON. Instants are ms since 1970.

export type SizeRange = { readonly minCu: number; readonly maxCu: number }

export type ComputeConfig = SizeRange & {
  /** Autosuspend delay as on the wire: 0 the default, -1 never, else seconds. */
  readonly suspendTimeout: number
  readonly disabled: boolean
  readonly passwordless: boolean
  readonly provisioner: string
  readonly name: string | undefined
  /** Whether the pooled host accepts clients; the direct one always does. */
  readonly poolerEnabled: boolean
  readonly pgSettings: PgSettings
}

/** Name of a Postgres setting → its value, both as the client sent them. */
export type PgSettings = Readonly<Record<string, string>>

/** Cause of a start. Application name and user are those of the client that connected, where it named them. */
export type WakeCause = Readonly<{
  kind: 'client' | 'api' | 'create' | 'config' | 'check'
  applicationName?: string | undefined
  user?: string | undefined
}>

type Dated = { readonly createdAt: number; readonly updatedAt: number }

export type OpenInterval = { readonly from: number; readonly cu: number; readonly branchId: string }

/** Awake time in ms, and compute time in CU·ms. */
export type Usage = { readonly awakeMs: number; readonly cuMs: number }

/** Awake time of one compute: the interval in progress, and totals of the closed ones. */
export type Meter = Usage & { readonly open: OpenInterval | undefined; readonly suspends: number }

/** Instants of activity: `settled` is old enough to be published; `recent` ones (ascending) are younger than the lag. */
export type ActivityLog = { readonly settled: number | undefined; readonly recent: readonly number[] }

export type Compute = Dated & {
  readonly id: string
  /** `read_write` is the primary of a branch, `read_only` a replica of it. */
  readonly type: 'read_write' | 'read_only'
  readonly branchId: string
  readonly config: ComputeConfig
  readonly state: 'init' | 'active' | 'idle'
  readonly pending: 'active' | 'idle' | undefined
  readonly startedAt: number | undefined
  readonly suspendedAt: number | undefined
  readonly activity: ActivityLog
  /** Set while a client waits for the compute. */
  readonly wanted: WakeCause | undefined
  /** Release of the service at the last start; undefined before the first one. */
  readonly release: number | undefined
  /** Availability checks since the last use. */
  readonly checks: number
  readonly meter: Meter
}

export type Action =
  | 'start_compute'
  | 'suspend_compute'
  | 'apply_config'
  | 'check_availability'
  | 'create_branch'
  | 'delete_timeline'

export type Operation = Dated & {
  readonly id: string
  readonly projectId: string
  readonly branchId: string
  /** Undefined for an operation on a whole branch. */
  readonly endpointId: string | undefined
  readonly action: Action
  /** `failed` is an attempt that will be repeated, `error` is final. */
  readonly status: 'scheduling' | 'running' | 'finished' | 'skipped' | 'cancelled' | 'failed' | 'error'
  readonly failures: number
  readonly error: string | undefined
  /** Instant at which a failed attempt is repeated. */
  readonly retryAt: number | undefined
}

/** Work of an open operation. */
export type Plan =
  | { readonly kind: 'start'; readonly cause: WakeCause }
  /** `restart`: cause of a start that follows. `isRequested`: an API client requested the suspension. */
  | { readonly kind: 'suspend'; readonly restart?: WakeCause; readonly isRequested?: boolean }
  /** Last operation of a PATCH on an idle compute: suspends it unless a client came meanwhile. */
  | { readonly kind: 'suspend-unless-used' }
  /** Applies new settings to a compute, running or not. */
  | { readonly kind: 'configure' }
  | { readonly kind: 'skip' }
  | { readonly kind: 'copy-branch'; readonly parentId: string }
  | { readonly kind: 'remove-branch' }

/** An operation in the queue. `isStarted`: its effects went out, and it waits for a report. */
export type OpenOperation = Readonly<{
  operation: Operation
  plan: Plan
  isStarted: boolean
}>

export type Role = Dated & { readonly name: string; readonly password: string }

export type Database = Dated & {
  /** Unique within the project. */
  readonly id: number
  readonly name: string
  readonly owner: string
}

/** Roles and databases that a branch must have. `revision` changes with every change of the others. */
export type Catalogue = Readonly<{
  roles: readonly Role[]
  databases: readonly Database[]
  /** Names that must not exist. */
  dropped: { readonly roles: readonly string[]; readonly databases: readonly string[] }
  revision: number
}>

export type Branch = Dated & {
  readonly id: string
  readonly name: string
  readonly parentId: string | undefined
  /** `init` until its data is copied. */
  readonly state: 'init' | 'ready'
  readonly protected: boolean
  readonly catalogue: Catalogue
}

/** Limits per calendar month; 0 or absent is none. Keys as on the wire. */
export type Quota = Readonly<{
  active_time_seconds?: number | undefined
  compute_time_seconds?: number | undefined
  written_data_bytes?: number | undefined
  data_transfer_bytes?: number | undefined
  logical_size_bytes?: number | undefined
}>

/** Defaults of new computes of a project; the delay also of existing computes whose own is 0. */
export type ComputeDefaults = Pick<ComputeConfig, 'suspendTimeout' | 'pgSettings'> & {
  readonly minCu: number | undefined
  readonly maxCu: number | undefined
}

export type Project = Dated & {
  readonly id: string
  readonly name: string
  readonly quota: Quota
  readonly defaults: ComputeDefaults
  readonly storePasswords: boolean
  /** Only stored and shown: the local service restores no history. */
  readonly historyRetention: number
  /** Never empty; the first is the default branch. */
  readonly branches: readonly Branch[]
  readonly computes: readonly Compute[]
  /** Open operations in order; the first one runs, the others wait. */
  readonly queue: readonly OpenOperation[]
  /** Usage of deleted computes. */
  readonly spent: Usage
  /** Start of the quota's month, and the usage of all computes until then. */
  readonly period: { readonly from: number; readonly before: Usage }
}

/** Default autosuspend delay, seconds (S-50). */
export const DEFAULT_DELAY = 300

/** Autosuspend delay, ms; undefined when never. 0 is the default of the project, and there the default of the service. */
export function delayOf(config: ComputeConfig, defaults: ComputeDefaults): number | undefined {
  const delay = config.suspendTimeout || defaults.suspendTimeout || DEFAULT_DELAY
  return delay === -1 ? undefined : delay * 1000
}

export const primaryOf = ({ computes }: Pick<Project, 'computes'>, branchId: string): Compute | undefined =>
  computes.find((compute) => compute.branchId === branchId && compute.type === 'read_write')

export const replicasOf = ({ computes }: Project, branchId: string): readonly Compute[] =>
  computes.filter((compute) => compute.branchId === branchId && compute.type === 'read_only')

const WEEK = 604_800_000

/** Release of the service at an instant: a new one about every week (S-69). */
export const releaseAt = (now: number): number => Math.floor(now / WEEK)

export const lastActivityOf = (activity: ActivityLog): number | undefined =>
  activity.recent.at(-1) ?? activity.settled

/** `last_active` as the API shows it at `now`: the newest activity older than the lag. */
export const publishedActivity = (activity: ActivityLog, now: number, lag: number): number | undefined =>
  activity.recent.findLast((at) => at <= now - lag) ?? activity.settled

/** Adds an activity and settles those older than the lag. An instant before the newest activity changes nothing. */
export function noteActivity(activity: ActivityLog, at: number, lag: number): ActivityLog {
  const newest = lastActivityOf(activity)
  if (newest !== undefined && at <= newest) return activity
  const settled = publishedActivity(activity, at, lag)
  return { settled, recent: [...activity.recent.filter((instant) => instant > at - lag), at] }
}
