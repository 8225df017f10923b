// What is known of one compute and not yet settled: facts, each with the time it is true of.
import type { AutosuspendDelay, ComputeState } from '../service/compute.ts'
import type { Operation } from '../service/operation.ts'
import type { Span } from './slice.ts'
import type { Cu, Instant, Micros, Millis } from '../units.ts'

/** Where the time of an edge comes from, most exact first. */
export type EdgeSource = 'record' | 'operation' | 'poll' | 'assumed'

/** When an awake interval began or ended: somewhere in `[earliest, latest]`. */
export type Edge = {
  readonly earliest: Instant
  readonly likely: Instant
  readonly latest: Instant
  readonly source: EdgeSource
}

/** `[from, to)` in which a compute was active: what is paid for. */
export type AwakeInterval = {
  readonly from: Edge
  /** Undefined while the compute is awake. */
  readonly to: Edge | undefined
  /** Until when the compute is known to be awake; the end of a closed interval. */
  readonly knownUntil: Instant
  /** Whether it began with a restart instead of a wake. */
  readonly restart: boolean
}

/** One state seen; true at some instant in `[askedAt, answeredAt]`. */
export type StateObservation = {
  readonly state: ComputeState | 'gone'
  readonly askedAt: Instant
  readonly answeredAt: Instant
  /** Undefined of a compute that is gone. */
  readonly record: ObservedRecord | undefined
  /** The delay that one that is gone is last known to have had. */
  readonly delay?: AutosuspendDelay
  /** When it most likely went; absent where nothing tells. */
  readonly likelyAt?: Instant
}

/** What the record of a sighting tells of the time before it. */
export type ObservedRecord = {
  readonly startedAt: Instant | undefined
  readonly suspendedAt: Instant | undefined
  readonly lastActive: Instant | undefined
  readonly updatedAt: Instant
  /** The compute stays awake at least that long after activity or a start, unless somebody intervenes. */
  readonly holds: AutosuspendDelay
  /** Since the look before, nobody was active until then; undefined where nothing tells. */
  readonly unusedUntil: Instant | undefined
}

/**
 * The size limits as they were seen from `firstSeenAt`, the end of the first look, until `lastSeenAt`, the beginning of the last; of one
 * look alone the first of them is the later.
 */
export type SizeObservation = {
  readonly min: Cu
  readonly max: Cu
  readonly firstSeenAt: Instant
  readonly lastSeenAt: Instant
  /** A change was under way: the compute may still have had the limits that were seen before. */
  readonly isChanging: boolean
}

/** The size a compute had at an instant. */
export type MeasuredSize = { readonly at: Instant; readonly cu: Cu }

/** A session of ours on the compute, by the service's clock as far as it is known. */
export type OwnSession = {
  readonly connectedAt: Instant
  readonly disconnectedAt: Instant
  /** By when the look that let it go had shown the compute awake; absent in what an earlier version kept. */
  readonly shownAwakeAt?: Instant
  /** Undefined when the reading failed, so that nothing is known of the server. */
  readonly postmasterStartedAt: Instant | undefined
  /** The last activity the record showed before we connected: somebody else's. */
  readonly activeBefore: Instant | undefined
  /** Whether it saw clients at work: then activity inside it is theirs. */
  readonly sawClients: boolean
  /** Whether the service takes it for activity for sure: it was in a user database. */
  readonly counts: boolean
  /** The newest end of a client's statement it saw. */
  readonly lastClientActivity: Instant | undefined
  /** Since when activity before it may have gone unseen: what the record shows lags. */
  readonly hiddenFrom: Instant
  /** Sessions of others per second since the reading before it; undefined where there is none to compare with. */
  readonly arrivalRate: number | undefined
}

/** What can hold a compute awake, as the service's rules have it. */
export type AwakeCause =
  | 'clients'
  | 'idle-in-transaction'
  | 'keep-alive'
  | 'other'
  | 'replication'
  | 'subscription'
  | 'autovacuum'
  | 'autosuspend-off'
  | 'availability-check'

/** The names are empty where no client is behind it. */
export type Culprit = {
  readonly cause: AwakeCause
  readonly application: string
  readonly user: string
  readonly database: string
}

/** A part of a compute's time awake, and what it cost. */
export type AttributedTime = Culprit & { readonly time: Millis; readonly spend: Micros }

/** Time by what held a compute awake: `culpritKey` → ms. What is not in it is not known. */
export type Attribution = Readonly<Record<string, Millis>>

/** A stretch of time that readings tell of, by our clock, and who held the compute awake in it. */
export type AttributedInterval = { readonly from: Instant; readonly to: Instant; readonly by: Attribution }

/** What is not yet settled, each part a set in ascending order: adding the same fact twice changes nothing. */
export type Evidence = {
  readonly operations: readonly Operation[]
  readonly states: readonly StateObservation[]
  /** Distinct `started_at`, `suspended_at` and `last_active` of the records, whole seconds. */
  readonly starts: readonly Instant[]
  readonly ends: readonly Instant[]
  readonly activities: readonly Instant[]
  readonly sizes: readonly SizeObservation[]
  /** What readings told of the size inside a range, in order. */
  readonly measured: readonly MeasuredSize[]
  readonly ownSessions: readonly OwnSession[]
  /** In order, not overlapping. */
  readonly attributed: readonly AttributedInterval[]
  /** Where the list of operations is known whole; undefined while none of this compute was ever listed. */
  readonly covered: Span | undefined
  /** Since when such a list would have told of every operation, if there is one. */
  readonly readSince?: Instant | undefined
  /** Whether changes of state move `updated_at`, as those that are no longer kept told; undefined while none did. */
  readonly updates: 'with-state' | 'apart' | undefined
}
