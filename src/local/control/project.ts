// State of one project, stored as JSON. Instants are ms since 1970.
import type { StopReason } from './records.ts'

export type SizeRange = Readonly<{ minCu: number; maxCu: number }>

export type ComputeConfig = SizeRange &
  Readonly<{
    /** Autosuspend delay as on the wire, seconds: 0 the default, -1 never. */
    suspendTimeout: number
    disabled: boolean
    passwordless: boolean
    provisioner: string
    name: string | undefined
    /** Whether the pooled host accepts clients, too. */
    poolerEnabled: boolean
    pgSettings: PgSettings
  }>

/** Name → value, as the client sent them. */
export type PgSettings = Readonly<Record<string, string>>

/** Cause of a start. Application name and user as the client named them. */
export type WakeCause = Readonly<{
  kind: 'client' | 'api' | 'create' | 'config' | 'check' | 'maintenance'
  applicationName?: string | undefined
  user?: string | undefined
}>

type Dated = Readonly<{ createdAt: number; updatedAt: number }>

export const datedAt = (now: number): Dated => ({ createdAt: now, updatedAt: now })

export type OpenInterval = Readonly<{ from: number; cu: number; branchId: string }>

/** Awake time in ms, compute time in CU·ms. */
export type Usage = Readonly<{ awakeMs: number; cuMs: number }>

/** Totals of the closed intervals of one compute, and the one in progress. */
export type Meter = Usage & Readonly<{ open: OpenInterval | undefined; suspends: number }>

/** `settled` is old enough to be published; `recent` ones, ascending, are younger than the lag. */
export type ActivityLog = Readonly<{ settled: number | undefined; recent: readonly number[] }>

export type Compute = Dated &
  Readonly<{
    id: string
    /** Primary of a branch; its replica. */
    type: 'read_write' | 'read_only'
    branchId: string
    config: ComputeConfig
    state: 'init' | 'active' | 'idle'
    pending: 'active' | 'idle' | undefined
    startedAt: number | undefined
    suspendedAt: number | undefined
    activity: ActivityLog
    /** Set while a client waits. */
    wanted: WakeCause | undefined
    /** Release at the last start; undefined before the first. */
    release: number | undefined
    /** Availability checks since the last use. */
    checks: number
    meter: Meter
  }>

export type Action =
  | 'start_compute'
  | 'suspend_compute'
  | 'apply_config'
  | 'check_availability'
  | 'create_branch'
  | 'delete_timeline'

export type Operation = Dated &
  Readonly<{
    id: string
    projectId: string
    branchId: string
    /** Undefined for a whole branch. */
    endpointId: string | undefined
    action: Action
    /** `failed` is to be repeated, `error` is final. */
    status: 'scheduling' | 'running' | 'finished' | 'skipped' | 'cancelled' | 'failed' | 'error'
    failures: number
    error: string | undefined
    /** Instant at which a failed attempt is repeated. */
    retryAt: number | undefined
  }>

export type Plan =
  | Readonly<{ kind: 'start'; cause: WakeCause }>
  /** `restart`: cause of the start that follows. */
  | Readonly<{ kind: 'suspend'; why: StopReason; restart?: WakeCause }>
  /** End of a PATCH on an idle compute, or of a check: suspends it unless a client came. */
  | Readonly<{ kind: 'suspend-unless-used'; why: StopReason }>
  /** New settings, running or not. */
  | { readonly kind: 'configure' }
  | { readonly kind: 'skip' }
  | Readonly<{ kind: 'copy-branch'; parentId: string }>
  | { readonly kind: 'remove-branch' }

/** `isStarted`: its effects went out, and it waits for a report. */
export type OpenOperation = Readonly<{ operation: Operation; plan: Plan; isStarted: boolean }>

export type Role = Dated & Readonly<{ name: string; password: string }>

export type Database = Dated &
  Readonly<{
    /** Unique within the project. */
    id: number
    name: string
    owner: string
  }>

/** What a branch must have; `revision` counts changes. */
export type Catalogue = Readonly<{
  roles: readonly Role[]
  databases: readonly Database[]
  /** What must not exist. */
  dropped: Readonly<{ roles: readonly string[]; databases: readonly string[] }>
  revision: number
}>

export type Branch = Dated &
  Readonly<{
    id: string
    name: string
    parentId: string | undefined
    /** `init` until its data is copied. */
    state: 'init' | 'ready'
    protected: boolean
    catalogue: Catalogue
  }>

/** Limits per calendar month; 0 or absent is none. Keys as on the wire. */
export type Quota = Readonly<{
  active_time_seconds?: number | undefined
  compute_time_seconds?: number | undefined
  written_data_bytes?: number | undefined
  data_transfer_bytes?: number | undefined
  logical_size_bytes?: number | undefined
}>

/** Defaults of new computes; the delay also of computes whose own is 0. */
export type ComputeDefaults = Pick<ComputeConfig, 'suspendTimeout' | 'pgSettings'> &
  Readonly<{ minCu: number | undefined; maxCu: number | undefined }>

/** Weekly, UTC. Days count from 1, Monday; times are "HH:MM", and the end is on the next day unless it is after the start. */
export type MaintenanceWindow = Readonly<{ weekdays: readonly number[]; startTime: string; endTime: string }>

/** An update of the service that restarts the computes of a project. */
export type AnnouncedUpdate = Readonly<{ scheduledFor: number; announcedAt: number }>

export type Project = Dated &
  Readonly<{
    id: string
    name: string
    quota: Quota
    defaults: ComputeDefaults
    storePasswords: boolean
    /** Shown only: the local service restores no history. */
    historyRetention: number
    /** Shown only: updates come when they are announced for. */
    maintenanceWindow: MaintenanceWindow | undefined
    /** Until it has come. */
    update: AnnouncedUpdate | undefined
    /** Never empty; the first is the default. */
    branches: readonly Branch[]
    computes: readonly Compute[]
    /** The first one runs. */
    queue: readonly OpenOperation[]
    /** Usage of deleted computes. */
    spent: Usage
    /** Start of the quota's month, and all usage before. */
    period: Readonly<{ from: number; before: Usage }>
  }>

/** Seconds (S-50). */
export const DEFAULT_DELAY = 300

/** Autosuspend delay, ms; undefined for never. 0 is the project's default, and there the service's. */
export function delayOf(config: ComputeConfig, defaults: ComputeDefaults): number | undefined {
  const delay = config.suspendTimeout || defaults.suspendTimeout || DEFAULT_DELAY
  return delay === -1 ? undefined : delay * 1000
}

export const computesOn = ({ computes }: Project, branchId: string): readonly Compute[] =>
  computes.filter((compute) => compute.branchId === branchId)

export const primaryOf = (project: Project, branchId: string): Compute | undefined =>
  computesOn(project, branchId).find(({ type }) => type === 'read_write')

export const replicasOf = (project: Project, branchId: string): readonly Compute[] =>
  computesOn(project, branchId).filter(({ type }) => type === 'read_only')

const WEEK = 604_800_000

/** A new release about every week (S-69). */
export const releaseAt = (now: number): number => Math.floor(now / WEEK)

export const lastActivityOf = (activity: ActivityLog): number | undefined =>
  activity.recent.at(-1) ?? activity.settled

/** `last_active` of the API at `now`: the newest activity older than the lag. */
export const publishedActivity = (activity: ActivityLog, now: number, lag: number): number | undefined =>
  activity.recent.findLast((at) => at <= now - lag) ?? activity.settled

/** An instant before the newest activity changes nothing. */
export function noteActivity(activity: ActivityLog, at: number, lag: number): ActivityLog {
  const newest = lastActivityOf(activity)
  if (newest !== undefined && at <= newest) return activity
  const settled = publishedActivity(activity, at, lag)
  return { settled, recent: [...activity.recent.filter((instant) => instant > at - lag), at] }
}
