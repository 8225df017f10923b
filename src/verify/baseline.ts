// Figures of a compute before a change of its size: what the looks after it are compared with.
import type { ComputeEntry } from '../model/ledger/ledger.ts'
import type { RollupSums } from '../model/ledger/rollup.ts'
import type { ChangeBaseline } from '../model/policy/change.ts'
import { DAY, HOUR, ratio, type Instant, type Ratio } from '../model/units.ts'
import { sumOf } from '../std/sum.ts'

/** Accesses of the file cache from which a hit ratio says something: at 99 % it is then right within half a point. */
export const MIN_ACCESSES = 1000
/** Time before a change whose accesses count, ms: a week has each kind of day. */
const CACHE_PERIOD = 7 * DAY

/** @param hours of the last week or longer, oldest first; the hour in progress is in the entry */
export function changeBaseline(
  { rollups, reading, totals }: Pick<ComputeEntry, 'rollups' | 'reading' | 'totals'>,
  hours: readonly RollupSums[],
  now: Instant,
): ChangeBaseline {
  const recent = [...hours, ...(rollups.coarse ? [rollups.coarse] : [])].filter(
    ({ from }) => from >= now - CACHE_PERIOD,
  )
  return {
    hitRatio: warmHitRatio(recent) ?? ratioOf(reading.cache?.totalHits ?? 0, reading.cache?.totalMisses ?? 0),
    cacheUsed: reading.last?.cache && 'used' in reading.last.cache ? reading.last.cache.used : undefined,
    isAtLimit: reading.atLimit,
    isReadable: reading.lastSucceeded,
    restarts: totals.restarts,
  }
}

/** Undefined where no server ran long enough. */
function warmHitRatio(buckets: readonly RollupSums[]): Ratio | undefined {
  const hits = sumOf(buckets, ({ cache }) => cache?.warmHits ?? 0)
  return ratioOf(
    hits,
    sumOf(buckets, ({ cache }) => cache?.warmMisses ?? 0),
  )
}

const ratioOf = (hits: number, misses: number): Ratio | undefined =>
  hits + misses < MIN_ACCESSES ? undefined : ratio(hits / (hits + misses))

/** Weeks of which the same hour counts: fewer are a coincidence. */
const MIN_WEEKS = 2
const WEEK = 7 * DAY

/** Mean number of connections in one hour. */
export type HourlyConnections = Readonly<{ from: Instant; mean: number }>

/** In the order of the hours, without those in which nothing was read. */
export const hourlyConnections = (hours: readonly RollupSums[]): readonly HourlyConnections[] =>
  hours.flatMap(({ from, connections }) =>
    connections ? [{ from, mean: connections.all.sum / connections.count }] : [],
  )

/**
 * Connections that clients are expected to hold at an instant: the lowest hourly mean in the same hour of the weeks before. Undefined where too
 * few weeks have it.
 *
 * @param hours of the last four weeks
 */
export function expectedConnections(hours: readonly HourlyConnections[], at: Instant): number | undefined {
  const sameHour = hours.filter(({ from }) => (at - from) % WEEK < HOUR && at - from >= HOUR)
  return sameHour.length < MIN_WEEKS ? undefined : Math.min(...sameHour.map(({ mean }) => mean))
}
