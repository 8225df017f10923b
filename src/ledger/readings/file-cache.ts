import type { AccumulatedCache } from '../../model/ledger/reading-state.ts'
import type { CacheReading, Reading } from '../../model/observation.ts'
import { ratio } from '../../model/units.ts'

/** The counters begin at 0 with each start of the server. Source: service interface, "Cache statistics". */
export function addCacheReading(
  before: AccumulatedCache | undefined,
  reading: Reading,
): AccumulatedCache | undefined {
  if ('missing' in reading.cache) return before
  const { hits, misses, writes } = reading.cache
  const earlier = before?.incarnation === reading.postmasterStartedAt ? before : undefined
  const growth = cacheGrowth(earlier, reading.cache)
  const totals = before ?? { totalHits: 0, totalMisses: 0, totalWrites: 0 }
  return {
    incarnation: reading.postmasterStartedAt,
    hits,
    misses,
    writes,
    totalHits: totals.totalHits + growth.hits,
    totalMisses: totals.totalMisses + growth.misses,
    totalWrites: totals.totalWrites + growth.writes,
    hitRatio: hitRatio(growth) ?? before?.hitRatio,
  }
}

type Counts = Readonly<{ hits: number; misses: number; writes: number }>

/** None where a counter fell although the server did not restart: somebody reset it. */
function cacheGrowth(earlier: Counts | undefined, later: CacheReading): Counts {
  const hits = later.hits - (earlier?.hits ?? 0)
  const misses = later.misses - (earlier?.misses ?? 0)
  const writes = later.writes - (earlier?.writes ?? 0)
  return hits < 0 || misses < 0 || writes < 0 ? { hits: 0, misses: 0, writes: 0 } : { hits, misses, writes }
}

/** Whether pages were read since the compute started; before that its counters give no hit ratio. */
export const hasCacheReads = ({ cache }: Reading): boolean =>
  !('missing' in cache) && cache.hits + cache.misses > 0

const hitRatio = ({ hits, misses }: Counts) =>
  hits + misses === 0 ? undefined : ratio(hits / (hits + misses))
