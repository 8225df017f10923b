// Facts of one sweep with the time they are true of, before the ledger applies them.
import type { Compute, ComputeRef, Project } from './service/compute.ts'
import type { Operation } from './service/operation.ts'
import type { Bytes, Instant, Interval, Millis, Seconds } from './units.ts'

/** True at some instant in `[askedAt, answeredAt]`. */
export type Look = Readonly<{
  compute: Compute
  askedAt: Instant
  answeredAt: Instant
  /** `askedAt` on the monotonic clock: the wall clock may be set. */
  askedOn: Seconds
  /** No activity since the look before, as repeated project lists show. */
  quietUntil?: Instant
  /** Repeated project lists showed the activity of this compute, the only one of its project, at most `MAX_FOLLOWED_STEP` apart. */
  listed?: Interval
}>

/** Newer activity of a project in the list than in the one before. */
export type ListedActivity = Readonly<{
  projectId: string
  lastActive: Instant
  /** Request of its page now, and in the last finished list, which showed no activity as new; undefined without one. */
  askedAt: Instant
  askedBefore: Instant | undefined
  /** How late the list may show activity. */
  lag: Seconds
}>

/** Between `from` and `observedAt`. */
export type Deletion = Readonly<{
  from: Instant
  observedAt: Instant
  /** By the operation that may have deleted it. */
  likelyAt?: Instant
}>

/** Cumulative since the compute's last start. Source: service interface, "Cache statistics". */
export type CacheReading = Readonly<{
  /** Pages of 8 KiB found in the cache. */
  hits: number
  /** Pages of 8 KiB fetched from storage. */
  misses: number
  /** A gauge. */
  used: Bytes
  /** Pages of 8 KiB. */
  writes: number
}>

/** Without the service's own users and Dormouse. */
export type ConnectionCounts = Readonly<{
  active: number
  idle: number
  idleInTransaction: number
  other: number
}>

/** What decides whether a compute stays awake. Source: service-facts.md, "What keeps a compute awake". */
export type AwakeIndicators = Readonly<{
  /** Client backends in a statement now. */
  working: number
  idleInTransaction: number
  replication: number
  subscriptions: number
  autovacuum: number
  /** Unfinished prepared transactions keep no compute awake, but block vacuum. */
  prepared: number
  /** Newest end of a client's statement, of backends that are still connected. */
  lastForeignStatement: Instant | undefined
  /** Age of a client's oldest open transaction. */
  longestTransaction: Seconds | undefined
}>

export type ClientGroup = Readonly<{
  /** Empty when the client sets none. */
  application: string
  user: string
  database: string
  connections: number
  /** Connections in a statement now. */
  working: number
  idleInTransaction: number
  /** Newest end, among the idle connections. */
  lastStatement: Instant | undefined
}>

/** Counters of all user databases, cumulative over one incarnation, with our own sessions. */
export type UsageCounters = Readonly<{
  sessions: number
  /** Time in statements, summed over sessions. */
  activeTime: Millis
}>

/** Distinct bytes touched within `window` before the reading. */
export type WorkingSet = Readonly<{ window: Seconds; size: Bytes }>

export type NotRead = { readonly missing: string }

/** Undefined where the part could not be read. */
export const ifRead = <Part extends object>(part: Part | NotRead | undefined): Part | undefined =>
  part && 'missing' in part ? undefined : part

export type Reading = Readonly<{
  kind: 'light' | 'full'
  /** Start of the server, on the compute's clock: identifies the incarnation of all counters. */
  postmasterStartedAt: Instant
  /** The compute's clock when it answered. */
  serverTime: Instant
  maxConnections: number
  reservedConnections: number
  /** The current size follows from it. */
  cacheLimit: Bytes | undefined
  connections: ConnectionCounts | NotRead
  causes: AwakeIndicators | NotRead
  /** Largest groups first, at most twenty. */
  clients: readonly ClientGroup[] | NotRead
  usage: UsageCounters | NotRead
  /** Not in a light reading: the views are in user databases. */
  cache: CacheReading | NotRead
  /** Ascending by window. */
  workingSet: readonly WorkingSet[] | NotRead
}>

/** `at-limit` is a result too: all connections were in use. */
export type ReadingResult = Readonly<
  | { kind: 'read'; reading: Reading }
  | { kind: 'at-limit' }
  | {
      kind: 'failed'
      because: 'timeout' | 'error'
      message: string
      /** Nothing was sent: there was no connection string. */
      unconnected?: true
    }
>

/** With the time in which the service could see our session. */
export type ReadingAttempt = Readonly<{
  ref: ComputeRef
  connectedAt: Instant
  disconnectedAt: Instant
  result: ReadingResult
  /** Look just before the session. */
  look: Look
  /** Charged to the observer allowance. */
  expectedCost: Seconds
  /** Activity within this time before the session is hidden. */
  activityLag: Seconds
}>

export type ReadingRefusal = Readonly<
  | { because: 'mode-off' | 'no-dsn' | 'host-not-allowed' }
  | { because: 'not-active' | 'tail' | 'quiet' | 'credit' | 'pace' | 'clock' }
  | { because: 'delay-too-short'; margin: Seconds }
>

/** The rest of the sweep is valid. */
export type SweepProblem = Readonly<{ where: string; message: string }>

/** Most urgent first. `failing`: earlier requests failed, for whatever reason they were made. */
export type Urgency = 'in-flight' | 'transition' | 'unseen' | 'awake' | 'age' | 'failing'

/** Projects left to the next sweep; `operations`: with operations still to be read. */
export type Backlog = Readonly<Record<Urgency | 'operations', number>>

/** A known compute that is missing in it is deleted. */
export type ListedComputes = Readonly<{
  projectId: string
  /** The list is no older; absent: `answeredAt`. */
  askedAt?: Instant
  answeredAt: Instant
  /** Ids of all existing computes, also with unreadable records. */
  endpointIds: readonly string[]
  /** Subset with an unreadable record. */
  unreadable?: readonly string[]
  /** A record had no readable id: a compute missing here may still exist. */
  partial?: boolean
  /** The service answered that the project does not exist. */
  projectDeleted?: true
}>

/** The first and the last failure without a success in between. */
export type FailedAttempts = Readonly<{
  since: Instant
  at: Instant
  /** Sweeps in a row that answered `gone` here and answered other projects. */
  gone?: number
}>

export type UnreadableOperations = Readonly<{ projectId: string; endpointId: string | undefined }>

/** Work for the next sweeps, by project id. */
export type PendingRetries = Readonly<{
  /** Projects whose compute lists failed. */
  looks: ReadonlyMap<string, FailedAttempts>
  operations: ReadonlyMap<string, PendingOperations>
}>

type PendingOperations = Readonly<{ since: Instant; failed: FailedAttempts | undefined }>

/** A large list takes several sweeps. */
export type ListProgress = Readonly<{
  /** Undefined when the next sweep starts a new one. */
  inProgress: ListInProgress | undefined
  /** Last one read to its end. */
  finished: FinishedList | undefined
  /** New projects since the last finished list; default 0. */
  added?: number
  /** Project id → last list without unexplained activity, if there was one. */
  unexplainedActivity: ReadonlyMap<string, Instant | undefined>
}>

export type ListInProgress = Readonly<{
  /** Cursor of the next page; undefined at the beginning. */
  cursor: string | undefined
  startedAt: Instant
  /** Already used: a repeated cursor would make the list endless. */
  cursors: readonly string[]
  pages: readonly ListedPage[]
}>

export type ListedPage = Readonly<{
  askedAt: Instant
  projectIds: readonly string[]
  /** With unreadable records. */
  unreadable: readonly string[]
  /** All its known projects were listed at most `MAX_FOLLOWED_STEP` apart since. */
  followedSince: Instant
}>

export type FinishedList = Readonly<{
  startedAt: Instant
  endedAt: Instant
  pages: number
  /** Project id → request time of its page. */
  readAt: ReadonlyMap<string, Instant>
  /** Request time of a page → its `followedSince`. */
  followedSince: ReadonlyMap<Instant, Instant>
  /** Known projects missing in it; without those known to have no compute. */
  missing: ReadonlySet<string>
}>

/** `degraded`: the project list was read, but most requests of one kind were lost or had to wait. */
export type ServiceStatus = 'ok' | 'degraded' | 'unauthorized' | 'unavailable'

/** The service answered: the sweep holds observations. */
export const isReached = (status: ServiceStatus | undefined): boolean =>
  status === 'ok' || status === 'degraded'

/** All observations of one sweep over one account. */
export type Sweep = Readonly<{
  account: string
  startedAt: Instant
  endedAt: Instant
  /** New and changed projects of the list. */
  projects: readonly Project[]
  activities: readonly ListedActivity[]
  /** Projects in `unexplainedActivity` may have been looked at since. */
  list: ListProgress
  /** For which the request allowance was not enough. */
  backlog: Backlog
  retries: PendingRetries
  requestsMade: number
  /** Whether histories wait because the sweep held as many operations as it may, and not for want of requests. */
  isFull?: boolean
  /** At most one per compute and answer, in the order of the requests. */
  looks: readonly Look[]
  listedComputes: readonly ListedComputes[]
  operations: readonly Operation[]
  /** Operations were read completely, back to the time needed. */
  operationsReadOf: readonly string[]
  /** Without an endpoint id they may belong to any compute of the project. */
  unreadableOperations: readonly UnreadableOperations[]
  readings: readonly ReadingAttempt[]
  refusals: readonly Readonly<{ ref: ComputeRef; refusal: ReadingRefusal }>[]
  problems: readonly SweepProblem[]
  service: ServiceStatus
}>
