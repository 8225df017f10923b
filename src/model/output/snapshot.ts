// What a pass publishes: everything that any output shows, immutable.
import type { BudgetWithForecast, SpendForecast } from '../policy/budget.ts'
import type { AutosuspendDelay, Compute, ComputeRef, Project } from '../service/compute.ts'
import type { Reconciliation } from '../ledger/metering.ts'
import type { AttributedTime } from '../ledger/evidence.ts'
import type { Bounds, Spend } from '../ledger/quantities.ts'
import type { PublishedCounters, ReadingCounts } from '../ledger/ledger.ts'
import type { AwakeReason } from './awake-reason.ts'
import type { AccumulatedCache } from '../ledger/reading-counters.ts'
import type { Backlog, ConnectionCounts, WorkingSet } from '../observation.ts'
import type { Operation } from '../service/operation.ts'
import type { Owner } from '../policy/owner.ts'
import type { AccountCounters } from '../ledger/counters.ts'
import type { Bytes, Cu, CuMillis, Instant, Micros, Millis, Ratio, Seconds } from '../units.ts'

/** `unknown` once the service could not be asked for longer than `metrics.stale_after`. */
export type DisplayedState = Compute['state'] | 'unknown'

export type ComputeView = {
  readonly ref: ComputeRef
  readonly compute: Compute
  readonly project: Project | undefined
  readonly owner: Owner
  /** Of its project as a whole. */
  readonly projectOwner: Owner
  /** The service's count of its project beside ours; undefined before an hour of it was counted. */
  readonly checked: Reconciliation | undefined
  readonly currency: string
  /** It is deleted: shown nowhere, but what it cost stays in the sums. */
  readonly gone: boolean
  readonly state: DisplayedState
  readonly seenAt: Instant
  readonly delay: AutosuspendDelay
  /** The size now; 0 when asleep; undefined when a range gives no hint. */
  readonly currentCu: { readonly cu: Cu; readonly source: 'fixed' | 'estimated' | 'observed' } | undefined
  readonly awakeSince: Instant | undefined
  /** What the service does with it now, as far as its operations were read. */
  readonly operations: readonly Pick<Operation, 'action' | 'createdAt'>[]
  readonly awake: Bounds<Millis>
  readonly cuTime: Bounds<CuMillis>
  readonly spend: Spend
  /** What it likely costs an hour now; 0 while it sleeps. */
  readonly spendRate: Micros
  /** The part of the likely CU-time of which no fact dates an end; undefined where there is none. */
  readonly assumed: CuMillis | undefined
  readonly idleTail: Millis
  readonly extension: Millis
  /** The longest first; the rest of the time awake is not covered by readings. */
  readonly awakeBy: readonly AttributedTime[]
  /** The likely values as metrics show them: they never fall. */
  readonly counters: PublishedCounters
  readonly cache: AccumulatedCache | undefined
  readonly hitRatio: Ratio | undefined
  readonly cacheLimit: Bytes | undefined
  readonly cacheUsed: Bytes | undefined
  /** Of the last reading; all 0 when asleep; undefined when never read. */
  readonly connections: ConnectionCounts | undefined
  readonly maxConnections: number
  readonly reservedConnections: number | undefined
  /** Whether the last reading says other than the preset; undefined while asleep, and before one since the start. */
  readonly presetMismatch: PresetMismatch | undefined
  /** Readings that fit no size of the range. */
  readonly sizeUnknown: number
  /** Between the last two readings of one incarnation; undefined before there are two. */
  readonly averageActive: number | undefined
  /** Of the last full reading, ascending by window. */
  readonly workingSet: readonly WorkingSet[]
  readonly longestTransaction: Seconds | undefined
  readonly readingAt: Instant | undefined
  /** Why the last reading failed, or what it could not see. */
  readonly readingProblem: string | undefined
  /** Undefined when no reading was tried. */
  readonly readingSucceeded: boolean | undefined
  readonly why: AwakeReason
}

export type PresetMismatch = {
  readonly maxConnections: boolean
  /** No size of the range fits the limit of the file cache; undefined where it was not read. */
  readonly fileCache: boolean | undefined
}

/** The state of one account's view of the service. */
export type AccountView = {
  readonly account: string
  readonly currency: string
  readonly service: 'ok' | 'unauthorized' | 'unavailable'
  /** Whether what is shown is in the store. */
  readonly stored: boolean
  readonly lastSweepAt: Instant | undefined
  readonly lastRejectedAt: Instant | undefined
  /** When the reading of the newest whole project list began; undefined before the first. */
  readonly listedAt: Instant | undefined
  /** Projects that the last sweep had to leave for later. */
  readonly backlog: Backlog
  /** Since when the operations are needed that could not be read for longest; undefined when none waits. */
  readonly operationsWaitSince: Instant | undefined
  /** What the last sweep could not see, one line each. */
  readonly problems: readonly string[]
  readonly readings: ReadingCounts
  /** Why no compute of it can be read; undefined where they can be. */
  readonly unreadable: string | undefined
  /** Whether computes are read inside at all. */
  readonly isRead: boolean
  /** How late the service shows activity: measured; undefined until it is. */
  readonly activityLag: Seconds | undefined
  /** How late the service counts CU-time: measured; undefined until it is. */
  readonly countLag: Seconds | undefined
  /** Projects of which the service's count was compared with ours, those that do not agree, and readings of it that made no sense. */
  readonly counts: { readonly compared: number; readonly off: number; readonly ignored: number }
  /** Project id → wakes that observing caused, where it caused any. */
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
  /** Team → what its computes cost for nothing; never falls. */
  readonly teams: AccountCounters['teams']
  readonly wakesBy: AccountCounters['wakes']
  readonly operations: AccountCounters['operations']
  readonly wakeLatency: AccountCounters['wakeLatency']
  /** In the order of the configuration; without those that no period holds now. */
  readonly budgets: readonly BudgetWithForecast[]
  /** What the calendar month of the account's zone came to and may come to, in micros; undefined before the first pass. */
  readonly month: MonthView | undefined
}

export type MonthView = Pick<BudgetWithForecast, 'period' | 'knownFrom' | 'spent'> & {
  readonly forecast: SpendForecast | undefined
}

/** Something that runs again and again. */
export type JobView = {
  readonly name: 'pass'
  /** Undefined before the first. */
  readonly lastSuccessAt: Instant | undefined
  readonly nextRunAt: Instant
  /** When it should have succeeded again, and somebody has to look. */
  readonly deadlineAt: Instant
}

export type Snapshot = {
  /** Counts the snapshots of this process. */
  readonly version: number
  readonly takenAt: Instant
  /** Whether the last sweep of every account could ask the service. */
  readonly ready: boolean
  readonly accounts: readonly AccountView[]
  /** In order of account, project and endpoint id. */
  readonly computes: readonly ComputeView[]
  readonly passSeconds: Seconds
  readonly jobs: readonly JobView[]
}
