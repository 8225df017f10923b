// Published by a pass, immutable, read by all outputs.
import type { WarmUpCounts } from '../policy/warm-up.ts'
import type { BudgetWithForecast, SpendForecast } from '../policy/budget.ts'
import type { AutosuspendDelay, Compute, ComputeRef, Project, ProjectRef } from '../service/compute.ts'
import type { Reconciliation } from '../ledger/metering.ts'
import type { AttributedTime } from '../ledger/evidence.ts'
import type { CountedPast, Shown } from '../ledger/counted-past.ts'
import type { Bounds, Spend } from '../ledger/quantities.ts'
import type { PublishedCounters, ReadingCounts } from '../ledger/ledger.ts'
import type { AccumulatedCache } from '../ledger/reading-state.ts'
import type { Backlog, ConnectionCounts, ServiceStatus, WorkingSet } from '../observation.ts'
import type { Operation } from '../service/operation.ts'
import type { PromisedSaving, Recommendation, RecommendationKind } from '../policy/recommendation.ts'
import type { BrakeName } from '../policy/brakes.ts'
import type { ChangeTally, OpenChange } from '../policy/change.ts'
import type { Saved } from '../policy/saved.ts'
import type { Owner } from '../policy/owner.ts'
import type { AccountCounters } from '../ledger/counters.ts'
import type { Bytes, Cu, CuMillis, Instant, Micros, Millis, Ratio, Seconds } from '../units.ts'

/** `unknown` after the service was unreachable for longer than `metrics.stale_after`. */
export type DisplayedState = Compute['state'] | 'unknown'

/** An output function takes the part that it shows. */
export type ComputeView = Readonly<{
  identity: IdentityView
  state: StateView
  ledger: LedgerView
  reading: ReadingView
  /** Open recommendations; absent where there are none. */
  advice?: readonly OpenRecommendation[]
  /** Open changes, oldest first; absent where there are none. */
  changes?: readonly OpenChange[]
  /** By kind and outcome; absent where no change has ended yet. */
  changeTallies?: readonly ChangeTally[]
  /** By its changes; absent before anything was counted. */
  saved?: Saved
}>

/** A project whose defaults have open recommendations, or changes of any state. */
export type ProjectView = Pick<ComputeView, 'advice' | 'changes' | 'changeTallies' | 'saved'> &
  Readonly<{ ref: ProjectRef; project: Project; owner: Owner }>

/** Saving in 30 days. */
export type OpenRecommendation = Pick<
  Recommendation,
  'id' | 'kind' | 'from' | 'to' | 'restarts' | 'spend' | 'saving' | 'confidence' | 'openedAt'
>

export type IdentityView = Readonly<{
  ref: ComputeRef
  compute: Compute
  /** Whether its host may be connected to and named to others: the service writes the record. */
  isHostAllowed: boolean
  project: Project | undefined
  owner: Owner
  /** Owner of the whole project. */
  projectOwner: Owner
  currency: string
}>

export type StateView = Readonly<{
  shown: DisplayedState
  /** Not displayed, but part of the sums. */
  isDeleted: boolean
  observedAt: Instant
  delay: AutosuspendDelay
  awakeSince: Instant | undefined
  /** In progress, as far as they were read. */
  operations: readonly Pick<Operation, 'action' | 'createdAt'>[]
  reason: AwakeReason
}>

export type LedgerView = Readonly<{
  awake: Bounds<Millis>
  cuTime: Bounds<CuMillis>
  spend: Spend
  /** The spend for people, in micros; absent where it is that of the ledger. */
  shown?: Shown | undefined
  /** Likely; 0 while asleep. */
  spendPerHour: Micros
  /** Likely CU-time of intervals with an end that no fact dates; undefined where there are none. */
  assumed: CuMillis | undefined
  idleTail: Millis
  observerOverhead: Millis
  /** Longest first; not the whole awake time. */
  awakeBy: readonly AttributedTime[]
  /** As exported to metrics. */
  counters: PublishedCounters
  /** Comparison for the whole project. */
  reconciliation: Reconciliation | undefined
}>

export type ReadingView = Readonly<{
  at: Instant | undefined
  /** Why the last reading failed, or what it could not read. */
  problem: string | undefined
  /** Undefined before the first attempt. */
  succeeded: boolean | undefined
  /** 0 when asleep; undefined when unknown within a range. */
  size: Readonly<{ cu: Cu; source: 'fixed' | 'estimated' | 'observed' }> | undefined
  cache: AccumulatedCache | undefined
  hitRatio: Ratio | undefined
  cacheLimit: Bytes | undefined
  cacheUsed: Bytes | undefined
  /** Counts of the last reading; all 0 when asleep. */
  connections: ConnectionCounts | undefined
  maxConnections: number
  reservedConnections: number | undefined
  /** The last reading contradicts the preset; undefined while asleep, and before the first reading since the start. */
  presetMismatch: PresetMismatch | undefined
  /** Readings that fit no size of the range. */
  sizeUnknown: number
  /** Average of active sessions between the last two readings of one incarnation. */
  averageActive: number | undefined
  /** Sizes of the last full reading, ascending by window. */
  workingSet: readonly WorkingSet[]
  longestTransaction: Seconds | undefined
}>

export type PresetMismatch = Readonly<{
  maxConnections: boolean
  /** No size of the range fits the file cache limit; undefined where it was not read. */
  fileCache: boolean | undefined
}>

/** View of one account. */
export type AccountView = Readonly<{
  account: string
  currency: string
  service: ServiceStatus
  /** The published values are committed to the store. */
  stored: boolean
  /** End of the last sweep that is in the store; undefined before the first since the start. */
  storedAt: Instant | undefined
  lastSweepAt: Instant | undefined
  lastRejectedAt: Instant | undefined
  /** Start of the newest complete project list. */
  listedAt: Instant | undefined
  /** Left to later sweeps. */
  backlog: Backlog
  /** Projects that were looked at and whose operations before that have not been read: their use before the first look is missing. */
  withoutPast: number
  /** When the longest outstanding read of operations became due. */
  operationsWaitSince: Instant | undefined
  /** Problems of the last sweep, a line each. */
  problems: readonly string[]
  readings: ReadingCounts
  /** Why no compute can be read; undefined when they can. */
  unreadable: string | undefined
  /** Computes that are not read because their host is not allowed. */
  hostsRefused: number
  /** Readings are enabled. */
  isRead: boolean
  /** Measured. */
  activityLag: Seconds | undefined
  /** Measured metering lag. */
  countLag: Seconds | undefined
  /** Projects reconciled, diverging; implausible meter readings. */
  counts: Readonly<{ compared: number; off: number; ignored: number }>
  /** By project id; projects without any are absent. */
  wakesCaused: ReadonlyMap<string, number>
  /** Wakes by changes, by project id; projects without any are absent. */
  wakesByChange?: ReadonlyMap<string, number>
  /** Wakes by warm-ups, likewise. */
  wakesByWarmUp?: ReadonlyMap<string, number>
  totals: Readonly<{
    awake: Bounds<Millis>
    spend: Spend
    /** The spend for people, in micros; absent where it is that of the ledger. */
    shown?: Shown | undefined
    extension: Millis
    observerSpend: Micros
    wakes: number
    suspends: number
    wakesCaused: number
  }>
  /** Unproductive spend; never falls. */
  teams: AccountCounters['teams']
  wakesBy: AccountCounters['wakes']
  operations: AccountCounters['operations']
  wakeLatency: AccountCounters['wakeLatency']
  /** As configured, without budgets that have no period now. */
  budgets: readonly BudgetWithForecast[]
  /** Calendar month in the account's zone, in micros; undefined before the first pass. */
  month: MonthView | undefined
  /** Undefined before the first evaluation. */
  advice?: AdviceSummary | undefined
  /** In order of their ids; absent where there are none. */
  projects?: readonly ProjectView[]
  /** Usage before the first look as the service counted it; undefined before that was read. */
  past?: CountedPast | undefined
  /** Undefined where nobody asks for changes: an audit. */
  changes?: AccountChanges | undefined
  /** By changes of its computes and projects, by team: that of each when it was counted. */
  saved?: ReadonlyMap<string, Saved> | undefined
  /** Since ever; undefined where no policy allows any. */
  warmUps?: WarmUpCounts | undefined
}>

/** Changes of one account, those of deleted computes included. */
export type AccountChanges = Readonly<{
  /** Oldest first. */
  open: readonly OpenChange[]
  /** `<kind>/<outcome>` → number of changes that ever ended so; absent where none did. */
  ended: ReadonlyMap<string, number>
  /** Changes done that restart a compute and interrupted no session, since ever. */
  restartsAvoided: number
}>

/** Recommendations of one account. */
export type AdviceSummary = Readonly<{
  /** In 30 days, with all open recommendations applied together. */
  saving: Bounds<Micros>
  /** `<kind>/<state>` → number, of the states open, implemented and dismissed. */
  counts: ReadonlyMap<string, number>
  /** `<kind>/<because>` → number of computes, or of projects. */
  withheld: ReadonlyMap<string, number>
  /** Savings whose follow-up ended in the last 28 days. */
  promised?: ReadonlyMap<RecommendationKind, readonly PromisedSaving[]>
  /** Sums of the recommendations whose follow-up ended in the last 28 days; kinds without any are absent. */
  followedUp?: ReadonlyMap<RecommendationKind, Readonly<{ likely: Micros; realised: Micros }>>
}>

export type MonthView = Pick<BudgetWithForecast, 'period' | 'knownFrom' | 'spent' | 'shown'> & {
  readonly forecast: SpendForecast | undefined
}

/** Status of a recurring job. */
export type JobView = Readonly<{
  name: 'pass'
  /** Undefined before the first. */
  lastSuccessAt: Instant | undefined
  nextRunAt: Instant
  /** After it somebody must look. */
  deadlineAt: Instant
}>

export type Snapshot = Readonly<{
  /** In this process. */
  version: number
  takenAt: Instant
  /** The last sweep of every account reached the service. */
  ready: boolean
  accounts: readonly AccountView[]
  /** In order of account, project and endpoint id. */
  computes: readonly ComputeView[]
  passSeconds: Seconds
  jobs: readonly JobView[]
  /** Settings of the configuration that give up encryption or authentication: `accounts.main`. */
  insecure: readonly string[]
  /** Brakes that hold changes back. */
  engagedBrakes: readonly BrakeName[]
  /** Windows of the configuration, by name → whether it is open. */
  windows: ReadonlyMap<string, boolean>
}>

export type AwakeReason = Readonly<
  | { because: 'asleep'; since: Instant | undefined }
  | { because: 'starting' }
  | { because: 'disabled' }
  | { because: 'autosuspend-off' }
  | { because: 'clients'; application: string | undefined; working: number }
  | { because: 'idle-in-transaction' | 'replication' | 'subscription' | 'autovacuum'; count: number }
  | { because: 'recent-activity'; at: Instant; application: string | undefined }
  | {
      because: 'idle-tail'
      since: Instant
      until: Instant
      /** `ahead`: `until` is in the future; `due`: the next look will show the suspension; `overdue`: a look should have shown it. */
      end: 'ahead' | 'due' | 'overdue'
      /** A later session of Dormouse delays the suspension. */
      ours: boolean
    }
  | {
      because: 'unknown'
      /** Last look, if its age is the reason. */
      since: Instant | undefined
    }
>
