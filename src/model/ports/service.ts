// The service's HTTP API.
import type { Result } from '../../std/result.ts'
import type { ApiKey, CreatedApiKey } from '../service/api-key.ts'
import type { AutosuspendDelay, Compute, Project, Sizing } from '../service/compute.ts'
import type { Consumption, ConsumptionQuery, ProjectDetail } from '../service/consumption.ts'
import type { Operation, UnreadableOperation } from '../service/operation.ts'
import type { ServiceError } from '../service/service-error.ts'
import type { Instant } from '../units.ts'

/** A list decoded item by item: one bad record never hides the others. */
export type Listing<Item> = Readonly<{
  items: readonly Item[]
  /** Unreadable items, one line each with the path: `endpoints[1].current_state: …`. */
  problems: readonly string[]
  /** Ids of unreadable items, as far as the ids are readable. */
  unread?: readonly string[]
}>

export type OperationListing = Listing<Operation> &
  Readonly<{
    /** Operations with unreadable records. */
    lost?: readonly UnreadableOperation[]
    /** The service answered that it has no such list, or no such project. */
    isAbsent?: true
  }>

/** A page of a list. */
export type ListPage<Item> = Listing<Item> &
  Readonly<{
    /** Cursor of the next page; undefined after the last one. */
    next: string | undefined
    /** Requests that the page took; default 1. */
    requests?: number
  }>

/** Most projects of a page of configured projects, 20: each of them takes a request. */
export const CONFIGURED_PAGE = 20

/** A page of the service's own metering history; `none` where the service plan, the service or the organisation has no such history. */
export type ConsumptionPage =
  | ({ readonly kind: 'page' } & ListPage<Consumption>)
  | Readonly<{ kind: 'none'; because: 'plan' | 'absent'; message: string }>

/** A connection string with its password. Neither JSON nor a template nor a log line of this value shows it. */
export type ConnectionUri = { readonly reveal: () => string }

type ConnectionQuery = Readonly<{
  endpointId: string
  database: string
  role: string
}>

/** Answer to an accepted change. */
export type ChangedCompute = Readonly<{ compute: Compute; operations: readonly Operation[] }>

export type ComputeSettings = Readonly<{
  sizing?: Sizing
  /** 0 s restores the default. */
  autosuspendDelay?: AutosuspendDelay
  branchId?: string
  disabled?: boolean
}>

type Answer<Value> = Promise<Result<Value, ServiceError>>

type SettingsChange = [settings: ComputeSettings, signal: AbortSignal]

type ComputeAction<Value> = (projectId: string, endpointId: string, signal: AbortSignal) => Answer<Value>

/**
 * Priority on the account's request allowance, most urgent first: verification of a change, the change itself, observation, reports
 * and audits.
 */
export type Priority = 'verify' | 'apply' | 'poll' | 'report'

/**
 * The service's HTTP API. Lists and gets may be repeated and are retried inside; a mutation is sent once and never repeated.
 * Every method stops waiting when `signal` aborts.
 */
export type ServiceOperations = {
  /** Every project of the account, all pages, or only the projects that the configuration names. */
  listProjects(signal: AbortSignal): Answer<Listing<Project>>
  /** A page of that list; `cursor` is undefined for the first one. */
  listProjectsPage(cursor: string | undefined, signal: AbortSignal): Answer<ListPage<Project>>
  listComputes(projectId: string, signal: AbortSignal): Answer<Listing<Compute>>
  getCompute(projectId: string, endpointId: string, signal: AbortSignal): Answer<Compute>
  /** Newest first, back to those created at `since` or until the service has no more; empty where the service has no such list. */
  listOperations(projectId: string, since: Instant, signal: AbortSignal): Answer<OperationListing>
  /** Page of the whole history, newest first, back to about six months; the first page without `cursor`. Empty where the service has no such list. */
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
  /** Undefined, without a request, where the configuration does not allow it. `refused` with 412 where the service stores no passwords. */
  getConnectionUri(
    projectId: string,
    query: ConnectionQuery,
    signal: AbortSignal,
  ): Answer<ConnectionUri | undefined>
  createCompute(projectId: string, branchId: string, ...change: SettingsChange): Answer<ChangedCompute>
  updateCompute(projectId: string, endpointId: string, ...change: SettingsChange): Answer<ChangedCompute>
  deleteCompute: ComputeAction<Compute | undefined>
  restartCompute: ComputeAction<ChangedCompute | undefined>
  startCompute: ComputeAction<ChangedCompute | undefined>
  suspendCompute: ComputeAction<ChangedCompute | undefined>
  listKeys(signal: AbortSignal): Answer<Listing<ApiKey>>
  createKey(name: string, signal: AbortSignal): Answer<CreatedApiKey>
  revokeKey(keyId: number, signal: AbortSignal): Answer<ApiKey>
}

/** Operations with priority `poll`, and a way to choose another. */
export type Service = ServiceOperations & {
  /** Same service and request allowance at another priority. */
  at(priority: Priority): Service
}
