// The service's metering and history as model data. Lenient like decode.ts: an item that does not fit hides no other.
import { z } from 'zod'
import type { ChangedDefaults } from '../../model/ports/service.ts'
import type { Consumption, MaintenanceHours, ProjectDetail, Quota } from '../../model/service/consumption.ts'
import type { ConnectionUri } from '../../model/ports/service.ts'
import { firstLines } from '../../std/first-problems.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { bytes, cuMillis, DAY, millis, MINUTE, seconds } from '../../model/units.ts'
import { paginationSchema, projectSchema, decodeProject, startedIn } from './decode.ts'
import { numberSchema, optionalTextSchema, optionalTimeSchema, timestampSchema } from './fields.ts'
import {
  decodeList,
  decodeValue,
  idSchema,
  textSchema,
  valueAt,
  type DecodeProblems,
  type JsonPath,
} from './lenient.ts'
import { CONSUMPTION_PER_PAGE, MAX_METRICS, MAX_PERIODS, MAX_PIECES } from './list-limits.ts'

/** Number that may be absent. */
const count = numberSchema
  .min(0)
  .nullish()
  .transform((value) => value ?? undefined)

/** CU-seconds on the wire. */
const computeTime = count.transform((value) => (value === undefined ? undefined : cuMillis(value * 1000)))
const size = count.transform((value) => (value === undefined ? undefined : bytes(value)))
const length = count.transform((value) => (value === undefined ? undefined : seconds(value)))

const countersWire = z
  .object({
    active_time_seconds: length,
    compute_time_seconds: computeTime,
    written_data_bytes: size,
    data_transfer_bytes: size,
  })
  .transform((wire) => ({
    activeTime: wire.active_time_seconds,
    computeTime: wire.compute_time_seconds,
    writtenBytes: wire.written_data_bytes,
    transferredBytes: wire.data_transfer_bytes,
  }))

/** 0 means no limit, as an absent one does. */
const quotaWire = countersWire
  .and(z.object({ logical_size_bytes: size }))
  .transform(({ logical_size_bytes: logicalBytes, ...limits }): Quota => ({
    activeTime: limits.activeTime || undefined,
    computeTime: limits.computeTime || undefined,
    writtenBytes: limits.writtenBytes || undefined,
    transferredBytes: limits.transferredBytes || undefined,
    logicalBytes: logicalBytes || undefined,
  }))

const NO_QUOTA: Quota = {
  activeTime: undefined,
  computeTime: undefined,
  writtenBytes: undefined,
  transferredBytes: undefined,
  logicalBytes: undefined,
}

/** Milliseconds after midnight. */
const timeOfDay = (latest: number) =>
  z
    .string()
    .regex(/^\d\d:[0-5]\d$/)
    .transform((text) => millis((Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * MINUTE))
    .refine((time) => time <= latest)

/** Weekdays are 1, Monday, to 7. Source: service-facts.md, "Projects". */
const maintenanceHoursWire = z
  .object({
    weekdays: z.array(z.int().min(1).max(7)).min(1).max(7),
    start_time: timeOfDay(DAY - MINUTE),
    end_time: timeOfDay(DAY),
  })
  .refine(({ start_time: from, end_time: to }) => from !== to)
  .transform(({ weekdays, start_time: from, end_time: to }): MaintenanceHours => ({
    days: new Set(weekdays.map((day) => day % 7)),
    from,
    to,
  }))
  .nullish()
  .transform((hours) => hours ?? undefined)

/** The rest of a record is as good as without it. */
const maintenanceWire = z.union([maintenanceHoursWire, z.unknown().transform(() => 'unreadable' as const)])

const detailWire = z
  .object({
    org_id: optionalTextSchema,
    owner: z.object({ subscription_type: optionalTextSchema }).nullish(),
    consumption_period_start: optionalTimeSchema,
    consumption_period_end: optionalTimeSchema,
    maintenance_scheduled_for: optionalTimeSchema,
    settings: z.object({ quota: quotaWire.nullish(), maintenance_window: maintenanceWire }).nullish(),
  })
  .transform((wire): Omit<ProjectDetail, 'project' | 'counters'> => ({
    orgId: wire.org_id,
    subscription: wire.owner?.subscription_type,
    period:
      wire.consumption_period_start === undefined || wire.consumption_period_end === undefined
        ? undefined
        : { from: wire.consumption_period_start, to: wire.consumption_period_end },
    quota: wire.settings?.quota ?? NO_QUOTA,
    maintenanceAt: wire.maintenance_scheduled_for,
    maintenanceHours: wire.settings?.maintenance_window,
  }))

export function decodeProjectDetail(body: unknown): Result<ProjectDetail, DecodeProblems> {
  const record = valueAt(body, ['project'])
  const project = decodeValue(projectSchema, record, ['project'])
  if (!project.ok) return project
  const counters = decodeValue(countersWire, record, ['project'])
  if (!counters.ok) return counters
  const rest = decodeValue(detailWire, record, ['project'])
  return rest.ok ? ok({ ...rest.value, project: project.value, counters: counters.value }) : rest
}

export function decodeChangedDefaults(body: unknown): Result<ChangedDefaults, DecodeProblems> {
  const project = decodeProject(body)
  return project.ok ? ok({ project: project.value, operations: startedIn(body) }) : project
}

const listOfAtMost = (most: number) => z.array(z.unknown()).max(most)

/** Containers of the history, whose lists are decoded item by item. */
const projectOfHistory = z.object({ project_id: idSchema('') })
const periodWire = z.object({ period_plan: optionalTextSchema })

const metricWire = z.object({ metric_name: textSchema, value: numberSchema.min(0) })

const pieceWire = z.object({
  timeframe_start: timestampSchema,
  timeframe_end: timestampSchema,
  metrics: z.array(z.unknown()).max(MAX_METRICS).pipe(z.array(metricWire)),
})

/** A page of the history of several projects. */
export type ConsumptionWirePage = Readonly<{
  items: readonly Consumption[]
  problems: readonly string[]
  cursor: string | undefined
  /** Projects on the page: the page size counts projects. */
  projects: number
}>

export function decodeConsumption(body: unknown): Result<ConsumptionWirePage, DecodeProblems> {
  const projects = decodeValue(listOfAtMost(CONSUMPTION_PER_PAGE), valueAt(body, ['projects']), ['projects'])
  if (!projects.ok) return projects
  const paging = decodeValue(paginationSchema, body, [])
  if (!paging.ok) return paging
  const each = projects.value.map((_, index) => piecesOf(body, ['projects', index]))
  return ok({
    items: each.flatMap(({ items }) => items),
    problems: firstLines(each.flatMap(({ problems }) => problems)),
    cursor: paging.value.pagination?.cursor,
    projects: projects.value.length,
  })
}

type Pieces = { readonly items: readonly Consumption[]; readonly problems: DecodeProblems }

const unreadable = (problems: DecodeProblems): Pieces => ({ items: [], problems: [problems.join('; ')] })

function piecesOf(body: unknown, path: JsonPath): Pieces {
  const project = decodeValue(projectOfHistory, valueAt(body, path), path)
  if (!project.ok) return unreadable(project.error)
  const periods = decodeValue(listOfAtMost(MAX_PERIODS), valueAt(body, [...path, 'periods']), [
    ...path,
    'periods',
  ])
  if (!periods.ok) return unreadable(periods.error)
  const each = periods.value.map((_, index) =>
    piecesOfPeriod(body, [...path, 'periods', index], project.value.project_id),
  )
  return {
    items: each.flatMap(({ items }) => items),
    problems: each.flatMap(({ problems }) => problems),
  }
}

function piecesOfPeriod(body: unknown, path: JsonPath, projectId: string): Pieces {
  const period = decodeValue(periodWire, valueAt(body, path), path)
  if (!period.ok) return unreadable(period.error)
  const pieces = decodeList(pieceWire, body, { path: [...path, 'consumption'], most: MAX_PIECES })
  if (!pieces.ok) return unreadable(pieces.error)
  return {
    items: pieces.value.items.map((piece) => ({
      projectId,
      subscription: period.value.period_plan,
      from: piece.timeframe_start,
      to: piece.timeframe_end,
      amounts: Object.fromEntries(piece.metrics.map(({ metric_name, value }) => [metric_name, value])),
    })),
    problems: pieces.value.problems,
  }
}

const SCHEMES = ['postgresql:', 'postgres:']

/** The problem names only the path: details of a wrong secret are secret, too. */
export function decodeConnectionUri(body: unknown): Result<ConnectionUri, DecodeProblems> {
  const uri = valueAt(body, ['uri'])
  if (typeof uri !== 'string' || !SCHEMES.includes(schemeOf(uri)))
    return failed(['uri: expected a connection string of PostgreSQL'])
  return ok({ reveal: () => uri })
}

const schemeOf = (uri: string): string => uri.slice(0, uri.indexOf(':') + 1)
