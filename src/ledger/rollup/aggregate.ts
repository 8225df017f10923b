// Adds looks and readings to the bucket they fall in. A new quantity of a reading gets its line here.
import { largestCu, smallestCu, type Compute, type Sizing } from '../../model/service/compute.ts'
import type { ConnectionCounts, Reading } from '../../model/observation.ts'
import type {
  ConnectionPeaks,
  CacheBaseline,
  OpenRollup,
  SumAndPeak,
  SampleSummary,
} from '../../model/ledger/rollup.ts'
import { currentCu, type Preset } from '../../model/service/sizes.ts'
import { bytes, millis, seconds, type Cu } from '../../model/units.ts'
import { attributeAt } from '../attribution/causes.ts'
import type { UsageDelta } from '../evidence/usage-delta.ts'

/** Culprits of a bucket in progress: enough that the five largest are among them, few enough to keep entries small. */
const MAX_CULPRITS = 16
/** Weight of a reading in the attribution: each one counts the same, as a sample of what kept the compute awake. */
const WEIGHT = millis(1000)

/** Size that a look shows; undefined unless the compute is awake and of a fixed size. */
export function observedSize({ state, sizing }: Compute): Cu | undefined {
  return state === 'active' && isFixed(sizing) ? smallestCu(sizing) : undefined
}

const isFixed = (sizing: Sizing): boolean => smallestCu(sizing) === largestCu(sizing)

export const addSizeSample = (open: OpenRollup, size: Cu, source: 'fixed' | 'estimated'): OpenRollup => ({
  ...open,
  size: {
    ...addSample(open.size, size),
    source: open.size?.source === 'estimated' ? 'estimated' : source,
  },
})

const addSample = <Value extends number>(
  summary: SampleSummary<Value> | undefined,
  value: Value,
): SampleSummary<Value> =>
  summary
    ? {
        count: summary.count + 1,
        sum: summary.sum + value,
        min: value < summary.min ? value : summary.min,
        max: value > summary.max ? value : summary.max,
      }
    : { count: 1, sum: value, min: value, max: value }

export type ReadingContext = {
  readonly compute: Compute
  readonly preset: Preset
  /** Cache counters of the reading before. */
  readonly cacheBefore: CacheBaseline | undefined
  /** Growth of the usage counters since the reading before; undefined where there is none to compare with. */
  readonly growth: UsageDelta | undefined
}

export function addReadingSample(open: OpenRollup, reading: Reading, context: ReadingContext): OpenRollup {
  const counted = { ...open, readings: open.readings + 1 }
  const sized = addSizeEstimate(addConnections(counted, reading), reading, context)
  const attributed = addAttribution(sized, reading, context.growth)
  const used = addLongestTransaction(addUsageGrowth(attributed, context.growth), reading)
  return addWorkingSet(addCacheGrowth(used, reading, context.cacheBefore), reading)
}

/** Adds a reading refused because no connection was free: clients held all of theirs, in unknown states. */
export const addConnectionLimitHit = (open: OpenRollup, limit: number): OpenRollup => ({
  ...open,
  connections: peaksOf(open.connections, { active: 0, idle: 0, idleInTransaction: 0, other: limit }),
})

const addConnections = (open: OpenRollup, { connections }: Reading): OpenRollup =>
  'missing' in connections ? open : { ...open, connections: peaksOf(open.connections, connections) }

const peaksOf = (before: ConnectionPeaks | undefined, counts: ConnectionCounts): ConnectionPeaks => ({
  count: (before?.count ?? 0) + 1,
  all: peak(before?.all, counts.active + counts.idle + counts.idleInTransaction + counts.other),
  active: peak(before?.active, counts.active),
  idle: peak(before?.idle, counts.idle),
  idleInTransaction: peak(before?.idleInTransaction, counts.idleInTransaction),
  other: peak(before?.other, counts.other),
})

const peak = (before: SumAndPeak | undefined, value: number): SumAndPeak => ({
  sum: (before?.sum ?? 0) + value,
  max: Math.max(before?.max ?? 0, value),
})

function addSizeEstimate(open: OpenRollup, { cacheLimit }: Reading, context: ReadingContext): OpenRollup {
  const { sizing } = context.compute
  if (cacheLimit === undefined || isFixed(sizing)) return open
  const size = currentCu(cacheLimit, sizing, context.preset)
  return size === undefined ? open : addSizeSample(open, size, 'estimated')
}

function addAttribution(open: OpenRollup, reading: Reading, growth: UsageDelta | undefined): OpenRollup {
  const sum = new Map(Object.entries(open.attribution))
  for (const [key, time] of Object.entries(attributeAt(reading, growth, WEIGHT)))
    sum.set(key, millis((sum.get(key) ?? 0) + time))
  const largest = [...sum].toSorted(([, a], [, b]) => b - a).slice(0, MAX_CULPRITS)
  return { ...open, attribution: Object.fromEntries(largest) }
}

function addUsageGrowth(open: OpenRollup, growth: UsageDelta | undefined): OpenRollup {
  if (!growth) return open
  const sum = open.use ?? { arrivals: 0, activeTime: 0, over: 0 }
  return {
    ...open,
    use: {
      arrivals: sum.arrivals + growth.arrivals,
      activeTime: millis(sum.activeTime + growth.activeTime),
      over: millis(sum.over + growth.span),
    },
  }
}

function addLongestTransaction(open: OpenRollup, { causes }: Reading): OpenRollup {
  const age = 'missing' in causes ? undefined : causes.longestTransaction
  if (age === undefined) return open
  return { ...open, longestTransaction: seconds(Math.max(age, open.longestTransaction ?? 0)) }
}

function addWorkingSet(open: OpenRollup, { workingSet }: Reading): OpenRollup {
  const longest = 'missing' in workingSet ? undefined : workingSet.at(-1)
  if (!longest) return open
  return { ...open, workingSet: bytes(Math.max(longest.size, open.workingSet ?? 0)) }
}

/** Counters begin at 0 with the server. Counters that fell without a new start were reset, and add nothing until the next reading. */
function addCacheGrowth(
  open: OpenRollup,
  { cache, postmasterStartedAt, serverTime }: Reading,
  before: CacheBaseline | undefined,
): OpenRollup {
  if ('missing' in cache) return open
  const earlier =
    before?.incarnation === postmasterStartedAt ? before : { at: postmasterStartedAt, hits: 0, misses: 0 }
  const used = { ...open, cacheUsed: bytes(Math.max(cache.used, open.cacheUsed ?? 0)) }
  const [hits, misses] = [cache.hits - earlier.hits, cache.misses - earlier.misses]
  if (hits < 0 || misses < 0) return used
  const sum = open.cache ?? { hits: 0, misses: 0, over: 0 }
  return {
    ...used,
    cache: {
      hits: sum.hits + hits,
      misses: sum.misses + misses,
      over: millis(sum.over + serverTime - earlier.at),
    },
  }
}

/** Baseline for the next reading's cache counters. */
export const cacheBaselineOf = (
  { cache, postmasterStartedAt, serverTime }: Reading,
  before: CacheBaseline | undefined,
): CacheBaseline | undefined =>
  'missing' in cache
    ? before
    : { incarnation: postmasterStartedAt, at: serverTime, hits: cache.hits, misses: cache.misses }
