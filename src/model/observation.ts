// What one sweep saw: facts with the time they are true of, before any account is made of them.
import type { Compute, ComputeRef, Project } from './compute.ts'
import type { Operation } from './operation.ts'
import type { Bytes, Instant, Seconds } from './units.ts'

/** One compute as the service showed it; true at some instant in `[askedAt, answeredAt]`. */
export type Look = {
  readonly compute: Compute
  readonly askedAt: Instant
  readonly answeredAt: Instant
  /** `askedAt` on the monotonic clock: how fresh it is must not depend on a clock that may be set. */
  readonly askedOn: Seconds
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
export type Connections = {
  readonly active: number
  readonly idle: number
  readonly idleInTransaction: number
  readonly other: number
}

/** What can hold a compute awake, as the service's own rules look at it. Source: service-facts.md, "What keeps a compute awake". */
export type AwakeCauses = {
  /** Client backends doing something now. */
  readonly working: number
  readonly idleInTransaction: number
  readonly replication: number
  readonly subscriptions: number
  readonly autovacuum: number
  /** Newest end of a client's statement among the backends that are still connected. */
  readonly lastForeignStatement: Instant | undefined
  /** The application with the most client backends, as it names itself; empty when it does not. */
  readonly busiestApplication: string | undefined
}

/** Something that could not be read, and why: never a zero. */
export type Missing = { readonly missing: string }

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
  readonly connections: Connections | Missing
  readonly causes: AwakeCauses | Missing
  /** Missing in a light reading: the view is in user databases. */
  readonly cache: CacheReading | Missing
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
  readonly cost: Seconds
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

/** Everything one sweep over one account saw. */
export type Sweep = {
  readonly account: string
  readonly startedAt: Instant
  readonly endedAt: Instant
  /** Undefined when the project list itself could not be read. */
  readonly projects: readonly Project[] | undefined
  /** At most one per compute and answer, in the order they were made; empty when nothing was asked. */
  readonly looks: readonly Look[]
  /** Projects whose compute list was read whole: a compute of theirs that is not in `looks` is gone. */
  readonly listed: readonly { readonly projectId: string; readonly answeredAt: Instant }[]
  readonly operations: readonly Operation[]
  /** Projects whose operations were read without a failure, back to the time wanted. */
  readonly operationsOf: readonly string[]
  readonly readings: readonly ReadingAttempt[]
  readonly refusals: readonly { readonly ref: ComputeRef; readonly refusal: ReadingRefusal }[]
  readonly problems: readonly SweepProblem[]
  /** How the service answered as a whole; `ok` when the project list could be read. */
  readonly service: 'ok' | 'unauthorized' | 'unavailable'
}
