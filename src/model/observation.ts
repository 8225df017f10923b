// Observations of one sweep: facts with the time they are true of, before the ledger applies them.
import type { Compute, ComputeRef, Project } from './service/compute.ts'
import type { Operation } from './service/operation.ts'
import type { Bytes, Instant, Millis, Seconds } from './units.ts'

/** Record of one compute, true at some instant in `[askedAt, answeredAt]`. */
export type Look = Readonly<{
  compute: Compute
  askedAt: Instant
  answeredAt: Instant
  /** `askedAt` on the monotonic clock, for the age of the look: the wall clock may be set. */
  askedOn: Seconds
  /** No activity between the look before and this instant, as repeated project lists show. */
  quietUntil?: Instant
}>

/** Deletion of a compute, between `from` and `observedAt`. */
export type Deletion = Readonly<{
  from: Instant
  observedAt: Instant
  /** Likely time, from the operation that may have deleted it; absent where none is known. */
  likelyAt?: Instant
}>

/** Counters of the file cache, cumulative since the compute's last start. Source: service interface, "Cache statistics". */
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

/** Client connections by state: neither the service's own users nor Dormouse. */
export type ConnectionCounts = Readonly<{
  active: number
  idle: number
  idleInTransaction: number
  other: number
}>

/** Indicators by which the service decides whether a compute stays awake. Source: service-facts.md, "What keeps a compute awake". */
export type AwakeIndicators = Readonly<{
  /** Client backends in a statement now. */
  working: number
  idleInTransaction: number
  replication: number
  subscriptions: number
  autovacuum: number
  /** Unfinished prepared transactions: they keep no compute awake, but block vacuum. */
  prepared: number
  /** Newest end of a client's statement among the backends that are still connected. */
  lastForeignStatement: Instant | undefined
  /** Age of the oldest open transaction of a client. */
  longestTransaction: Seconds | undefined
}>

/** Clients with the same application name, user and database. */
export type ClientGroup = Readonly<{
  /** Empty when the client sets none. */
  application: string
  user: string
  database: string
  connections: number
  /** Connections in a statement now. */
  working: number
  idleInTransaction: number
  /** Newest end of a statement among the idle connections. */
  lastStatement: Instant | undefined
}>

/** Counters of all user databases, cumulative over one incarnation, our own sessions included. */
export type UsageCounters = Readonly<{
  sessions: number
  /** Time spent in statements, summed over sessions. */
  activeTime: Millis
}>

/** Distinct bytes touched within `window` before the reading. */
export type WorkingSet = Readonly<{ window: Seconds; size: Bytes }>

/** Reason why a value could not be read. */
export type NotRead = { readonly missing: string }

/** The part of a reading; undefined where it could not be read. */
export const ifRead = <Part extends object>(part: Part | NotRead | undefined): Part | undefined =>
  part && 'missing' in part ? undefined : part

export type Reading = Readonly<{
  kind: 'light' | 'full'
  /** Start of the server process, on the compute's clock: identifies the incarnation of all counters. */
  postmasterStartedAt: Instant
  /** The compute's clock when it answered. */
  serverTime: Instant
  maxConnections: number
  reservedConnections: number
  /** Current limit of the file cache, from which the current size follows. */
  cacheLimit: Bytes | undefined
  connections: ConnectionCounts | NotRead
  causes: AwakeIndicators | NotRead
  /** Largest groups first, at most twenty. */
  clients: readonly ClientGroup[] | NotRead
  usage: UsageCounters | NotRead
  /** Not part of a light reading: the views are in user databases. */
  cache: CacheReading | NotRead
  /** Ascending by window. */
  workingSet: readonly WorkingSet[] | NotRead
}>

/** Outcome of a reading. `at-limit` is a result too: all connections were in use. */
export type ReadingResult = Readonly<
  | { kind: 'read'; reading: Reading }
  | { kind: 'at-limit' }
  | {
      kind: 'failed'
      because: 'timeout' | 'error'
      message: string
      /** Nothing was sent to the compute: there was no connection string. */
      unconnected?: true
    }
>

/** Reading attempt, with the time in which the service could see our session. */
export type ReadingAttempt = Readonly<{
  ref: ComputeRef
  connectedAt: Instant
  disconnectedAt: Instant
  result: ReadingResult
  /** Look just before the session. */
  look: Look
  /** Awake time the session was expected to add, charged to the observer allowance. */
  expectedCost: Seconds
  /** Activity lag of `look`: activity within this time before the session is hidden. */
  activityLag: Seconds
}>

/** Reason why a compute was not read in this sweep. */
export type ReadingRefusal = Readonly<
  | {
      because: 'mode-off' | 'no-dsn' | 'not-active' | 'tail' | 'quiet' | 'credit' | 'pace' | 'clock'
    }
  | { because: 'delay-too-short'; margin: Seconds }
>

/** Part of a sweep that failed; the rest of the sweep is valid. */
export type SweepProblem = Readonly<{ where: string; message: string }>

/** Reasons to look at a project's computes, most urgent first. `failing`: earlier requests failed, for whatever reason they were made. */
export type Urgency = 'in-flight' | 'transition' | 'unseen' | 'awake' | 'age' | 'failing'

/** Number of projects left to the next sweep, by urgency; `operations`: projects with operations still to be read. */
export type Backlog = Readonly<Record<Urgency | 'operations', number>>

/** Answered compute list of a project: a known compute that is missing in it is deleted. */
export type ListedComputes = Readonly<{
  projectId: string
  /** Earliest instant at which the service can have written the list; absent: `answeredAt`. */
  askedAt?: Instant
  answeredAt: Instant
  /** Ids of all existing computes, also of those with an unreadable record. */
  endpointIds: readonly string[]
  /** Subset of `endpointIds` with an unreadable record. */
  unreadable?: readonly string[]
  /** A record had no readable id, so a compute missing in the list may still exist. */
  partial?: boolean
  /** The service answered that the project does not exist. */
  projectDeleted?: true
}>

/** Failed requests without a success in between: the first and the last of them. */
export type FailedAttempts = Readonly<{
  since: Instant
  at: Instant
  /** Sweeps in a row that answered `gone` here and answered other projects; absent: none. */
  gone?: number
}>

export type UnreadableOperations = Readonly<{ projectId: string; endpointId: string | undefined }>

/** Work that a sweep leaves to the next ones, by project id. */
export type PendingRetries = Readonly<{
  /** Projects whose compute lists failed. */
  looks: ReadonlyMap<string, FailedAttempts>
  operations: ReadonlyMap<string, PendingOperations>
}>

/** Operations of a project that are needed since an instant. */
type PendingOperations = Readonly<{ since: Instant; failed: FailedAttempts | undefined }>

/** Progress of reading the project list; a large list takes several sweeps. */
export type ListProgress = Readonly<{
  /** List in progress; undefined when the next sweep starts a new one. */
  inProgress: ListInProgress | undefined
  /** Last list read to its end. */
  finished: FinishedList | undefined
  /** Projects with unexplained activity → last list without it; undefined where there was none. */
  unexplainedActivity: ReadonlyMap<string, Instant | undefined>
}>

export type ListInProgress = Readonly<{
  /** Cursor of the next page; undefined at the beginning. */
  cursor: string | undefined
  startedAt: Instant
  /** Cursors already used: a repeated cursor would make the list endless. */
  cursors: readonly string[]
  pages: readonly ListedPage[]
}>

export type ListedPage = Readonly<{
  askedAt: Instant
  projectIds: readonly string[]
  /** Ids of projects with unreadable records. */
  unreadable: readonly string[]
}>

export type FinishedList = Readonly<{
  startedAt: Instant
  endedAt: Instant
  pages: number
  /** Project id → request time of its page: the age of what the list shows of the project. */
  readAt: ReadonlyMap<string, Instant>
  /** Known projects that were missing in the list; without those that are known to have no compute. */
  missing: ReadonlySet<string>
}>

/** State of the service in a sweep. `degraded`: the project list was read, but most requests of one kind were lost or had to wait. */
export type ServiceStatus = 'ok' | 'degraded' | 'unauthorized' | 'unavailable'

/** Whether the service answered, so that the sweep holds observations. */
export const isReached = (status: ServiceStatus | undefined): boolean =>
  status === 'ok' || status === 'degraded'

/** All observations of one sweep over one account. */
export type Sweep = Readonly<{
  account: string
  startedAt: Instant
  endedAt: Instant
  /** New and changed projects of the list. */
  projects: readonly Project[]
  /** List progress; projects in `unexplainedActivity` may have been looked at since. */
  list: ListProgress
  /** Projects for which the request allowance was not enough. */
  backlog: Backlog
  retries: PendingRetries
  requestsMade: number
  /** At most one per compute and answer, in the order of the requests; may be empty. */
  looks: readonly Look[]
  listedComputes: readonly ListedComputes[]
  operations: readonly Operation[]
  /** Projects with operations read completely, back to the time needed. */
  operationsReadOf: readonly string[]
  /** Unreadable records; without an endpoint id they may belong to any compute of the project. */
  unreadableOperations: readonly UnreadableOperations[]
  readings: readonly ReadingAttempt[]
  refusals: readonly Readonly<{ ref: ComputeRef; refusal: ReadingRefusal }>[]
  problems: readonly SweepProblem[]
  service: ServiceStatus
}>
