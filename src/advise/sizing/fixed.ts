// Fixed sizes, for plans without ranges: what nearly all of the load seen needs, with a margin, and what keeps the working set in the file
// cache. Inside a range the service follows the working set itself, up to the maximum.
import type { RollupSums } from '../../model/ledger/rollup.ts'
import { isFixed } from '../../model/service/compute.ts'
import { sizeAtLeast } from '../../model/service/sizes.ts'
import type { Cu } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import type { AdviseInput } from '../input.ts'
import type { SizeLimits } from './range.ts'

/** Share of the load that the size holds without throttling. */
const PERCENTILE = 0.995
/** Factor above it: load grows between two decisions. */
const MARGIN = 1.15

/** Smallest fixed size for `loads`, CU, never above today's: only saturation asks for more. */
export function fixedFor(now: Cu, loads: readonly number[], { sizes, least }: SizeLimits): Cu {
  const needed = sizeAtLeast(sizes, Math.max(least, MARGIN * percentile(loads, PERCENTILE)))
  return needed < now ? needed : now
}

/** Nearest rank; 0 without values. */
export function percentile(values: readonly number[] | Float64Array, share: number): number {
  const sorted = Float64Array.from(values).toSorted()
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

/** Share of the limit from which the cache counts as full: the last part fills slowly. */
const FULL = 0.95
/** Accesses from which the use of the cache says something. */
const MIN_ACCESSES = 10_000

/**
 * By fill and hit ratio of the cache:
 * 1. not full, at the target: what is used holds the working set;
 * 2. full, under the target: the working set is larger, so nothing smaller;
 * 3. full, at the target: says nothing about smaller sizes;
 * 4. not full, under the target: first reads or scans, for which a larger cache does not help: as in 1.
 * So the hit ratio changes nothing here. Once it may ask for a larger cache, 2 and 3 differ.
 *
 * @param now largest size; the answer where nothing is known
 */
export function leastForCache({ entry, steps, preset }: AdviseInput, sizes: readonly Cu[], now: Cu): Cu {
  const buckets: readonly RollupSums[] = entry.rollups.fine ? [...steps, entry.rollups.fine] : steps
  const accesses = sumOf(buckets, ({ cache }) => (cache ? cache.hits + cache.misses : 0))
  const used = Math.max(0, ...buckets.map(({ cacheUsed }) => cacheUsed ?? 0))
  const limit = entry.reading.last?.cacheLimit
  if (limit === undefined || used === 0 || accesses < MIN_ACCESSES) return now
  // inside a range the limit is that of the size then: what was used in a larger one counts
  if (isFixed(entry.compute.sizing) && used >= FULL * limit) return now
  return sizeAtLeast(sizes, preset.memoryOf(used / 2 ** 20) / 4096)
}
