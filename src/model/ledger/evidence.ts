// Facts about one compute, each with the time it is true of.
import type { AutosuspendDelay, ComputeState } from '../service/compute.ts'
import type { Operation } from '../service/operation.ts'
import type { Cu, Instant, Micros, Millis, Interval } from '../units.ts'

/** Where the time of an edge comes from, most exact first. */
export type EdgeSource = 'record' | 'operation' | 'poll' | 'assumed'

/** Somewhere in `[earliest, latest]`. */
export type Edge = Readonly<{ earliest: Instant; likely: Instant; latest: Instant; source: EdgeSource }>

/** What is paid for. */
export type AwakeInterval = Readonly<{
  from: Edge
  /** Undefined while the compute is awake. */
  to: Edge | undefined
  /** Until when it is known to be awake; the end of a closed interval. */
  knownUntil: Instant
  /** Whether it began with a restart instead of a wake. */
  restart: boolean
}>

/** At some instant in `[askedAt, answeredAt]`. */
export type StateObservation = Readonly<{
  state: ComputeState | 'gone'
  askedAt: Instant
  answeredAt: Instant
  /** Undefined for a deleted compute. */
  record: ObservedRecord | undefined
  /** Last known delay of a deleted compute. */
  delay?: AutosuspendDelay
  /** Likely time of the deletion; absent where nothing suggests one. */
  likelyAt?: Instant
}>

/** Fields that date earlier transitions. */
export type ObservedRecord = Readonly<{
  startedAt: Instant | undefined
  suspendedAt: Instant | undefined
  lastActive: Instant | undefined
  updatedAt: Instant
  /** Autosuspend delay: it stays awake at least this long after activity or a start, unless somebody suspends it. */
  holds: AutosuspendDelay
  /** No activity since the look before; undefined when not known. */
  unusedUntil: Instant | undefined
}>

/** Limits observed from `firstSeenAt`, the end of the first look, until `lastSeenAt`, the start of the last: with a single look the earlier. */
export type SizeObservation = Readonly<{
  min: Cu
  max: Cu
  firstSeenAt: Instant
  lastSeenAt: Instant
  /** A change was in progress: earlier limits may still have been in force. */
  isChanging: boolean
}>

type MeasuredSize = Readonly<{ at: Instant; cu: Cu }>

/** Session of Dormouse on the compute, in service time. */
export type OwnSession = Readonly<{
  connectedAt: Instant
  disconnectedAt: Instant
  /** By the look before the session. */
  shownAwakeAt?: Instant
  /** Undefined when the reading failed. */
  postmasterStartedAt: Instant | undefined
  /** In the record before the session: a client's. */
  activeBefore: Instant | undefined
  /** The reading found working clients: activity during the session is theirs. */
  sawClients: boolean
  /** The service certainly counts it as activity: it used a user database. */
  counts: boolean
  /** Newest end of a client's statement, by the reading. */
  lastClientActivity: Instant | undefined
  /** From here on the activity lag may hide activity. */
  hiddenFrom: Instant
  /** Client sessions per second since the previous reading. */
  arrivalRate: number | undefined
}>

/** Cause that keeps a compute awake under the service's rules. */
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

/** Names are empty where the cause is not a client. */
export type Culprit = Readonly<{ cause: AwakeCause; application: string; user: string; database: string }>

export type AttributedTime = Culprit & Readonly<{ time: Millis; spend: Micros }>

/** `culpritKey` → ms. The rest of the awake time is unattributed. */
export type Attribution = Readonly<Record<string, Millis>>

export type AttributedInterval = Interval & { readonly by: Attribution }

/** Not settled yet. Each part is a set in ascending order: adding a fact twice changes nothing. */
export type Evidence = Readonly<{
  operations: readonly Operation[]
  states: readonly StateObservation[]
  /** Distinct `started_at`, `suspended_at`, `last_active` of the records, whole seconds. */
  starts: readonly Instant[]
  ends: readonly Instant[]
  activities: readonly Instant[]
  sizes: readonly SizeObservation[]
  /** Inside a range, by readings. */
  measured: readonly MeasuredSize[]
  ownSessions: readonly OwnSession[]
  /** When changes of Dormouse were under way that may wake the compute; absent where there were none. */
  changes?: readonly Interval[] | undefined
  /** When warm-ups of Dormouse may have woken the compute; absent where there were none. */
  warmUps?: readonly Interval[] | undefined
  /** In order, not overlapping. */
  attributed: readonly AttributedInterval[]
  /** Where the list of operations is complete; undefined before the first list. */
  covered: Interval | undefined
  /** From here on a list would contain every operation. */
  readSince?: Instant | undefined
  /** Whether transitions change `updated_at`, by settled evidence. */
  updates: 'with-state' | 'apart' | undefined
}>
