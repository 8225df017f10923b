// Everything that is not pure comes in through these types of plain functions.
import type { BudgetState } from './policy/budget.ts'
import type { AutosuspendDelay, Compute, ComputeRef, Project, Sizing } from './service/compute.ts'
import type { Consumption, ConsumptionQuery, ProjectDetail } from './service/consumption.ts'
import type { DayRow } from './ledger/day.ts'
import type { Delivery } from './output/delivery.ts'
import type { Event } from './output/event.ts'
import type { OutboxEvent } from './output/outbox-event.ts'
import type { ApiKey, CreatedApiKey } from './service/api-key.ts'
import type {
  LikelyAwakeInterval,
  ComputeEntry,
  Ledger,
  ProjectEntry,
  ReadingCounts,
  SettledInterval,
} from './ledger/ledger.ts'
import type { UnreadableOperation, Operation } from './service/operation.ts'
import type { ReadingResult } from './observation.ts'
import type { ArchivedReport, StoredReport } from './output/report.ts'
import type { Result } from '../std/result.ts'
import type { Rollup } from './ledger/rollup.ts'
import type { ServiceError } from './service/service-error.ts'
import type { ServiceTimeEstimate } from './service/service-time.ts'
import type { Span } from './ledger/slice.ts'
import type { AccountCounters } from './ledger/counters.ts'
import type { Instant, Seconds } from './units.ts'

/** The only way the program learns the time or waits. */
export type Clock = {
  /** The wall clock. It may jump, forward and back; only calendars and records use it. */
  now(): Instant
  /** Seconds since some fixed moment of this process, never going back: deadlines, leases, durations. */
  monotonic(): Seconds
  /** Resolves after `span`, or at once when `signal` aborts; where it has aborted already, after a turn of the event loop. Never rejects. */
  sleep(span: Seconds, signal: AbortSignal): Promise<void>
}

/** A clock whose `now` is the service's time as far as it is known: what tells when something was seen. */
export type ServiceClock = Clock & {
  /**
   * In which span something lies that happened between two moments of the monotonic clock; undefined where the answers of the service
   * disagree about its time.
   */
  between(from: Seconds, to: Seconds): Span | undefined
}

/** What the answers of the service told of its time. */
export type ServiceTime = {
  /** Undefined where none told. */
  told(): ServiceTimeEstimate | undefined
}

/** The only source of chance: a seed replays a run. */
export type Random = {
  /** A number in `[0, 1)`. */
  unit(): number
  /** A fresh UUID. */
  uuid(): string
}

/** A list of which some items may not have fitted: one bad record never hides the others. */
export type Listing<Item> = {
  readonly items: readonly Item[]
  /** One line per item that did not fit, with its path: `endpoints[1].current_state: …`. */
  readonly problems: readonly string[]
  /** The ids of those that did not fit, one for each that tells it: they are there, though nothing else is known. */
  readonly unread?: readonly string[]
  /** The list goes on, and that part of it could not be read. */
  readonly cut?: true
}

/** Operations, as far as their records fit. */
export type OperationListing = Listing<Operation> & {
  /** Those that do not. */
  readonly lost?: readonly UnreadableOperation[]
}

/** One page of a list that goes on. */
export type ListPage<Item> = Listing<Item> & {
  /** What to ask for next; undefined after the last page. */
  readonly next: string | undefined
}

/** The service's own history of consumption, or why there is none: the plan has none, or the service or organisation is without it. */
export type ConsumptionPage =
  | ({ readonly kind: 'page' } & ListPage<Consumption>)
  | { readonly kind: 'none'; readonly because: 'plan' | 'absent'; readonly message: string }

/** A connection string with its password, which no text of this value shows: not JSON, not a template, not a log line. */
export type ConnectionUri = { readonly reveal: () => string }

export type ConnectionQuery = {
  readonly endpointId: string
  readonly database: string
  readonly role: string
}

/** A change the service accepted. */
export type ChangedCompute = { readonly compute: Compute; readonly operations: readonly Operation[] }

export type ComputeSettings = {
  readonly sizing?: Sizing
  /** 0 s gives the compute back to the default. */
  readonly autosuspendDelay?: AutosuspendDelay
  readonly branchId?: string
  readonly disabled?: boolean
}

type Answer<Value> = Promise<Result<Value, ServiceError>>

/**
 * The service's HTTP API. Lists and gets may be repeated and are retried inside; a mutation is sent once and never repeated.
 * Every method stops waiting when `signal` aborts.
 */
export type Service = {
  /** Every project of the account, all pages, or only those the configuration names. */
  listProjects(signal: AbortSignal): Answer<Listing<Project>>
  /** The same list, one request's worth; `cursor` is undefined for the first page. */
  listProjectsPage(cursor: string | undefined, signal: AbortSignal): Answer<ListPage<Project>>
  listComputes(projectId: string, signal: AbortSignal): Answer<Listing<Compute>>
  getCompute(projectId: string, endpointId: string, signal: AbortSignal): Answer<Compute>
  /** Newest first, back to those created at `since` or until the service has no more; empty where the service has no such list. */
  listOperations(projectId: string, since: Instant, signal: AbortSignal): Answer<OperationListing>
  /** One page of the whole history, newest first, back to about six months; the first where `cursor` is undefined. Empty where the service has no such list. */
  listOperationsPage(
    projectId: string,
    cursor: string | undefined,
    signal: AbortSignal,
  ): Answer<ListPage<Operation>>
  /** `gone` also where the service has no such record. */
  getProjectDetail(projectId: string, signal: AbortSignal): Answer<ProjectDetail>
  /** Oldest first within a project. `refused` with status 406 where the range does not fit the granularity. */
  listConsumption(
    query: ConsumptionQuery,
    cursor: string | undefined,
    signal: AbortSignal,
  ): Answer<ConsumptionPage>
  /** Undefined where the configuration does not allow it: then nothing is asked. `refused` with 412 where passwords are not kept. */
  getConnectionUri(
    projectId: string,
    query: ConnectionQuery,
    signal: AbortSignal,
  ): Answer<ConnectionUri | undefined>
  createCompute(
    projectId: string,
    branchId: string,
    settings: ComputeSettings,
    signal: AbortSignal,
  ): Answer<ChangedCompute>
  updateCompute(
    projectId: string,
    endpointId: string,
    settings: ComputeSettings,
    signal: AbortSignal,
  ): Answer<ChangedCompute>
  deleteCompute(projectId: string, endpointId: string, signal: AbortSignal): Answer<Compute | undefined>
  restartCompute(
    projectId: string,
    endpointId: string,
    signal: AbortSignal,
  ): Answer<ChangedCompute | undefined>
  startCompute(projectId: string, endpointId: string, signal: AbortSignal): Answer<ChangedCompute | undefined>
  suspendCompute(
    projectId: string,
    endpointId: string,
    signal: AbortSignal,
  ): Answer<ChangedCompute | undefined>
  listKeys(signal: AbortSignal): Answer<Listing<ApiKey>>
  createKey(name: string, signal: AbortSignal): Answer<CreatedApiKey>
  revokeKey(keyId: number, signal: AbortSignal): Answer<ApiKey>
}

/** One look inside Postgres. */
export type Readings = {
  /** Whether a connection string is known for it. */
  readable(compute: Compute): boolean
  /** Connects, reads, disconnects; never longer than the reading deadline. The caller has made sure that the compute is awake. */
  read(compute: Compute, kind: 'light' | 'full', signal: AbortSignal): Promise<ReadingResult>
}

/** What one part of a pass leaves behind: accounts that changed, whole, and what was settled. */
export type Batch = {
  readonly account: string
  /** Undefined: as before. */
  readonly readings: ReadingCounts | undefined
  readonly projects: readonly ProjectEntry[]
  readonly computes: readonly ComputeEntry[]
  readonly settled: readonly SettledInterval[]
  /** Stretches that are over. */
  readonly rollups: readonly Rollup[]
  /** Days that are another than they were told before; a row of a higher version takes the place of the lower ones. */
  readonly days: readonly DayRow[]
  /** Name of a budget → its state with what this part settled: both are kept, or neither; undefined: it is no more. */
  readonly budgets: Readonly<Record<string, BudgetState | undefined>>
  /** Undefined: as before. */
  readonly tallies: AccountCounters | undefined
  /** What is told of it: kept with it, so that a process that ends before it told has not forgotten. */
  readonly events: readonly Event[]
  readonly reports: readonly StoredReport[]
  /** Each takes the place of the one before, of the same item and sink. */
  readonly deliveries: readonly Delivery[]
  /** Name of a job → what it must remember; plain data; undefined: nothing any more. */
  readonly memories: Readonly<Record<string, unknown>>
}

/** What must survive. Every method is durable when it resolves. */
export type Store = {
  /** The ledger as last committed; an empty one for an account never seen. */
  load(account: string): Promise<Ledger>
  /** All of `batch`, or nothing of it. */
  commit(batch: Batch): Promise<void>
  close(): Promise<void>
}

/** A part of the history: what overlaps `[from, to)`, of some computes or, where none are named, of all. */
export type HistorySpan = {
  readonly from: Instant
  readonly to: Instant
  readonly computes?: readonly ComputeRef[]
}

/** Of one compute, one after the other in order of time. */
export type ComputeAwakeIntervals = {
  readonly ref: ComputeRef
  readonly times: readonly LikelyAwakeInterval[]
}

/** What was settled, a compute after the other and for each in order of time; read as it is asked for, in bounded memory. */
export type History = {
  /** As they are stored, those of the ids that are; also of projects that the ledger knows no more. */
  projects(account: string, projectIds: readonly string[]): Promise<readonly ProjectEntry[]>
  /** The newest version of each day of the account's zone. */
  days(account: string, span: HistorySpan): AsyncIterable<DayRow>
  intervals(account: string, span: HistorySpan): AsyncIterable<SettledInterval>
  /** The same without what was summed up over them, several of a compute at a time: ten times as fast. */
  awakeTimes(account: string, span: HistorySpan): AsyncIterable<ComputeAwakeIntervals>
  /** The newest `count` of one compute, in order of time. */
  lastIntervals(ref: ComputeRef, count: number): Promise<readonly SettledInterval[]>
  /** Those of one length. */
  rollups(account: string, span: HistorySpan & { readonly length: Seconds }): AsyncIterable<Rollup>
}

export type ReportsPage = { readonly count: number; readonly skip?: number }

/** What is to be told, and how far the telling is. */
export type Outbox = {
  /** Those with a larger number, oldest first, at most `count`. */
  eventsAfter(account: string, id: number, count: number): Promise<readonly OutboxEvent[]>
  /** The number of the newest; 0 where there was none. */
  lastEventId(account: string): Promise<number>
  event(account: string, key: string): Promise<OutboxEvent | undefined>
  /** The one of that topic that was last given to a sink, and not dropped. */
  lastGiven(account: string, sink: string, topic: string): Promise<OutboxEvent | undefined>
  /** Of which something is kept: what waits for them, or how far telling them is. */
  sinks(account: string): Promise<readonly string[]>
  /** What waits for a sink, what is due first before the others. */
  waiting(account: string, sink: string, count: number): Promise<readonly Delivery[]>
  /** What has waited longest, beyond the newest `most`. */
  overdue(account: string, sink: string, most: number): Promise<readonly Delivery[]>
  /** @param item as `reportItem` names it */
  report(account: string, item: string): Promise<StoredReport | undefined>
  /** Those about all teams, the newest first without the first `skip`, at most `count`. */
  reports(account: string, part: ReportsPage): Promise<readonly ArchivedReport[]>
  /** The teams that have a part of that slot, in order. */
  reportTeams(account: string, slot: string): Promise<readonly string[]>
  /** Undefined where the job never left anything. */
  memory(account: string, job: string): Promise<unknown>
}

/** Tells somebody of events. Never rejects: what could not be sent is returned. */
export type Send = (events: readonly Event[]) => Promise<readonly Event[]>

/** All ports of one account's pass. */
export type Ports = {
  readonly clock: Clock
  readonly time: ServiceTime
  readonly random: Random
  readonly service: Service
  /** The same, behind everything else that asks it: for what was, which can wait. */
  readonly background: Service
  readonly readings: Readings
  readonly store: Store
  /** What the store keeps for good. */
  readonly history: History
  readonly send: Send
}
