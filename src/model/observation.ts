// What one sweep saw: facts with the time they are true of, before any account is made of them.
import type { Compute, ComputeRef, Project } from './service/compute.ts'
import type { Operation } from './service/operation.ts'
import type { Bytes, Instant, Millis, Seconds } from './units.ts'

/** One compute as the service showed it; true at some instant in `[askedAt, answeredAt]`. */
export type Look = {
  readonly compute: Compute
  readonly askedAt: Instant
  readonly answeredAt: Instant
  /** `askedAt` on the monotonic clock: how fresh it is must not depend on a clock that may be set. */
  readonly askedOn: Seconds
  /** Since the look before, nobody was active until then: the project list, which tells of activity, was read that often. */
  readonly quietUntil?: Instant
}

/** A compute is gone: since some instant from `from` on, and not later than `seenAt`. */
export type Deletion = {
  readonly from: Instant
  readonly observedAt: Instant
  /** What it most likely went with; absent where nothing is known. */
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

/** What can hold a compute awake, as the service's own rules look at it. Source: service-facts.md, "What keeps a compute awake". */
export type AwakeIndicators = {
  /** Client backends doing something now. */
  readonly working: number
  readonly idleInTransaction: number
  readonly replication: number
  readonly subscriptions: number
  readonly autovacuum: number
  /** Prepared transactions nobody finished: they hold no compute awake, but keep vacuum from its work. */
  readonly prepared: number
  /** Newest end of a client's statement among the backends that are still connected. */
  readonly lastForeignStatement: Instant | undefined
  /** Age of the oldest open transaction of a client. */
  readonly longestTransaction: Seconds | undefined
}

/** Clients that call themselves the same, log in as the same user and use the same database. */
export type ClientGroup = {
  /** As the client names itself; empty when it does not. */
  readonly application: string
  readonly user: string
  readonly database: string
  readonly connections: number
  /** Of them doing something now, and idle inside a transaction. */
  readonly working: number
  readonly idleInTransaction: number
  /** Newest end of a statement among those that are idle. */
  readonly lastStatement: Instant | undefined
}

/** Counters of all user databases, cumulative over one incarnation; our own sessions are among them. */
export type UsageCounters = {
  readonly sessions: number
  /** Time spent in statements, summed over sessions. */
  readonly activeTime: Millis
}

/** Distinct bytes touched within a time that ends now. */
export type WorkingSet = { readonly window: Seconds; readonly size: Bytes }

/** Something that could not be read, and why: never a zero. */
export type NotRead = { readonly missing: string }

export type Reading = {
  readonly kind: 'light' | 'full'
  /** When the server process started: the incarnation of all its counters. By the compute's clock. */
  readonly postmasterStartedAt: Instant
  /** The compute's clock when it answered. */
  readonly serverTime: Instant
  readonly maxConnections: number
  readonly reservedConnections: number
  /** The current limit of the file cache, which gives the current size. */
  readonly cacheLimit: Bytes | undefined
  readonly connections: ConnectionCounts | NotRead
  readonly causes: AwakeIndicators | NotRead
  /** The strongest first, and no more than twenty. */
  readonly clients: readonly ClientGroup[] | NotRead
  readonly usage: UsageCounters | NotRead
  /** Missing in a light reading: the views are in user databases. */
  readonly cache: CacheReading | NotRead
  /** Ascending by window. */
  readonly workingSet: readonly WorkingSet[] | NotRead
}

/** How a reading ended. `at-limit` is a reading too: every connection was taken. */
export type ReadingResult =
  | { readonly kind: 'read'; readonly reading: Reading }
  | { readonly kind: 'at-limit' }
  | { readonly kind: 'failed'; readonly because: 'timeout' | 'error'; readonly message: string }

/** A reading and the time our session could be seen by the service. */
export type ReadingAttempt = {
  readonly ref: ComputeRef
  readonly connectedAt: Instant
  readonly disconnectedAt: Instant
  readonly result: ReadingResult
  /** What the compute's record said just before. */
  readonly look: Look
  /** The awake time it was expected to add: what the observer's budget pays for it. */
  readonly expectedCost: Seconds
  /** How late `look` may show activity: what happened within it before the reading is hidden. */
  readonly activityLag: Seconds
}

/** Why a compute was not read in this sweep. */
export type ReadingRefusal =
  | { readonly because: 'mode-off' }
  | { readonly because: 'no-dsn' }
  | { readonly because: 'not-active' }
  | { readonly because: 'delay-too-short'; readonly margin: Seconds }
  | { readonly because: 'tail' }
  | { readonly because: 'quiet' }
  | { readonly because: 'credit' }
  | { readonly because: 'pace' }
  | { readonly because: 'clock' }

/** A part of a sweep that could not be seen; the rest of the sweep stands. */
export type SweepProblem = { readonly where: string; readonly message: string }

/** Why a project's computes are looked at, the most urgent first; last those that were asked for in vain, whatever for. */
export type Urgency = 'in-flight' | 'transition' | 'unseen' | 'awake' | 'age' | 'failing'

/** How many projects had to wait for the next sweep, by why they were to be looked at; and those whose operations are needed. */
export type Backlog = Readonly<Record<Urgency | 'operations', number>>

/** Projects whose compute list was answered: a compute of theirs that is not in it is gone. */
export type ListedComputes = {
  readonly projectId: string
  /** The earliest that it can have been written; `answeredAt` where nothing is said. */
  readonly askedAt?: Instant
  readonly answeredAt: Instant
  /** Also of those that are there without a record that fits. */
  readonly endpointIds: readonly string[]
  /** Of them those whose record does not fit. */
  readonly unreadable?: readonly string[]
  /** A record did not even tell its id: what is not in the list may be there nevertheless. */
  readonly partial?: boolean
  /** The service knows no such project. */
  readonly projectDeleted?: true
}

/** What was asked for in vain, and never answered in between: since when, and when it was last tried. */
export type FailedAttempts = { readonly since: Instant; readonly at: Instant }

export type UnreadableOperations = { readonly projectId: string; readonly endpointId: string | undefined }

/** What one sweep leaves to the next ones, by project id. */
export type PendingRetries = {
  /** Whose computes were asked for in vain. */
  readonly looks: ReadonlyMap<string, FailedAttempts>
  /** Whose operations are needed, since when, and whether they were asked for in vain. */
  readonly operations: ReadonlyMap<
    string,
    { readonly since: Instant; readonly failed: FailedAttempts | undefined }
  >
}

/** How the reading of the project list stands; a large one takes several sweeps. */
export type ListProgress = {
  /** The list that is being read; undefined when the next sweep begins a new one. */
  readonly inProgress: ListInProgress | undefined
  /** The last one that was read to its end. */
  readonly finished: FinishedList | undefined
  /** Projects that may have been active unseen → when the list still told that they were quiet; undefined where it never did. */
  readonly unexplainedActivity: ReadonlyMap<string, Instant | undefined>
}

export type ListInProgress = {
  /** Where it goes on; undefined at its beginning. */
  readonly cursor: string | undefined
  readonly startedAt: Instant
  /** Every cursor that was used: one that comes back would never end. */
  readonly cursors: readonly string[]
  readonly pages: readonly ListedPage[]
  /** A page could not be read, and the list went on behind it: who was on it is not known. */
  readonly hasUnreadPage: boolean
}

export type ListedPage = {
  readonly askedAt: Instant
  readonly projectIds: readonly string[]
  /** Of those whose record does not fit. */
  readonly unreadable: readonly string[]
}

export type FinishedList = {
  readonly startedAt: Instant
  readonly endedAt: Instant
  readonly pages: number
  /** In their order: where a page of it begins that follows one that cannot be read. */
  readonly cursors: readonly string[]
  /** Project id → when the page that holds it was asked for: what the list tells of it, it told then. */
  readonly readAt: ReadonlyMap<string, Instant>
  /** Projects with computes that it did not hold. */
  readonly missing: ReadonlySet<string>
}

/** Everything one sweep over one account saw. */
export type Sweep = {
  readonly account: string
  readonly startedAt: Instant
  readonly endedAt: Instant
  /** Projects that are new in the list or that changed in it. */
  readonly projects: readonly Project[]
  /** As far as it was read; what is restless in it may have been looked at since. */
  readonly list: ListProgress
  /** What the request budget left for later. */
  readonly backlog: Backlog
  readonly retries: PendingRetries
  /** Requests that it made. */
  readonly requestsMade: number
  /** At most one per compute and answer, in the order they were made; empty when nothing was asked. */
  readonly looks: readonly Look[]
  readonly listedComputes: readonly ListedComputes[]
  readonly operations: readonly Operation[]
  /** Projects whose operations were read without a failure, back to the time wanted. */
  readonly operationsReadOf: readonly string[]
  /** What they tell is not all: a record that does not fit may be of this compute, or of any of the project. */
  readonly unreadableOperations: readonly UnreadableOperations[]
  readonly readings: readonly ReadingAttempt[]
  readonly refusals: readonly { readonly ref: ComputeRef; readonly refusal: ReadingRefusal }[]
  readonly problems: readonly SweepProblem[]
  /** How the service answered as a whole; `ok` when the project list could be read. */
  readonly service: 'ok' | 'unauthorized' | 'unavailable'
}
