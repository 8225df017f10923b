// The state of one project. Everything the control plane decides about is in here; instants are ms since 1970.

/** What a client may configure on a compute. */
export type ComputeConfig = {
  readonly minCu: number
  readonly maxCu: number
  /** As on the wire: 0 the default, -1 never, else seconds. */
  readonly suspendTimeout: number
  readonly disabled: boolean
  readonly passwordless: boolean
  readonly provisioner: string
  readonly name: string | undefined
  /** Whether the pooled host serves; the direct one always does. */
  readonly poolerEnabled: boolean
  readonly pgSettings: PgSettings
}

/** Name of a Postgres setting → its value, both as the client wrote them. */
export type PgSettings = Readonly<Record<string, string>>

/** Why a compute was started. Application name and user are those of the client that connected. */
export type WakeCause = {
  readonly kind: 'client' | 'api' | 'create' | 'config' | 'check'
  readonly applicationName: string | undefined
  readonly user: string | undefined
}

/** An awake interval that still runs. */
export type OpenInterval = { readonly from: number; readonly cu: number; readonly branchId: string }

/** Awake time of one compute. `open` is the interval that still runs; the totals hold the closed ones, CU in `cuMs`. */
export type Meter = {
  readonly open: OpenInterval | undefined
  readonly awakeMs: number
  readonly cuMs: number
  readonly suspends: number
}

/** Instants of activity: `settled` is old enough to be published, `recent` (ascending) still waits for the lag. */
export type ActivityLog = { readonly settled: number | undefined; readonly recent: readonly number[] }

export type ComputeState = 'init' | 'active' | 'idle'

/** `read_only`: a replica of the branch's `read_write` primary. */
export type ComputeType = 'read_write' | 'read_only'

export type Compute = {
  readonly id: string
  readonly type: ComputeType
  readonly branchId: string
  readonly config: ComputeConfig
  readonly createdAt: number
  readonly updatedAt: number
  readonly state: ComputeState
  readonly pending: 'active' | 'idle' | undefined
  readonly startedAt: number | undefined
  readonly suspendedAt: number | undefined
  readonly activity: ActivityLog
  /** A client waits at the door; cleared when the compute answers or the wait is refused. */
  readonly wanted: WakeCause | undefined
  /** The release of the service it started with; undefined before the first start. */
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

/** `failed` is one attempt that failed and is made again. */
export type OperationStatus =
  | 'scheduling'
  | 'running'
  | 'finished'
  | 'skipped'
  | 'cancelled'
  | 'failed'
  | 'error'

export type Operation = {
  /** UUID. */
  readonly id: string
  readonly projectId: string
  readonly branchId: string
  /** Undefined when the whole branch is concerned. */
  readonly endpointId: string | undefined
  readonly action: Action
  readonly status: OperationStatus
  readonly failures: number
  readonly error: string | undefined
  /** When a failed attempt is made again. */
  readonly retryAt: number | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** What an open operation does when its turn comes. */
export type Plan =
  | { readonly kind: 'start'; readonly cause: WakeCause }
  /** `restart` starts the compute again, which makes the pair a restart; `asked`: a client of the API said so. */
  | { readonly kind: 'suspend'; readonly restart: WakeCause | undefined; readonly asked: boolean }
  /** The end of a PATCH on an idle compute: it sleeps again unless a client came meanwhile. */
  | { readonly kind: 'suspend-unless-used' }
  /** New settings for a compute, running or not. */
  | { readonly kind: 'configure' }
  | { readonly kind: 'skip' }
  | { readonly kind: 'copy-branch'; readonly parentId: string }
  | { readonly kind: 'remove-branch' }

/** `begun`: its effects went out, it waits for a report. */
export type OpenOperation = { readonly operation: Operation; readonly plan: Plan; readonly begun: boolean }

export type Role = {
  readonly name: string
  readonly password: string
  readonly createdAt: number
  readonly updatedAt: number
}

export type Database = {
  /** Unique within the project. */
  readonly id: number
  readonly name: string
  readonly owner: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** What the servers of a branch are to hold, by name; `revision` changes whenever anything else here does. */
export type Catalogue = {
  readonly roles: readonly Role[]
  readonly databases: readonly Database[]
  /** Names that are to be gone. */
  readonly dropped: { readonly roles: readonly string[]; readonly databases: readonly string[] }
  readonly revision: number
}

export type Branch = {
  readonly id: string
  readonly name: string
  readonly parentId: string | undefined
  /** `init` until its data is there. */
  readonly state: 'init' | 'ready'
  readonly protected: boolean
  readonly createdAt: number
  readonly updatedAt: number
  readonly catalogue: Catalogue
}

/** Limits per calendar month; 0 or absent is none. Keys as on the wire. */
export type Quota = {
  readonly active_time_seconds?: number | undefined
  readonly compute_time_seconds?: number | undefined
  readonly written_data_bytes?: number | undefined
  readonly data_transfer_bytes?: number | undefined
  readonly logical_size_bytes?: number | undefined
}

/** What new computes of a project take, and the delay of those that say 0. */
export type ComputeDefaults = {
  readonly minCu: number | undefined
  readonly maxCu: number | undefined
  readonly suspendTimeout: number
  readonly pgSettings: PgSettings
}

/** Awake ms and CU·ms. */
export type Usage = { readonly awakeMs: number; readonly cuMs: number }

export type Project = {
  readonly id: string
  readonly name: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly quota: Quota
  readonly defaults: ComputeDefaults
  readonly storePasswords: boolean
  /** Kept and shown; the local service restores nothing. */
  readonly historyRetention: number
  /** Never empty; the first is the default branch. */
  readonly branches: readonly Branch[]
  readonly computes: readonly Compute[]
  /** Open operations in order; the first one runs, the others wait. */
  readonly queue: readonly OpenOperation[]
  /** What computes deleted since have used. */
  readonly spent: Usage
  /** Where the counting for the quota began, and what all computes had used by then. */
  readonly period: { readonly from: number; readonly before: Usage }
}

/** The delay when nothing else is said, seconds (S-50). */
export const DEFAULT_DELAY = 300

/**
 * Milliseconds without activity after which the compute is suspended; undefined when never. 0 stands for the default
 * of the project, and there for that of the service.
 */
export function delayOf(config: ComputeConfig, defaults: ComputeDefaults): number | undefined {
  const delay = config.suspendTimeout || defaults.suspendTimeout || DEFAULT_DELAY
  return delay === -1 ? undefined : delay * 1000
}

/** The one compute that writes to a branch; undefined when it has none. */
export const primaryOf = ({ computes }: Pick<Project, 'computes'>, branchId: string): Compute | undefined =>
  computes.find((compute) => compute.branchId === branchId && compute.type === 'read_write')

const WEEK = 604_800_000

/** The release of the service at an instant: a new one about every week (S-69). */
export const releaseAt = (now: number): number => Math.floor(now / WEEK)

/** The instant of the newest activity known, published or not. */
export const lastActivityOf = (activity: ActivityLog): number | undefined =>
  activity.recent.at(-1) ?? activity.settled

/** What the API shows as `last_active` at `now`: the newest activity older than the lag. */
export const publishedActivity = (activity: ActivityLog, now: number, lag: number): number | undefined =>
  activity.recent.findLast((at) => at <= now - lag) ?? activity.settled

/** Adds an activity and settles what the lag has let through. An older instant than the newest known changes nothing. */
export function noteActivity(activity: ActivityLog, at: number, lag: number): ActivityLog {
  const newest = lastActivityOf(activity)
  if (newest !== undefined && at <= newest) return activity
  const settled = publishedActivity(activity, at, lag)
  return { settled, recent: [...activity.recent.filter((known) => known > at - lag), at] }
}
