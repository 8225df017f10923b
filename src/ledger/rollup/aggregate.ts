// Adds looks and readings to the bucket they fall in. A new quantity of a reading gets its line here.
import { isFixed, smallestCu, type Compute } from '../../model/service/compute.ts'
import { ifRead, type CacheReading, type ConnectionCounts, type Reading } from '../../model/observation.ts'
import type {
  ConnectionPeaks,
  CacheBaseline,
  OpenRollup,
  SumAndPeak,
  SampleSummary,
} from '../../model/ledger/rollup.ts'
import { currentCu, type Preset } from '../../model/service/sizes.ts'
import { millis, type Cu } from '../../model/units.ts'
import { attributeAt } from '../attribution/causes.ts'
import type { UsageDelta } from '../evidence/usage-delta.ts'

/** Culprits of a bucket in progress: the five largest are among them, and entries stay small. */
const MAX_CULPRITS = 16
/** Weight of a reading in the attribution: each is a sample of what kept the compute awake. */
const WEIGHT = millis(1000)

/** Size that a look shows; undefined unless the compute is awake and of a fixed size. */
export function observedSize({ state, sizing }: Compute): Cu | undefined {
  return state === 'active' && isFixed(sizing) ? smallestCu(sizing) : undefined
}

export const addSizeSample = (open: OpenRollup, size: Cu, source: 'fixed' | 'estimated'): OpenRollup => ({
  ...open,
  size: { ...addSample(open.size, size), source: open.size?.source === 'estimated' ? 'estimated' : source },
})

const addSample = <Value extends number>(summary: SampleSummary<Value> | undefined, value: Value) =>
  summary
    ? {
        count: summary.count + 1,
        sum: summary.sum + value,
        min: value < summary.min ? value : summary.min,
        max: value > summary.max ? value : summary.max,
      }
    : { count: 1, sum: value, min: value, max: value }

type ReadingContext = Readonly<{
  compute: Compute
  preset: Preset
  /** Cache counters of the reading before. */
  cacheBefore: CacheBaseline | undefined
  /** Since the reading before; undefined where there is none to compare with. */
  growth: UsageDelta | undefined
}>

export function addReadingSample(before: OpenRollup, reading: Reading, context: ReadingContext): OpenRollup {
  const { growth, cacheBefore } = context
  const open = addSizeEstimate(before, reading, context)
  const [cache, connections] = [ifRead(reading.cache), ifRead(reading.connections)]
  return {
    ...open,
    readings: open.readings + 1,
    connections: connections ? peaksOf(open.connections, connections) : open.connections,
    connectionLimit: smaller(open.connectionLimit, reading.maxConnections - reading.reservedConnections),
    attribution: addAttribution(open.attribution, reading, growth),
    use: growth ? addUsageGrowth(open.use, growth) : open.use,
    longestTransaction: larger(open.longestTransaction, ifRead(reading.causes)?.longestTransaction),
    ...(cache &&
      cache.used >= (open.cacheUsed ?? 0) && { cacheUsed: cache.used, cacheLimit: reading.cacheLimit }),
    cache: cache ? addCacheGrowth(open.cache, { ...reading, cache }, cacheBefore) : open.cache,
    workingSet: larger(open.workingSet, ifRead(reading.workingSet)?.at(-1)?.size),
  }
}

const larger = <Value extends number>(a: Value | undefined, b: Value | undefined) =>
  b === undefined || (a !== undefined && a > b) ? a : b

const smaller = (a: number | undefined, b: number) => Math.min(a ?? b, b)

/** A suspension ended the sessions of `idle` clients. */
export const addIdleAtSuspension = (open: OpenRollup, idle: number): OpenRollup => ({
  ...open,
  idleAtSuspension: { count: (open.idleAtSuspension?.count ?? 0) + 1, ...peak(open.idleAtSuspension, idle) },
})

/** No connection was free: clients held all of theirs, in unknown states. */
export const addConnectionLimitHit = (open: OpenRollup, limit: number): OpenRollup => ({
  ...open,
  connectionLimit: smaller(open.connectionLimit, limit),
  connections: peaksOf(open.connections, { active: 0, idle: 0, idleInTransaction: 0, other: limit }),
})

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

function addAttribution(
  attribution: OpenRollup['attribution'],
  reading: Reading,
  growth: UsageDelta | undefined,
): OpenRollup['attribution'] {
  const sum = new Map(Object.entries(attribution))
  for (const [key, time] of Object.entries(attributeAt(reading, growth, WEIGHT)))
    sum.set(key, millis((sum.get(key) ?? 0) + time))
  return Object.fromEntries([...sum].toSorted(([, a], [, b]) => b - a).slice(0, MAX_CULPRITS))
}

const addUsageGrowth = (sum: OpenRollup['use'], growth: UsageDelta): OpenRollup['use'] => ({
  arrivals: (sum?.arrivals ?? 0) + growth.arrivals,
  activeTime: millis((sum?.activeTime ?? 0) + growth.activeTime),
  over: millis((sum?.over ?? 0) + growth.span),
})

/** Warm-up of a server, 10 min, ms: the first touch of each page misses. Proposed, not measured. */
const WARM_UP = 600_000

/** Counters begin at 0 with the server; if they fell without a new start, they were reset, and add nothing until the next reading. */
function addCacheGrowth(
  sum: OpenRollup['cache'],
  { cache, postmasterStartedAt, serverTime }: Reading & { cache: CacheReading },
  baseline: CacheBaseline | undefined,
) {
  const isSameServer = baseline?.incarnation === postmasterStartedAt
  const earlier = isSameServer ? baseline : { at: postmasterStartedAt, hits: 0, misses: 0 }
  const [hits, misses] = [cache.hits - earlier.hits, cache.misses - earlier.misses]
  if (hits < 0 || misses < 0) return sum
  const before = sum ?? { hits: 0, misses: 0, warmHits: 0, warmMisses: 0, over: 0 }
  const isWarm = earlier.at >= postmasterStartedAt + WARM_UP
  return {
    hits: before.hits + hits,
    misses: before.misses + misses,
    warmHits: before.warmHits + (isWarm ? hits : 0),
    warmMisses: before.warmMisses + (isWarm ? misses : 0),
    over: millis(before.over + serverTime - earlier.at),
  }
}

/** For the next reading. */
export const cacheBaselineOf = (
  { cache, postmasterStartedAt, serverTime }: Reading,
  before: CacheBaseline | undefined,
): CacheBaseline | undefined =>
  'missing' in cache
    ? before
    : { incarnation: postmasterStartedAt, at: serverTime, hits: cache.hits, misses: cache.misses }
