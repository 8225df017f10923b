import type { ConsumptionPage, Service } from '../../model/ports/service.ts'
import type { ProjectDetail, Granularity } from '../../model/service/consumption.ts'
import { fieldOf } from '../../std/field.ts'
import type { Result } from '../../std/result.ts'
import type { ServiceError } from '../../model/service/service-error.ts'
import type { Instant, Seconds } from '../../model/units.ts'
import type { ServiceClient } from '../../service/http/client.ts'
import type { ServiceOptions } from '../../service/service.ts'
import type { ServiceAccess } from '../connect/service.ts'

export type Probe = Pick<ServiceOptions, 'clock' | 'projects' | 'orgId'> &
  Pick<ServiceAccess, 'reader' | 'hosts'> & {
    readonly client: ServiceClient
    readonly service: Service
    readonly signal: AbortSignal
  }

export type Answer<Value> = Result<Value, ServiceError>

/** Or why there was no request. */
export type Probed<Value> = Answer<Value> | { readonly unasked: string }

export const probedValue = <Value>(answer: Probed<Value>): Value | undefined =>
  'ok' in answer && answer.ok ? answer.value : undefined

/** Field → records with a value in it. */
export type FieldCounts = Readonly<{ records: number; present: Readonly<Record<string, number>> }>

export type Traffic = Readonly<{
  requests: number
  refusedForRate: number
  median: Seconds
  longest: Seconds
  /** The service's minus ours; undefined if the service sends no time. */
  clock: Readonly<{ low: Seconds; high: Seconds }> | undefined
  /** Headers about rates, `name: value`. */
  rateHeaders: readonly string[]
}>

export type ProbeResult = Readonly<{
  traffic: Traffic
  /** By the service's name; undefined if not reported. */
  keyKind: string | undefined
  keys: Answer<number>
  projects: Readonly<{
    list: Answer<Readonly<{ count: number; more: boolean }>>
    /** `cursor`: the second page differs. `none`: one page has all. `repeats`: the cursor is ignored. `unproven`: too few projects. */
    paging: 'cursor' | 'none' | 'repeats' | 'unproven'
    fields: FieldCounts
    problems: readonly string[]
  }>
  sampled: number
  computes: Readonly<{
    fields: FieldCounts
    awake: number
    asleep: number
    /** Computes with a host that is not allowed: `ep-one: HOST`. */
    hostsRefused: readonly string[]
    /** Computes that slept and were awake or waking at the second look. */
    woke: readonly string[]
    problems: readonly string[]
  }>
  oneCompute: Probed<unknown>
  operations: Probed<
    Readonly<{
      count: number
      more: boolean
      oldest: Instant | undefined
    }>
  >
  detail: Probed<ProjectDetail>
  consumption: Readonly<Record<Granularity, Probed<ConsumptionPage>>>
  connectionUri: Probed<Readonly<{ role: string; database: string }>>
}>

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
