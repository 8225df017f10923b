// Results of the probes of a service, and the raw records they are counted from.
import type { Clock } from '../../model/ports/clock.ts'
import type { ConsumptionPage, Service } from '../../model/ports/service.ts'
import type { ProjectDetail, Granularity } from '../../model/service/consumption.ts'
import type { Result } from '../../std/result.ts'
import type { ServiceError } from '../../model/service/service-error.ts'
import type { Instant, Seconds } from '../../model/units.ts'
import type { ServiceClient } from '../../service/http/client.ts'

/** Role and database that readings use. */
export type ProbeCredentials = { readonly role: string; readonly database: string }

/** What the probes use. */
export type Probe = {
  readonly client: ServiceClient
  readonly service: Service
  readonly clock: Clock
  readonly projects: 'discover' | readonly string[]
  readonly orgId: string | undefined
  /** Role and database for connection strings, or why none may be requested. */
  readonly reader: ProbeCredentials | NotProbed
  readonly signal: AbortSignal
}

type Answer<Value> = Result<Value, ServiceError>

/** Field → in how many of `records` it was present and not null. */
export type FieldCounts = {
  readonly records: number
  readonly present: Readonly<Record<string, number>>
}

/**
 * `cursor`: the second page differs. `none`: one page has all projects. `repeats`: the cursor is ignored.
 * `unproven`: too few projects to tell.
 */
export type PagingSupport = 'cursor' | 'none' | 'repeats' | 'unproven'

export type ProjectsProbed = {
  /** Projects on a page of the largest size, and whether there are more. */
  readonly list: Answer<{ readonly count: number; readonly more: boolean }>
  readonly paging: PagingSupport
  readonly fields: FieldCounts
  /** Records that were not understood. */
  readonly problems: readonly string[]
}

export type ComputesProbed = {
  readonly fields: FieldCounts
  readonly awake: number
  readonly asleep: number
  /** Ids of computes that slept and were awake or waking in the second look. */
  readonly woke: readonly string[]
  readonly problems: readonly string[]
}

export type OperationsProbed = {
  readonly count: number
  readonly more: boolean
  readonly oldest: Instant | undefined
}

/** A request that was not made, with the reason. */
export type NotProbed = { readonly unasked: string }

export type Traffic = {
  readonly requests: number
  readonly refusedForRate: number
  readonly median: Seconds
  readonly longest: Seconds
  /** The service's clock minus ours; undefined if the service sends no time. */
  readonly clock: { readonly low: Seconds; readonly high: Seconds } | undefined
  /** Headers about rates, `name: value`. */
  readonly rateHeaders: readonly string[]
}

export type ProbeResult = {
  readonly traffic: Traffic
  /** The service's name of the kind of key; undefined if not reported. */
  readonly keyKind: string | undefined
  /** Number of keys that the key may list. */
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

const fieldOf = (record: unknown, name: string): unknown =>
  typeof record === 'object' && record !== null ? Reflect.get(record, name) : undefined

export const itemsAt = (body: unknown, name: string): readonly unknown[] => {
  const items = fieldOf(body, name)
  return Array.isArray(items) ? items : []
}

export const textAt = (record: unknown, name: string): string | undefined => {
  const value = fieldOf(record, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export const countFields = (records: readonly unknown[], names: readonly string[]): FieldCounts => ({
  records: records.length,
  present: Object.fromEntries(
    names.map((name) => [name, records.filter((record) => fieldOf(record, name) != null).length]),
  ),
})
