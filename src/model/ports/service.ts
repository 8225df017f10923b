// The service's HTTP API.
import type { Result } from '../../std/result.ts'
import type { ApiKey, CreatedApiKey } from '../service/api-key.ts'
import type { AutosuspendDelay, Compute, Project, Sizing } from '../service/compute.ts'
import type { Consumption, ConsumptionQuery, ProjectDetail } from '../service/consumption.ts'
import type { Operation, UnreadableOperation } from '../service/operation.ts'
import type { ServiceError } from '../service/service-error.ts'
import type { Instant } from '../units.ts'

/** Decoded item by item: one bad record never hides the others. */
export type Listing<Item> = Readonly<{
  items: readonly Item[]
  /** Unreadable items, a line each with the path: `endpoints[1].current_state: …`; the first hundred, and a line that counts the others. */
  problems: readonly string[]
  /** Readable ids of unreadable items. */
  unread?: readonly string[]
  /** An unreadable item has no readable id, so it may be any. */
  hasUnidentified?: true
}>

export type OperationListing = Listing<Operation> & {
  /** Operations with unreadable records. */
  readonly lost?: readonly UnreadableOperation[]
  /** Requests that the list took; default 1. */
  readonly requests?: number
  /** The service answered that it has no such list, or no such project. */
  readonly isAbsent?: true
}

/** A page of a list. */
export type ListPage<Item> = Listing<Item> &
  Readonly<{
    /** Cursor of the next page; undefined after the last one. */
    next: string | undefined
    /** Requests that the page took; default 1. */
    requests?: number
  }>

/** Configured projects of a page: each takes a request. */
export const CONFIGURED_PAGE = 20

/** Page of the service's own metering; `none` where the service plan, the service or the organisation has no such history. */
export type ConsumptionPage =
  | ({ readonly kind: 'page' } & ListPage<Consumption>)
  | Readonly<{ kind: 'none'; because: 'plan' | 'absent'; message: string }>

/** With its password: neither JSON nor a template nor a log line of this value shows it. */
export type ConnectionUri = { readonly reveal: () => string }

type ConnectionQuery = Readonly<{ endpointId: string; database: string; role: string }>

/** Answer to an accepted change. */
export type ChangedCompute = Readonly<{ compute: Compute; operations: readonly Operation[] }>

export type ChangedDefaults = Readonly<{ project: Project; operations: readonly Operation[] }>

export type ComputeSettings = Readonly<{
  sizing?: Sizing
  /** 0 s restores the default. */
  autosuspendDelay?: AutosuspendDelay
  branchId?: string
  disabled?: boolean
  poolerEnabled?: boolean
}>

type Cursor = string | undefined
type Answer<Value> = Promise<Result<Value, ServiceError>>

type SettingsChange = [settings: ComputeSettings, signal: AbortSignal]

type ComputeAction<Value> = (projectId: string, endpointId: string, signal: AbortSignal) => Answer<Value>

/** On the account's request allowance, most urgent first: verifying a change, the change itself, observation, reports and audits. */
export type Priority = 'verify' | 'apply' | 'poll' | 'report'

/** Lists and gets may be repeated and are retried inside; a mutation is sent once. Every method stops waiting when `signal` aborts. */
export type ServiceOperations = {
  /** Projects of the account, all pages, or only those that the configuration names. */
  listProjects(signal: AbortSignal): Answer<Listing<Project>>
  /** `cursor`: undefined for the first page. */
  listProjectsPage(cursor: Cursor, signal: AbortSignal): Answer<ListPage<Project>>
  listComputes(projectId: string, signal: AbortSignal): Answer<Listing<Compute>>
  getCompute(projectId: string, endpointId: string, signal: AbortSignal): Answer<Compute>
  /** Newest first, back to `since` or until the service has no more; empty where it has no such list. */
  listOperations(projectId: string, since: Instant, signal: AbortSignal): Answer<OperationListing>
  /** The whole history, newest first, about six months; empty where the service has no such list. */
  listOperationsPage(projectId: string, cursor: Cursor, signal: AbortSignal): Answer<ListPage<Operation>>
  /** `gone` also where the service has no such record. */
  getProjectDetail(projectId: string, signal: AbortSignal): Answer<ProjectDetail>
  /** Oldest first within a project. `refused` with status 406 where the range does not fit the granularity. */
  listConsumption(query: ConsumptionQuery, cursor: Cursor, signal: AbortSignal): Answer<ConsumptionPage>
  /** Undefined where the configuration does not allow it. `refused` with 412 where the service stores no passwords. */
  getConnectionUri(
    projectId: string,
    query: ConnectionQuery,
    signal: AbortSignal,
  ): Answer<ConnectionUri | undefined>
  createCompute(projectId: string, branchId: string, ...change: SettingsChange): Answer<ChangedCompute>
  updateCompute(projectId: string, endpointId: string, ...change: SettingsChange): Answer<ChangedCompute>
  /** What new computes get; takes effect at once on those without a value of their own. Fields that are left out stay. */
  updateDefaults(projectId: string, ...change: SettingsChange): Answer<ChangedDefaults>
  deleteCompute: ComputeAction<Compute | undefined>
  restartCompute: ComputeAction<ChangedCompute | undefined>
  startCompute: ComputeAction<ChangedCompute | undefined>
  suspendCompute: ComputeAction<ChangedCompute | undefined>
  listKeys(signal: AbortSignal): Answer<Listing<ApiKey>>
  createKey(name: string, signal: AbortSignal): Answer<CreatedApiKey>
  revokeKey(keyId: number, signal: AbortSignal): Answer<ApiKey>
}

/** Priority `poll`. */
export type Service = ServiceOperations & {
  /** Service at another priority, with the same request allowance. `maySend` decides about each mutation. */
  at(priority: Priority, maySend?: SendGuard): Service
}

/**
 * Called when a mutation is written to the socket, after it waited for the rate limiter and a connection. `false` withdraws it: the answer
 * is `unavailable`, and nothing was sent.
 */
export type SendGuard = () => boolean
