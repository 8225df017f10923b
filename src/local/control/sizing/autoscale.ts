// The size that the service's autoscaler aims at (service-facts 10). Internal unit: 0.25 CU, which is 0.25 CPU and 1 GiB.
import { type Draft, withCompute, withEffects } from '../draft.ts'
import type { Compute } from '../project.ts'
import { resizeMeter } from '../usage/meter.ts'

/** Demand on one compute; parts without data do not count. */
export type Demand = {
  /** Average number of processes that want a CPU, in the last minute and in the last five. */
  readonly load: Load | undefined
  /** Bytes in use, and bytes the file cache holds. */
  readonly memory: { readonly used: number; readonly cached: number } | undefined
  /** Distinct pages touched in the last 1, 2, … minutes. */
  readonly workingSet: readonly number[] | undefined
}

export type Load = { readonly oneMinute: number; readonly fiveMinutes: number }

/** Limits between which the two load averages blend: shares of the five-minute average. */
export type Zones = { readonly stable: number; readonly mixed: number }

/** The published defaults: the one-minute average alone counts. */
const PUBLISHED: Zones = { stable: 0, mixed: 0 }

const UNIT = 0.25
const GIB = 2 ** 30
const PAGE = 8192

/** Shares of a size that may be used: CPU, memory without and with the cached working set, memory for the file cache. */
const CPU_SHARE = 0.9
const MEMORY_SHARE = 0.75
const TOTAL_SHARE = 0.9
const CACHE_SHARE = 0.75

/** The goal within `[minCu, maxCu]`; the minimum without data. */
export function goalCu(
  demand: Demand,
  { minCu, maxCu }: { readonly minCu: number; readonly maxCu: number },
  zones: Zones = PUBLISHED,
): number {
  const { load, memory, workingSet } = demand
  const pages = workingSet && projectedPages(workingSet)
  const units = [
    load && Math.round(blendedLoad(load, zones) / CPU_SHARE / UNIT),
    memory && memoryUnits(memory, pages),
    pages === undefined ? undefined : (pages * PAGE) / CACHE_SHARE / GIB,
  ].filter((part) => part !== undefined)
  return Math.min(maxCu, Math.max(minCu, UNIT * Math.ceil(Math.max(0, ...units))))
}

/** Weighted average of both loads: the closer they are, the more the longer one counts. */
function blendedLoad({ oneMinute, fiveMinutes }: Load, { stable, mixed }: Zones): number {
  const difference = Math.abs(oneMinute - fiveMinutes)
  const from = stable * fiveMinutes
  const to = from + mixed * fiveMinutes
  const weight = difference <= from ? 0 : difference >= to ? 1 : (difference - from) / (to - from)
  return weight * oneMinute + (1 - weight) * fiveMinutes
}

function memoryUnits(
  { used, cached }: { readonly used: number; readonly cached: number },
  workingSetPages: number | undefined,
): number {
  const withoutCache = used / MEMORY_SHARE
  const withCache =
    workingSetPages === undefined ? 0 : (Math.min(workingSetPages * PAGE, cached) + used) / TOTAL_SHARE
  return Math.max(withoutCache, withCache) / GIB
}

/** Minutes over which growth is compared, the first minute compared, and the ratio of growth that marks a jump. */
const WINDOW = 4
const OFFSET = 4
const JUMP = 3
const MIN_LENGTH = OFFSET + WINDOW + 1

/** Projected size of the working set: its size before it jumps, plus half a step of its growth. Undefined for short series. */
export function projectedPages(series: readonly number[]): number | undefined {
  if (series.length < MIN_LENGTH) return undefined
  const at = (index: number): number => series[index] ?? 0
  const estimate = estimatedPages(series)
  let length = OFFSET
  while (length < series.length && at(length) <= estimate) length += 1
  const projections = series.slice(1, length).map((value, index) => {
    const before = at(index)
    const after = Math.max(before, value)
    return after + 0.5 * (after - before)
  })
  return Math.max(at(0), ...projections)
}

function estimatedPages(series: readonly number[]): number {
  const at = (index: number): number => series[index] ?? 0
  for (let index = OFFSET; index < series.length - WINDOW; index += 1) {
    const before = Math.max(0, at(index) - at(index - WINDOW))
    const after = Math.max(0, at(index + WINDOW) - at(index))
    if (after > JUMP * before) return at(index)
  }
  return at(series.length - 1)
}

/** Load after `running` processes wanted a CPU for `span` minutes: exponentially damped averages. */
export const loadAfter = ({ oneMinute, fiveMinutes }: Load, running: number, span: number): Load => ({
  oneMinute: damped(oneMinute, running, span),
  fiveMinutes: damped(fiveMinutes, running, span / 5),
})

const damped = (average: number, value: number, span: number): number =>
  value + (average - value) * Math.exp(-span)

/** Resizes an awake compute to the goal within its range. Nothing restarts and no client is dropped (S-67). */
export function resizeTo(draft: Draft, compute: Compute, goal: number): Draft {
  const { minCu, maxCu } = compute.config
  const cu = Math.min(maxCu, Math.max(minCu, goal))
  if (compute.state !== 'active' || compute.pending || cu === compute.meter.open?.cu) return draft
  const { meter, interval } = resizeMeter(compute.meter, cu, draft.context.now)
  if (!interval) return draft
  const { id: endpointId, updatedAt } = compute
  return withEffects(
    withCompute(draft, endpointId, { meter, updatedAt }),
    { kind: 'write-interval', endpointId, interval },
    { kind: 'resize', endpointId, cu },
  )
}
