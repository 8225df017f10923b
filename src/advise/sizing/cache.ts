// File cache of a compute against its working set, in windows of five minutes under the sizing of now. Only accesses after the warm-up of
// the server count, in windows with enough of them. By fill and hit ratio:
//
// 1. Not full, at the target: what is used holds the working set.
// 2. Full, under the target: the working set is larger. One size more, and another look after the next warm-up. A scan is under the target,
//    too, so most windows of a day have to be.
// 3. Full, at the target: says nothing about smaller sizes.
// 4. Not full, under the target: first reads or scans, for which a larger cache does not help: as in 1.
import { isFixed, largestCu, type Sizing } from '../../model/service/compute.ts'
import { sizeAtLeast } from '../../model/service/sizes.ts'
import { ratio, type Cu, type Ratio } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import type { AdviseInput } from '../input.ts'
import { bucketsOfSizing, type SeenStep } from './load-seen.ts'
import { SATURATION_PERIOD } from './up.ts'

export type CacheSeen = Readonly<{
  /** Most that was used, bytes. */
  used: number
  /** At the size of now, inside a range at its maximum. */
  isFull: boolean
  /** Case 2. */
  isShort: boolean
  /** Share of the accesses of the last day; 1 without enough of them. */
  hitRatio: Ratio
}>

/** Share of the limit from which the cache counts as full: the last part fills slowly. */
const FULL = 0.95
/** Accesses from which a window says something. */
const MIN_ACCESSES = 10_000
/** Windows from which a hit ratio does, an hour of them. */
const MIN_WINDOWS = 12
/** Share of a size from which a limit is that of it: limits are rounded. */
const AT_SIZE = 0.9

/** Undefined where too little is known. */
export const cacheSeen = (input: AdviseInput): CacheSeen | undefined =>
  cacheIn(bucketsOfSizing(input), { ...input, sizing: input.entry.compute.sizing })

type CacheOptions = Pick<AdviseInput, 'preset' | 'policy' | 'now'> & Readonly<{ sizing: Sizing }>

/** @param buckets under the sizing of now */
export function cacheIn(
  buckets: readonly SeenStep[],
  { sizing, preset, policy, now }: CacheOptions,
): CacheSeen | undefined {
  const accesses = sumOf(buckets, ({ cache }) => (cache ? cache.hits + cache.misses : 0))
  const used = Math.max(0, ...buckets.map(({ cacheUsed }) => cacheUsed ?? 0))
  if (used === 0 || accesses < MIN_ACCESSES) return undefined
  const isFullIn = ({ cacheUsed, cacheLimit }: SeenStep) => {
    if (cacheUsed === undefined || cacheLimit === undefined || cacheUsed < FULL * cacheLimit) return false
    const size = preset.memoryOf(cacheLimit / 2 ** 20) / 4096
    return isFixed(sizing) || size >= AT_SIZE * largestCu(sizing)
  }
  const windows = buckets.filter(
    (bucket) => bucket.from >= now - SATURATION_PERIOD && warmAccesses(bucket) >= MIN_ACCESSES,
  )
  const short = windows.filter((bucket) => isFullIn(bucket) && hitRatioOf([bucket]) < policy.sizing.hitRatio)
  return {
    used,
    isFull: buckets.some(isFullIn),
    isShort: windows.length >= MIN_WINDOWS && 2 * short.length > windows.length,
    hitRatio: hitRatioOf(windows),
  }
}

const warmAccesses = ({ cache }: SeenStep) => (cache ? cache.warmHits + cache.warmMisses : 0)

function hitRatioOf(windows: readonly SeenStep[]): Ratio {
  const accesses = sumOf(windows, warmAccesses)
  return ratio(accesses === 0 ? 1 : sumOf(windows, ({ cache }) => cache?.warmHits ?? 0) / accesses)
}

/** Smallest size whose cache holds what was used. @param now largest size; the answer in cases 2 and 3, and where nothing is known */
export const leastForCache = (
  cache: CacheSeen | undefined,
  { sizes, preset, now }: Pick<AdviseInput, 'preset'> & Readonly<{ sizes: readonly Cu[]; now: Cu }>,
): Cu =>
  cache === undefined || cache.isFull ? now : sizeAtLeast(sizes, preset.memoryOf(cache.used / 2 ** 20) / 4096)
