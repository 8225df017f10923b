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
}

/** Why a compute was started. Application name and user are those of the client that connected. */
export type WakeCause = {
  readonly kind: 'client' | 'api' | 'create' | 'config'
  readonly applicationName: string | undefined
  readonly user: string | undefined
}

/** Awake time of one compute. `open` is the interval that still runs; the totals hold the closed ones, CU in `cuMs`. */
export type Meter = {
  readonly open: { readonly from: number; readonly cu: number } | undefined
  readonly awakeMs: number
  readonly cuMs: number
  readonly suspends: number
}

/** Instants of activity: `settled` is old enough to be published, `recent` (ascending) still waits for the lag. */
export type ActivityLog = { readonly settled: number | undefined; readonly recent: readonly number[] }

export type ComputeState = 'init' | 'active' | 'idle'

export type Compute = {
  readonly id: string
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
  readonly meter: Meter
}

export type Action = 'start_compute' | 'suspend_compute' | 'apply_config'

export type OperationStatus = 'scheduling' | 'running' | 'finished' | 'skipped' | 'cancelled' | 'error'

export type Operation = {
  /** UUID. */
  readonly id: string
  readonly projectId: string
  readonly branchId: string
  readonly endpointId: string
  readonly action: Action
  readonly status: OperationStatus
  readonly failures: number
  readonly error: string | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** What an open operation does when its turn comes. */
export type Plan =
  | { readonly kind: 'start'; readonly cause: WakeCause }
  /** `restart` starts the compute again, which makes the pair a restart. */
  | { readonly kind: 'suspend'; readonly restart: WakeCause | undefined }
  /** The end of a PATCH on an idle compute: it sleeps again unless a client came meanwhile. */
  | { readonly kind: 'suspend-unless-used' }
  /** New settings for a compute, running or not. */
  | { readonly kind: 'configure' }
  | { readonly kind: 'skip' }

/** `begun`: its effects went out, it waits for a report. */
export type OpenOperation = { readonly operation: Operation; readonly plan: Plan; readonly begun: boolean }

export type Branch = { readonly id: string; readonly name: string; readonly createdAt: number }

export type Project = {
  readonly id: string
  readonly name: string
  readonly createdAt: number
  readonly updatedAt: number
  /** Never empty; the first is the default branch. */
  readonly branches: readonly Branch[]
  readonly computes: readonly Compute[]
  /** Open operations in order; the first one runs, the others wait. */
  readonly queue: readonly OpenOperation[]
  /** What computes deleted since have used, ms and CU·ms. */
  readonly spent: { readonly awakeMs: number; readonly cuMs: number }
}

/** The delay when nothing else is said, seconds (S-50). */
export const DEFAULT_DELAY = 300

/** Milliseconds without activity after which the compute is suspended; undefined when never. */
export function delayOf(config: ComputeConfig): number | undefined {
  if (config.suspendTimeout === -1) return undefined
  return (config.suspendTimeout === 0 ? DEFAULT_DELAY : config.suspendTimeout) * 1000
}

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
