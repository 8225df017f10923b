// Observations of one sweep: facts with the time they are true of, before the ledger applies them.
import type { Compute, ComputeRef, Project } from './service/compute.ts'
import type { Operation } from './service/operation.ts'
import type { Bytes, Instant, Millis, Seconds } from './units.ts'

/** Record of one compute, true at some instant in `[askedAt, answeredAt]`. */
export type Look = {
  readonly compute: Compute
  readonly askedAt: Instant
  readonly answeredAt: Instant
  /** `askedAt` on the monotonic clock, for the age of the look: the wall clock may be set. */
  readonly askedOn: Seconds
  /** No activity between the look before and this instant, as repeated project lists show. */
  readonly quietUntil?: Instant
}

/** Deletion of a compute, between `from` and `observedAt`. */
export type Deletion = {
  readonly from: Instant
  readonly observedAt: Instant
  /** Likely time, from the operation that may have deleted it; absent where none is known. */
  readonly likelyAt?: Instant
}

/** Counters of the file cache, cumulative since the compute's last start. Source: service interface, "Cache statistics". */
export type CacheReading = {
  /** Pages of 8 KiB found in the cache. */
  readonly hits: number
  /** Pages of 8 KiB fetched from storage. */
  readonly misses: number
  /** A gauge. */
  readonly used: Bytes
  /** Pages of 8 KiB. */
  readonly writes: number
}

/** Client connections by state: neither the service's own users nor Dormouse. */
export type ConnectionCounts = {
  readonly active: number
  readonly idle: number
  readonly idleInTransaction: number
  readonly other: number
}

/** Indicators by which the service decides whether a compute stays awake. Source: service-facts.md, "What keeps a compute awake". */
export type AwakeIndicators = {
  /** Client backends in a statement now. */
  readonly working: number
  readonly idleInTransaction: number
  readonly replication: number
  readonly subscriptions: number
  readonly autovacuum: number
  /** Unfinished prepared transactions: they keep no compute awake, but block vacuum. */
  readonly prepared: number
  /** Newest end of a client's statement among the backends that are still connected. */
  readonly lastForeignStatement: Instant | undefined
  /** Age of the oldest open transaction of a client. */
  readonly longestTransaction: Seconds | undefined
}

/** Clients with the same application name, user and database. */
export type ClientGroup = {
  /** Empty when the client sets none. */
  readonly application: string
  readonly user: string
  readonly database: string
  readonly connections: number
  /** Connections in a statement now. */
  readonly working: number
  readonly idleInTransaction: number
  /** Newest end of a statement among the idle connections. */
  readonly lastStatement: Instant | undefined
}

/** Counters of all user databases, cumulative over one incarnation, our own sessions included. */
export type UsageCounters = {
  readonly sessions: number
  /** Time spent in statements, summed over sessions. */
  readonly activeTime: Millis
}

/** Distinct bytes touched within `window` before the reading. */
export type WorkingSet = { readonly window: Seconds; readonly size: Bytes }

/** Reason why a value could not be read. */
export type NotRead = { readonly missing: string }

/** The part of a reading; undefined where it could not be read. */
export const ifRead = <Part extends object>(part: Part | NotRead | undefined): Part | undefined =>
  part && 'missing' in part ? undefined : part

export type Reading = {
  readonly kind: 'light' | 'full'
  /** Start of the server process, on the compute's clock: identifies the incarnation of all counters. */
  readonly postmasterStartedAt: Instant
  /** The compute's clock when it answered. */
  readonly serverTime: Instant
  readonly maxConnections: number
  readonly reservedConnections: number
  /** Current limit of the file cache, from which the current size follows. */
  readonly cacheLimit: Bytes | undefined
  readonly connections: ConnectionCounts | NotRead
  readonly causes: AwakeIndicators | NotRead
  /** Largest groups first, at most twenty. */
  readonly clients: readonly ClientGroup[] | NotRead
  readonly usage: UsageCounters | NotRead
  /** Not part of a light reading: the views are in user databases. */
  readonly cache: CacheReading | NotRead
  /** Ascending by window. */
  readonly workingSet: readonly WorkingSet[] | NotRead
}

/** Outcome of a reading. `at-limit` is a result too: all connections were in use. */
export type ReadingResult =
  | { readonly kind: 'read'; readonly reading: Reading }
  | { readonly kind: 'at-limit' }
  | {
      readonly kind: 'failed'
      readonly because: 'timeout' | 'error'
      readonly message: string
      /** Nothing was sent to the compute: there was no connection string. */
      readonly unconnected?: true
    }

/** Reading attempt, with the time in which the service could see our session. */
export type ReadingAttempt = {
  readonly ref: ComputeRef
  readonly connectedAt: Instant
  readonly disconnectedAt: Instant
  readonly result: ReadingResult
  /** Look just before the session. */
  readonly look: Look
  /** Awake time the session was expected to add, charged to the observer allowance. */
  readonly expectedCost: Seconds
  /** Activity lag of `look`: activity within this time before the session is hidden. */
  readonly activityLag: Seconds
}

/** Reason why a compute was not read in this sweep. */
export type ReadingRefusal =
  | {
      readonly because: 'mode-off' | 'no-dsn' | 'not-active' | 'tail' | 'quiet' | 'credit' | 'pace' | 'clock'
    }
  | { readonly because: 'delay-too-short'; readonly margin: Seconds }

/** Part of a sweep that failed; the rest of the sweep is valid. */
export type SweepProblem = { readonly where: string; readonly message: string }

/** Reasons to look at a project's computes, most urgent first. `failing`: earlier requests failed, for whatever reason they were made. */
export type Urgency = 'in-flight' | 'transition' | 'unseen' | 'awake' | 'age' | 'failing'

/** Number of projects left to the next sweep, by urgency; `operations`: projects with operations still to be read. */
export type Backlog = Readonly<Record<Urgency | 'operations', number>>

/** Answered compute list of a project: a known compute that is missing in it is deleted. */
export type ListedComputes = {
  readonly projectId: string
  /** Earliest instant at which the service can have written the list; absent: `answeredAt`. */
  readonly askedAt?: Instant
  readonly answeredAt: Instant
  /** Ids of all existing computes, also of those with an unreadable record. */
  readonly endpointIds: readonly string[]
  /** Subset of `endpointIds` with an unreadable record. */
  readonly unreadable?: readonly string[]
  /** A record had no readable id, so a compute missing in the list may still exist. */
  readonly partial?: boolean
  /** The service answered that the project does not exist. */
  readonly projectDeleted?: true
}

/** Failed requests without a success in between: the first and the last of them. */
export type FailedAttempts = {
  readonly since: Instant
  readonly at: Instant
  /** Sweeps in a row that answered `gone` here and answered other projects; absent: none. */
  readonly gone?: number
}

export type UnreadableOperations = { readonly projectId: string; readonly endpointId: string | undefined }

/** Work that a sweep leaves to the next ones, by project id. */
export type PendingRetries = {
  /** Projects whose compute lists failed. */
  readonly looks: ReadonlyMap<string, FailedAttempts>
  readonly operations: ReadonlyMap<string, PendingOperations>
}

/** Operations of a project that are needed since an instant. */
type PendingOperations = { readonly since: Instant; readonly failed: FailedAttempts | undefined }

/** Progress of reading the project list; a large list takes several sweeps. */
export type ListProgress = {
  /** List in progress; undefined when the next sweep starts a new one. */
  readonly inProgress: ListInProgress | undefined
  /** Last list read to its end. */
  readonly finished: FinishedList | undefined
  /** Projects with unexplained activity → last list without it; undefined where there was none. */
  readonly unexplainedActivity: ReadonlyMap<string, Instant | undefined>
}

export type ListInProgress = {
  /** Cursor of the next page; undefined at the beginning. */
  readonly cursor: string | undefined
  readonly startedAt: Instant
  /** Cursors already used: a repeated cursor would make the list endless. */
  readonly cursors: readonly string[]
  readonly pages: readonly ListedPage[]
}

export type ListedPage = {
  readonly askedAt: Instant
  readonly projectIds: readonly string[]
  /** Ids of projects with unreadable records. */
  readonly unreadable: readonly string[]
}

export type FinishedList = {
  readonly startedAt: Instant
  readonly endedAt: Instant
  readonly pages: number
  /** Project id → request time of its page: the age of what the list shows of the project. */
  readonly readAt: ReadonlyMap<string, Instant>
  /** Known projects that were missing in the list; without those that are known to have no compute. */
  readonly missing: ReadonlySet<string>
}

/** State of the service in a sweep. `degraded`: the project list was read, but most requests of one kind were lost or had to wait. */
export type ServiceStatus = 'ok' | 'degraded' | 'unauthorized' | 'unavailable'

/** Whether the service answered, so that the sweep holds observations. */
export const isReached = (status: ServiceStatus | undefined): boolean =>
  status === 'ok' || status === 'degraded'

/** All observations of one sweep over one account. */
export type Sweep = {
  readonly account: string
  readonly startedAt: Instant
  readonly endedAt: Instant
  /** New and changed projects of the list. */
  readonly projects: readonly Project[]
  /** List progress; projects in `unexplainedActivity` may have been looked at since. */
  readonly list: ListProgress
  /** Projects for which the request allowance was not enough. */
  readonly backlog: Backlog
  readonly retries: PendingRetries
  readonly requestsMade: number
  /** At most one per compute and answer, in the order of the requests; may be empty. */
  readonly looks: readonly Look[]
  readonly listedComputes: readonly ListedComputes[]
  readonly operations: readonly Operation[]
  /** Projects with operations read completely, back to the time needed. */
  readonly operationsReadOf: readonly string[]
  /** Unreadable records; without an endpoint id they may belong to any compute of the project. */
  readonly unreadableOperations: readonly UnreadableOperations[]
  readonly readings: readonly ReadingAttempt[]
  readonly refusals: readonly { readonly ref: ComputeRef; readonly refusal: ReadingRefusal }[]
  readonly problems: readonly SweepProblem[]
  readonly service: ServiceStatus
}
