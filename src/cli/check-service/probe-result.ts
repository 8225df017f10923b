// What a service and a key showed of themselves, before anybody judges it.
import type { Clock } from '../../model/ports/clock.ts'
import type { ConsumptionPage, Service } from '../../model/ports/service.ts'
import type { ProjectDetail, Granularity } from '../../model/service/consumption.ts'
import type { Result } from '../../std/result.ts'
import type { ServiceError } from '../../model/service/service-error.ts'
import type { Instant, Seconds } from '../../model/units.ts'
import type { ServiceClient } from '../../service/http/client.ts'

/** The role and the database that readings use. */
export type ProbeCredentials = { readonly role: string; readonly database: string }

/** What asks, and what it may ask. */
export type Probe = {
  readonly client: ServiceClient
  readonly service: Service
  readonly clock: Clock
  readonly projects: 'discover' | readonly string[]
  readonly orgId: string | undefined
  /** For whom connection strings are asked. */
  readonly reader: ProbeCredentials | NotProbed
  readonly signal: AbortSignal
}

type Answer<Value> = Result<Value, ServiceError>

/** In how many of `records` each field was there and not null. */
export type FieldCounts = {
  readonly records: number
  readonly shown: Readonly<Record<string, number>>
}

/**
 * `cursor`: a second page was another one. `none`: everything comes at once. `repeats`: the cursor is ignored.
 * `unproven`: too few projects to tell.
 */
export type PagingSupport = 'cursor' | 'none' | 'repeats' | 'unproven'

export type ProjectsProbed = {
  /** How many a page of the largest size has, and whether it goes on. */
  readonly list: Answer<{ readonly count: number; readonly more: boolean }>
  readonly paging: PagingSupport
  readonly fields: FieldCounts
  /** Records that did not fit. */
  readonly problems: readonly string[]
}

export type ComputesProbed = {
  readonly fields: FieldCounts
  readonly awake: number
  readonly asleep: number
  /** Of those that slept, the ones that were awake or waking a moment later. */
  readonly woke: readonly string[]
  readonly problems: readonly string[]
}

export type OperationsProbed = {
  readonly count: number
  readonly more: boolean
  readonly oldest: Instant | undefined
}

/** What was not asked, and why. */
export type NotProbed = { readonly unasked: string }

export type Traffic = {
  readonly requests: number
  readonly refusedForRate: number
  readonly median: Seconds
  readonly longest: Seconds
  /** The service's clock less ours; undefined when it tells no time. */
  readonly clock: { readonly low: Seconds; readonly high: Seconds } | undefined
  /** Headers that speak of rates, `name: value`. */
  readonly rateHeaders: readonly string[]
}

export type ProbeResult = {
  readonly traffic: Traffic
  /** What the service calls the kind of key; undefined where it does not tell. */
  readonly keyKind: string | undefined
  /** How many keys of the account the key may list. */
  readonly keys: Answer<number>
  readonly projects: ProjectsProbed
  /** Projects whose computes were looked at. */
  readonly sampled: number
  readonly computes: ComputesProbed
  readonly oneCompute: Answer<true> | NotProbed
  readonly operations: Answer<OperationsProbed> | NotProbed
  readonly detail: Answer<ProjectDetail> | NotProbed
  readonly consumption: Readonly<Record<Granularity, Answer<ConsumptionPage> | NotProbed>>
  readonly connectionUri: Answer<ProbeCredentials> | NotProbed
}
