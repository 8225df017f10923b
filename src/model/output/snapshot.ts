// Snapshot published by a pass: immutable, read by all outputs.
import type { BudgetWithForecast, SpendForecast } from '../policy/budget.ts'
import type { AutosuspendDelay, Compute, ComputeRef, Project } from '../service/compute.ts'
import type { Reconciliation } from '../ledger/metering.ts'
import type { AttributedTime } from '../ledger/evidence.ts'
import type { Bounds, Spend } from '../ledger/quantities.ts'
import type { PublishedCounters, ReadingCounts } from '../ledger/ledger.ts'
import type { AwakeReason } from './awake-reason.ts'
import type { AccumulatedCache } from '../ledger/reading-counters.ts'
import type { Backlog, ConnectionCounts, ServiceStatus, WorkingSet } from '../observation.ts'
import type { Operation } from '../service/operation.ts'
import type { Owner } from '../policy/owner.ts'
import type { AccountCounters } from '../ledger/counters.ts'
import type { Bytes, Cu, CuMillis, Instant, Micros, Millis, Ratio, Seconds } from '../units.ts'

/** `unknown` after the service was unreachable for longer than `metrics.stale_after`. */
export type DisplayedState = Compute['state'] | 'unknown'

/** What outputs show of one compute. An output function takes the part that it shows. */
export type ComputeView = {
  readonly identity: IdentityView
  readonly state: StateView
  readonly ledger: LedgerView
  readonly reading: ReadingView
}

export type IdentityView = {
  readonly ref: ComputeRef
  readonly compute: Compute
  readonly project: Project | undefined
  readonly owner: Owner
  /** Owner of the whole project. */
  readonly projectOwner: Owner
  readonly currency: string
}

export type StateView = {
  readonly shown: DisplayedState
  /** Not displayed, but part of the sums. */
  readonly isDeleted: boolean
  readonly observedAt: Instant
  readonly delay: AutosuspendDelay
  readonly awakeSince: Instant | undefined
  /** Operations in progress, as far as they were read. */
  readonly operations: readonly Pick<Operation, 'action' | 'createdAt'>[]
  readonly reason: AwakeReason
}

export type LedgerView = {
  readonly awake: Bounds<Millis>
  readonly cuTime: Bounds<CuMillis>
  readonly spend: Spend
  /** Likely; 0 while asleep. */
  readonly spendPerHour: Micros
  /** Likely CU-time of intervals with an end that no fact dates; undefined where there are none. */
  readonly assumed: CuMillis | undefined
  readonly idleTail: Millis
  readonly observerOverhead: Millis
  /** Longest first; readings do not cover the rest of the awake time. */
  readonly awakeBy: readonly AttributedTime[]
  /** Likely values as exported to metrics: they never fall. */
  readonly counters: PublishedCounters
  /** Of the project; undefined before an hour was metered. */
  readonly reconciliation: Reconciliation | undefined
}

export type ReadingView = {
  readonly at: Instant | undefined
  /** Why the last reading failed, or what it could not read. */
  readonly problem: string | undefined
  /** Undefined before the first attempt. */
  readonly succeeded: boolean | undefined
  /** Current size; 0 when asleep; undefined when it is unknown within a range. */
  readonly size: { readonly cu: Cu; readonly source: 'fixed' | 'estimated' | 'observed' } | undefined
  readonly cache: AccumulatedCache | undefined
  readonly hitRatio: Ratio | undefined
  readonly cacheLimit: Bytes | undefined
  readonly cacheUsed: Bytes | undefined
  /** Counts of the last reading; all 0 when asleep; undefined when never read. */
  readonly connections: ConnectionCounts | undefined
  readonly maxConnections: number
  readonly reservedConnections: number | undefined
  /** Whether the last reading contradicts the preset; undefined while asleep, and before the first reading since the start. */
  readonly presetMismatch: PresetMismatch | undefined
  /** Number of readings that fit no size of the range. */
  readonly sizeUnknown: number
  /** Average number of active sessions between the last two readings of one incarnation; undefined before there are two. */
  readonly averageActive: number | undefined
  /** Of the last full reading, ascending by window. */
  readonly workingSet: readonly WorkingSet[]
  readonly longestTransaction: Seconds | undefined
}

export type PresetMismatch = {
  readonly maxConnections: boolean
  /** Whether no size of the range fits the file cache limit; undefined where the limit was not read. */
  readonly fileCache: boolean | undefined
}

/** View of one account. */
export type AccountView = {
  readonly account: string
  readonly currency: string
  readonly service: ServiceStatus
  /** Whether the published values are committed to the store. */
  readonly stored: boolean
  readonly lastSweepAt: Instant | undefined
  readonly lastRejectedAt: Instant | undefined
  /** Start of the newest complete project list; undefined before the first. */
  readonly listedAt: Instant | undefined
  /** Projects that the last sweep left to later ones. */
  readonly backlog: Backlog
  /** When the longest outstanding read of operations became due; undefined when none is outstanding. */
  readonly operationsWaitSince: Instant | undefined
  /** Problems of the last sweep, one line each. */
  readonly problems: readonly string[]
  readonly readings: ReadingCounts
  /** Why no compute of the account can be read; undefined when they can. */
  readonly unreadable: string | undefined
  /** Whether readings are enabled. */
  readonly isRead: boolean
  /** Measured activity lag; undefined before the first measurement. */
  readonly activityLag: Seconds | undefined
  /** Measured metering lag; undefined before the first measurement. */
  readonly countLag: Seconds | undefined
  /** Reconciled projects, projects that diverge, and implausible meter readings. */
  readonly counts: { readonly compared: number; readonly off: number; readonly ignored: number }
  /** Project id → wakes caused by observing; projects without any are absent. */
  readonly wakesCaused: ReadonlyMap<string, number>
  readonly totals: {
    readonly awake: Bounds<Millis>
    readonly spend: Spend
    readonly extension: Millis
    readonly observerSpend: Micros
    readonly wakes: number
    readonly suspends: number
    readonly wakesCaused: number
  }
  /** Team → unproductive spend; never falls. */
  readonly teams: AccountCounters['teams']
  readonly wakesBy: AccountCounters['wakes']
  readonly operations: AccountCounters['operations']
  readonly wakeLatency: AccountCounters['wakeLatency']
  /** In the order of the configuration, without budgets that have no period now. */
  readonly budgets: readonly BudgetWithForecast[]
  /** Spend and forecast of the calendar month in the account's zone, in micros; undefined before the first pass. */
  readonly month: MonthView | undefined
}

export type MonthView = Pick<BudgetWithForecast, 'period' | 'knownFrom' | 'spent'> & {
  readonly forecast: SpendForecast | undefined
}

/** Status of a recurring job. */
export type JobView = {
  readonly name: 'pass'
  /** Undefined before the first. */
  readonly lastSuccessAt: Instant | undefined
  readonly nextRunAt: Instant
  /** Deadline of the next success; after it somebody must look. */
  readonly deadlineAt: Instant
}

export type Snapshot = {
  /** Number of the snapshot in this process. */
  readonly version: number
  readonly takenAt: Instant
  /** Whether the last sweep of every account reached the service. */
  readonly ready: boolean
  readonly accounts: readonly AccountView[]
  /** In order of account, project and endpoint id. */
  readonly computes: readonly ComputeView[]
  readonly passSeconds: Seconds
  readonly jobs: readonly JobView[]
}
