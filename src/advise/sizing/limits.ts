// What plan and policy allow, and the least minimum that holds the connections: of one compute, or of new computes.
import type { PlanLimits } from '../../model/policy/plan-limits.ts'
import { largestCu, smallestCu, type Sizing } from '../../model/service/compute.ts'
import { sizeAtLeast } from '../../model/service/sizes.ts'
import { cu, type Cu } from '../../model/units.ts'
import type { AdviseInput } from '../input.ts'
import { leastForConnections, type ConnectionsSeen } from './connections.ts'
import type { SizeLimits } from './range.ts'

type LimitedSizing = Pick<AdviseInput, 'policy' | 'preset' | 'needs'> &
  Readonly<{
    plan: PlanLimits
    /** Now. */
    sizing: Sizing
  }>

/** @param maximum of the range: its least minimum depends on it */
export function sizeLimits(
  { sizing: current, policy, preset, needs, plan }: LimitedSizing,
  { connections, maximum }: Readonly<{ connections: ConnectionsSeen; maximum: Cu }>,
): SizeLimits {
  const now = largestCu(current)
  const planLargest = plan.hasRanges ? plan.largestInRange : plan.largestFixed
  const sizes = preset.sizes.filter((size) => size <= Math.max(now, planLargest))
  const sizing = (size: Cu): Sizing =>
    plan.hasRanges && size < maximum ? { min: size, max: maximum } : { fixed: size }
  const least = leastForConnections(sizes, { preset, needs, connections, sizing }) ?? now
  const { min = 0, max = Infinity, neverDown } = policy.sizing
  return {
    sizes,
    largest: cu(Math.min(planLargest, max)),
    widest: plan.hasRanges ? plan.widestRange : undefined,
    least: sizeAtLeast(sizes, Math.max(least, min, neverDown ? smallestCu(current) : 0)),
  }
}
