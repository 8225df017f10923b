import type { AccumulatedCache } from '../../model/ledger/reading-counters.ts'
import type { CacheReading, Reading } from '../../model/observation.ts'
import { ratio, type Ratio } from '../../model/units.ts'

/**
 * Carries the counters of the file cache over restarts of the compute: within one incarnation what they grew by, from a
 * new one all of it, because they begin at 0 with the server. Source: service interface, "Cache statistics".
 */
export function addCacheReading(
  account: AccumulatedCache | undefined,
  reading: Reading,
): AccumulatedCache | undefined {
  if ('missing' in reading.cache) return account
  const { hits, misses, writes } = reading.cache
  const earlier = account?.incarnation === reading.postmasterStartedAt ? account : undefined
  const grown = grownBy(earlier, reading.cache)
  const totals = account ?? { totalHits: 0, totalMisses: 0, totalWrites: 0 }
  return {
    incarnation: reading.postmasterStartedAt,
    hits,
    misses,
    writes,
    totalHits: totals.totalHits + grown.hits,
    totalMisses: totals.totalMisses + grown.misses,
    totalWrites: totals.totalWrites + grown.writes,
    hitRatio: hitRatio(grown) ?? account?.hitRatio,
  }
}

type Counts = { readonly hits: number; readonly misses: number; readonly writes: number }

/** Counters that went down although the server did not restart tell nothing: somebody reset them. */
function grownBy(earlier: Counts | undefined, later: CacheReading): Counts {
  const hits = later.hits - (earlier?.hits ?? 0)
  const misses = later.misses - (earlier?.misses ?? 0)
  const writes = later.writes - (earlier?.writes ?? 0)
  return hits < 0 || misses < 0 || writes < 0 ? { hits: 0, misses: 0, writes: 0 } : { hits, misses, writes }
}

/** Whether anything was read since the compute started: before, its counters say nothing of how often pages are found. */
export const hasCacheReads = ({ cache }: Reading): boolean =>
  !('missing' in cache) && cache.hits + cache.misses > 0

/** Undefined where nothing was read. */
const hitRatio = ({ hits, misses }: Counts): Ratio | undefined =>
  hits + misses === 0 ? undefined : ratio(hits / (hits + misses))
