// What looks and readings add to the stretch they fall in. A quantity that readings learn to tell gets its line here.
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

/** Culprits kept while a stretch goes on. Doubled, an account grows by that many names, for the sake of those that held little. */
const MOST_CULPRITS = 16
/** Each reading weighs the same: it says who held the compute awake at that moment. */
const WEIGHT = millis(1000)

/** The size that a look shows: that of an awake compute of a fixed size. */
export function observedSize({ state, sizing }: Compute): Cu | undefined {
  return state === 'active' && isFixed(sizing) ? smallestCu(sizing) : undefined
}

const isFixed = (sizing: Sizing): boolean => smallestCu(sizing) === largestCu(sizing)

export const addSizeSample = (open: OpenRollup, size: Cu, source: 'fixed' | 'estimated'): OpenRollup => ({
  ...open,
  size: {
    ...withSample(open.size, size),
    source: open.size?.source === 'estimated' ? 'estimated' : source,
  },
})

const withSample = <Value extends number>(
  known: SampleSummary<Value> | undefined,
  value: Value,
): SampleSummary<Value> =>
  known
    ? {
        count: known.count + 1,
        sum: known.sum + value,
        min: value < known.min ? value : known.min,
        max: value > known.max ? value : known.max,
      }
    : { count: 1, sum: value, min: value, max: value }

export type ReadingContext = {
  readonly compute: Compute
  readonly preset: Preset
  /** The counters that the last reading before it told. */
  readonly cacheBefore: CacheBaseline | undefined
  /** What the counters of use grew by since the reading before; undefined where there is none to compare with. */
  readonly grown: UsageDelta | undefined
}

export function addReadingSample(open: OpenRollup, reading: Reading, context: ReadingContext): OpenRollup {
  const read = { ...open, readings: open.readings + 1 }
  const sized = withEstimate(withConnections(read, reading), reading, context)
  const used = withLongest(withUse(withHeld(sized, reading, context.grown), context.grown), reading)
  return withWorkingSet(withCache(used, reading, context.cacheBefore), reading)
}

/** Refused for want of a free connection: all that clients may have are taken, in states nobody can tell. */
export const addConnectionLimitHit = (open: OpenRollup, limit: number): OpenRollup => ({
  ...open,
  connections: peaksOf(open.connections, { active: 0, idle: 0, idleInTransaction: 0, other: limit }),
})

const withConnections = (open: OpenRollup, { connections }: Reading): OpenRollup =>
  'missing' in connections ? open : { ...open, connections: peaksOf(open.connections, connections) }

const peaksOf = (known: ConnectionPeaks | undefined, seen: ConnectionCounts): ConnectionPeaks => ({
  count: (known?.count ?? 0) + 1,
  all: peak(known?.all, seen.active + seen.idle + seen.idleInTransaction + seen.other),
  active: peak(known?.active, seen.active),
  idle: peak(known?.idle, seen.idle),
  idleInTransaction: peak(known?.idleInTransaction, seen.idleInTransaction),
  other: peak(known?.other, seen.other),
})

const peak = (known: SumAndPeak | undefined, value: number): SumAndPeak => ({
  sum: (known?.sum ?? 0) + value,
  max: Math.max(known?.max ?? 0, value),
})

function withEstimate(open: OpenRollup, { cacheLimit }: Reading, context: ReadingContext): OpenRollup {
  const { sizing } = context.compute
  if (cacheLimit === undefined || isFixed(sizing)) return open
  const size = currentCu(cacheLimit, sizing, context.preset)
  return size === undefined ? open : addSizeSample(open, size, 'estimated')
}

function withHeld(open: OpenRollup, reading: Reading, grown: UsageDelta | undefined): OpenRollup {
  const sum = new Map(Object.entries(open.attribution))
  for (const [key, time] of Object.entries(attributeAt(reading, grown, WEIGHT)))
    sum.set(key, millis((sum.get(key) ?? 0) + time))
  const most = [...sum].toSorted(([, a], [, b]) => b - a).slice(0, MOST_CULPRITS)
  return { ...open, attribution: Object.fromEntries(most) }
}

function withUse(open: OpenRollup, grown: UsageDelta | undefined): OpenRollup {
  if (!grown) return open
  const sum = open.use ?? { arrivals: 0, activeTime: 0, over: 0 }
  return {
    ...open,
    use: {
      arrivals: sum.arrivals + grown.arrivals,
      activeTime: millis(sum.activeTime + grown.activeTime),
      over: millis(sum.over + grown.span),
    },
  }
}

function withLongest(open: OpenRollup, { causes }: Reading): OpenRollup {
  const age = 'missing' in causes ? undefined : causes.longestTransaction
  if (age === undefined) return open
  return { ...open, longestTransaction: seconds(Math.max(age, open.longestTransaction ?? 0)) }
}

function withWorkingSet(open: OpenRollup, { workingSet }: Reading): OpenRollup {
  const longest = 'missing' in workingSet ? undefined : workingSet.at(-1)
  if (!longest) return open
  return { ...open, workingSet: bytes(Math.max(longest.size, open.workingSet ?? 0)) }
}

/** Counters begin at 0 with the server; those that fell without a new start were reset, and tell nothing until the next reading. */
function withCache(
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

/** What the next reading's counters are compared with. */
export const cacheBaselineOf = (
  { cache, postmasterStartedAt, serverTime }: Reading,
  before: CacheBaseline | undefined,
): CacheBaseline | undefined =>
  'missing' in cache
    ? before
    : { incarnation: postmasterStartedAt, at: serverTime, hits: cache.hits, misses: cache.misses }
