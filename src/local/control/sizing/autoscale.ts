// Goal of the service's autoscaler (service-facts 10). Unit: 0.25 CU, which is 0.25 CPU and 1 GiB.
import { type Draft, withCompute, withEffects } from '../draft.ts'
import type { Compute, SizeRange } from '../project.ts'
import { resizeMeter } from '../usage/meter.ts'

/** Parts without data do not count. */
type Demand = Readonly<{
  /** Processes that want a CPU, average of the last minute; by the published defaults longer averages do not count. */
  load: number | undefined
  /** Bytes in use and in the file cache. */
  memory: Readonly<{ used: number; cached: number }> | undefined
  /** Distinct pages touched in the last 1, 2, … minutes. */
  workingSet: readonly number[] | undefined
}>

const UNIT = 0.25
const GIB = 2 ** 30
const PAGE = 8192

/** Usable shares of a size: CPU, memory without and with the cached working set, memory for the file cache. */
const CPU_SHARE = 0.9
const MEMORY_SHARE = 0.75
const TOTAL_SHARE = 0.9
const CACHE_SHARE = 0.75

/** The goal within `[minCu, maxCu]`; the minimum without data. */
export function goalCu(demand: Demand, { minCu, maxCu }: SizeRange): number {
  const { load = 0, memory = { used: 0, cached: 0 }, workingSet = [] } = demand
  const cacheBytes = PAGE * (projectedPages(workingSet) ?? 0)
  const withCache = memory.used + Math.min(cacheBytes, memory.cached)
  const units = Math.max(
    Math.round(load / CPU_SHARE / UNIT),
    memory.used / MEMORY_SHARE / GIB,
    withCache / TOTAL_SHARE / GIB,
    cacheBytes / CACHE_SHARE / GIB,
  )
  return Math.min(maxCu, Math.max(minCu, UNIT * Math.ceil(units)))
}

/** Minutes over which growth is compared, the first minute compared, and the growth that is a jump. */
const WINDOW = 4
const OFFSET = 4
const JUMP = 3
const MIN_LENGTH = OFFSET + WINDOW + 1

/** The working set before it jumps, plus half a step of its growth. Undefined for short series. */
export function projectedPages(series: readonly number[]): number | undefined {
  if (series.length < MIN_LENGTH) return undefined
  const at = (index: number) => series[index] ?? 0
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
  const at = (index: number) => series[index] ?? 0
  for (let index = OFFSET; index < series.length - WINDOW; index += 1) {
    const before = Math.max(0, at(index) - at(index - WINDOW))
    const after = Math.max(0, at(index + WINDOW) - at(index))
    if (after > JUMP * before) return at(index)
  }
  return at(series.length - 1)
}

/** Load after `running` processes for `span` minutes: exponentially damped. */
export const loadAfter = (load: number, running: number, span: number): number =>
  running + (load - running) * Math.exp(-span)

/** Resizes an awake compute within its range. Nothing restarts, no client is dropped (S-67). */
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
