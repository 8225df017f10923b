// What looks and readings add to the stretch they fall in. A quantity that readings learn to tell gets its line here.
import { largestCu, smallestCu, type Compute, type Sizing } from '../../model/compute.ts'
import type { Connections, Reading } from '../../model/observation.ts'
import type { ConnectionSpread, CountedCache, OpenRollup } from '../../model/rollup.ts'
import { currentCu, type Preset } from '../../model/sizes.ts'
import { bytes, millis, type Cu } from '../../model/units.ts'
import { withSample } from './spread.ts'

/** Names kept while a stretch goes on. Doubled, an account grows by that many names, for the sake of applications that few sessions have. */
const MOST_NAMES = 16
/** An application names itself, in 63 bytes at most as Postgres cuts it. */
const LONGEST_NAME = 63

/** The size that a look shows: that of an awake compute of a fixed size. */
export function sizeSeen({ state, sizing }: Compute): Cu | undefined {
  return state === 'active' && isFixed(sizing) ? smallestCu(sizing) : undefined
}

const isFixed = (sizing: Sizing): boolean => smallestCu(sizing) === largestCu(sizing)

export const withSize = (open: OpenRollup, size: Cu, source: 'fixed' | 'estimated'): OpenRollup => ({
  ...open,
  size: {
    ...withSample(open.size, size),
    source: open.size?.source === 'estimated' ? 'estimated' : source,
  },
})

export type ReadingContext = {
  readonly compute: Compute
  readonly preset: Preset
  /** The counters that the last reading before it told. */
  readonly cacheBefore: CountedCache | undefined
}

export function withReading(open: OpenRollup, reading: Reading, context: ReadingContext): OpenRollup {
  const read = { ...open, readings: open.readings + 1 }
  const sized = withEstimate(withConnections(read, reading), reading, context)
  return withCache(withSessions(sized, reading), reading, context.cacheBefore)
}

/** Refused for want of a free connection: all that clients may have are taken, in states nobody can tell. */
export const withAllTaken = (open: OpenRollup, limit: number): OpenRollup => ({
  ...open,
  connections: spreadOf(open.connections, { active: 0, idle: 0, idleInTransaction: 0, other: limit }),
})

const withConnections = (open: OpenRollup, { connections }: Reading): OpenRollup =>
  'missing' in connections ? open : { ...open, connections: spreadOf(open.connections, connections) }

const spreadOf = (known: ConnectionSpread | undefined, seen: Connections): ConnectionSpread => ({
  active: withSample(known?.active, seen.active),
  idle: withSample(known?.idle, seen.idle),
  idleInTransaction: withSample(known?.idleInTransaction, seen.idleInTransaction),
  other: withSample(known?.other, seen.other),
})

function withEstimate(open: OpenRollup, { cacheLimit }: Reading, context: ReadingContext): OpenRollup {
  const { sizing } = context.compute
  if (cacheLimit === undefined || isFixed(sizing)) return open
  const size = currentCu(cacheLimit, sizing, context.preset)
  return size === undefined ? open : withSize(open, size, 'estimated')
}

function withSessions(open: OpenRollup, { clients }: Reading): OpenRollup {
  if ('missing' in clients) return open
  const seen = clients.map(({ application, connections }) => [application, connections] as const)
  return { ...open, sessions: withNames(open.sessions, seen) }
}

/** The names with the most sessions; what the least of a crowd held is forgotten. */
function withNames(
  known: OpenRollup['sessions'],
  seen: readonly (readonly [name: string, count: number])[],
): OpenRollup['sessions'] {
  const sum = new Map(Object.entries(known))
  for (const [name, count] of seen) {
    const short = name.slice(0, LONGEST_NAME)
    sum.set(short, (sum.get(short) ?? 0) + count)
  }
  const most = [...sum].toSorted(([, a], [, b]) => b - a).slice(0, MOST_NAMES)
  return Object.fromEntries(most)
}

/** Counters begin at 0 with the server; those that fell without a new start were reset, and tell nothing until the next reading. */
function withCache(
  open: OpenRollup,
  { cache, postmasterStartedAt, serverTime }: Reading,
  before: CountedCache | undefined,
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
export const countedBy = (
  { cache, postmasterStartedAt, serverTime }: Reading,
  before: CountedCache | undefined,
): CountedCache | undefined =>
  'missing' in cache
    ? before
    : { incarnation: postmasterStartedAt, at: serverTime, hits: cache.hits, misses: cache.misses }
