// Facts about one compute that are not settled yet, each with the time it is true of.
import type { AutosuspendDelay, ComputeState } from '../service/compute.ts'
import type { Operation } from '../service/operation.ts'
import type { Cu, Instant, Micros, Millis, Interval } from '../units.ts'

/** Where the time of an edge comes from, most exact first. */
export type EdgeSource = 'record' | 'operation' | 'poll' | 'assumed'

/** When an awake interval began or ended: somewhere in `[earliest, latest]`. */
export type Edge = Readonly<{
  earliest: Instant
  likely: Instant
  latest: Instant
  source: EdgeSource
}>

/** `[from, to)` in which a compute was active: what is paid for. */
export type AwakeInterval = Readonly<{
  from: Edge
  /** Undefined while the compute is awake. */
  to: Edge | undefined
  /** Until when the compute is known to be awake; the end of a closed interval. */
  knownUntil: Instant
  /** Whether it began with a restart instead of a wake. */
  restart: boolean
}>

/** State of a compute at some instant in `[askedAt, answeredAt]`. */
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

/** Fields of an observed record that date earlier transitions. */
export type ObservedRecord = Readonly<{
  startedAt: Instant | undefined
  suspendedAt: Instant | undefined
  lastActive: Instant | undefined
  updatedAt: Instant
  /** Autosuspend delay: the compute stays awake at least this long after activity or a start, unless somebody suspends it. */
  holds: AutosuspendDelay
  /** No activity between the look before and this instant; undefined when not known. */
  unusedUntil: Instant | undefined
}>

/**
 * Size limits observed from `firstSeenAt`, the end of the first look, until `lastSeenAt`, the start of the last look. With a single
 * look `firstSeenAt` is the later of the two.
 */
export type SizeObservation = Readonly<{
  min: Cu
  max: Cu
  firstSeenAt: Instant
  lastSeenAt: Instant
  /** A change was in progress: the limits observed before may still have been in force. */
  isChanging: boolean
}>

/** The size a compute had at an instant. */
type MeasuredSize = Readonly<{ at: Instant; cu: Cu }>

/** Session of Dormouse on the compute, in service time. */
export type OwnSession = Readonly<{
  connectedAt: Instant
  disconnectedAt: Instant
  /** When the look before the session had shown the compute awake. */
  shownAwakeAt?: Instant
  /** Undefined when the reading failed. */
  postmasterStartedAt: Instant | undefined
  /** Last activity in the record before the session: a client's. */
  activeBefore: Instant | undefined
  /** Whether the reading found working clients, so that activity during the session is theirs. */
  sawClients: boolean
  /** Whether the service certainly counts the session as activity: it used a user database. */
  counts: boolean
  /** Newest end of a client's statement found by the reading. */
  lastClientActivity: Instant | undefined
  /** Start of the time before the session in which activity may be hidden by the activity lag. */
  hiddenFrom: Instant
  /** Client sessions per second since the previous reading; undefined without a comparable one. */
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
export type Culprit = Readonly<{
  cause: AwakeCause
  application: string
  user: string
  database: string
}>

/** Awake time attributed to one culprit, with its spend. */
export type AttributedTime = Culprit & Readonly<{ time: Millis; spend: Micros }>

/** Awake time by cause: `culpritKey` → ms. The rest of the awake time is unattributed. */
export type Attribution = Readonly<Record<string, Millis>>

/** Interval between readings, with its awake time by cause. */
export type AttributedInterval = Interval & { readonly by: Attribution }

/** Facts that are not settled yet. Each part is a set in ascending order, so adding a fact twice changes nothing. */
export type Evidence = Readonly<{
  operations: readonly Operation[]
  states: readonly StateObservation[]
  /** Distinct `started_at`, `suspended_at` and `last_active` of the records, whole seconds. */
  starts: readonly Instant[]
  ends: readonly Instant[]
  activities: readonly Instant[]
  sizes: readonly SizeObservation[]
  /** Sizes inside a range, measured by readings, in order. */
  measured: readonly MeasuredSize[]
  ownSessions: readonly OwnSession[]
  /** In order, not overlapping. */
  attributed: readonly AttributedInterval[]
  /** Interval in which the list of operations is complete; undefined before the first list. */
  covered: Interval | undefined
  /** Start of the time in which a list would contain every operation of the compute. */
  readSince?: Instant | undefined
  /** Whether transitions change `updated_at`, learned from settled evidence; undefined before the first. */
  updates: 'with-state' | 'apart' | undefined
}>
