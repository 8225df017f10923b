// Which sizing a compute should have (rule R0): the service's own autoscaler between a low minimum and the size of today.
//
// 1. Up: a compute that uses all of its maximum gets twice of it, as far as the minimum lets the range reach. The minimum is paid for at
//    all times: to raise it is a choice with a price. A file cache that is too small at the maximum gets the next size (cache.ts).
// 2. A fixed size becomes a range up to it, and a minimum is lowered to the least that is safe. CPU cannot suffer and the cost cannot
//    rise: at any demand the range has the size that the demand needs, up to the size of today.
// 3. Without ranges the fixed size follows the demand (fixed.ts).
// 4. A maximum is never lowered for a saving: above the demand it costs nothing. A budget whose limit is exceeded asks for it all the same
//    (advise-sizing.ts): it bounds what the demand may grow to.
import { isFixed, largestCu, smallestCu, type Sizing } from '../../model/service/compute.ts'
import { sizeAtLeast } from '../../model/service/sizes.ts'
import { cu, type Cu } from '../../model/units.ts'
import { isAlwaysSaturated, isSaturated, largerMax, nextMax, type Saturation } from './up.ts'

/** What plan, policy and budget allow one compute. */
export type SizeLimits = Readonly<{
  /** Ascending. */
  sizes: readonly Cu[]
  /** Largest maximum or fixed size. */
  largest: Cu
  /** Largest difference between maximum and minimum; undefined where the plan has no ranges. */
  widest: Cu | undefined
  /** Least minimum that connections, cache and policy allow. */
  least: Cu
}>

/** What is known about the load of one compute. */
export type SizingCase = Readonly<{
  sizing: Sizing
  limits: SizeLimits
  saturation: Saturation
  /** The working set is larger than the file cache of the largest size. */
  isCacheShort?: boolean | undefined
  /** Cost of `rangeTo(largestCu(sizing))` as a share of today's, on the load seen. */
  costShare: number
}>

export type SizingDecision = Readonly<{ to: Sizing; because: 'saturated' | 'cache' | 'budget' | 'dear' }>

/** Width from which a range differs from a fixed size, CU. */
const MIN_WIDTH = 0.25
/** Share of today's cost that must be saved: less is within the error of the demand. So the mean demand is under 90 % of the maximum. */
export const MIN_SAVING = 0.1

/** Range up to `max` with the least minimum, else the fixed size `max`. */
export function rangeTo(max: Cu, { sizes, widest, least, largest }: SizeLimits): Sizing {
  if (widest === undefined || max > largest) return { fixed: max }
  const min = sizeAtLeast(sizes, Math.max(least, max - widest))
  return max - min >= MIN_WIDTH ? { min, max } : { fixed: max }
}

/** Undefined: the sizing of today stays. */
export function decideRange(input: SizingCase): SizingDecision | undefined {
  const { sizing, limits, saturation } = input
  const up = isSaturated(saturation) ? raisedRange(input, largerMax) : undefined
  if (up) return { to: up, because: 'saturated' }
  const forCache = input.isCacheShort ? raisedRange(input, nextMax) : undefined
  if (forCache) return { to: forCache, because: 'cache' }
  const to = rangeTo(largestCu(sizing), limits)
  const isLower = smallestCu(to) < smallestCu(sizing)
  return isLower && input.costShare <= 1 - MIN_SAVING ? { to, because: 'dear' } : undefined
}

/** A fixed size that is full all day keeps itself as the minimum: it is paid for today. */
function raisedRange(
  { sizing, limits, saturation }: SizingCase,
  raise: typeof largerMax,
): Sizing | undefined {
  const { sizes, widest, least, largest } = limits
  const min =
    isFixed(sizing) && !isAlwaysSaturated(saturation) ? sizeAtLeast(sizes, least) : smallestCu(sizing)
  const reach = widest === undefined ? largest : Math.min(largest, min + widest)
  const max = raise(sizing, { sizes, largest: cu(reach) })
  return max === undefined ? undefined : rangeTo(max, { ...limits, least: min })
}
