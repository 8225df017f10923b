// Fixed sizes, for plans without ranges: what nearly all of the load seen needs, with a margin. Connections, cache and policy give the least
// size.
import { sizeAtLeast } from '../../model/service/sizes.ts'
import type { Cu } from '../../model/units.ts'
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
