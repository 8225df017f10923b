// Prices of sizes while awake, and what people notice of them.
//
// Three prices of one demand. High saving: always at the minimum. Low: by average active sessions, which are more than the CPU demand;
// saturated steps would take all they get. Likely: in the middle between that and the utilisation of the account's ranges, at most what the
// readings allow: the sessions of the compute are more than its demand, and the account knows only the mean of all.
import { eachBound, type Bounds } from '../../model/ledger/quantities.ts'
import type { Effect } from '../../model/policy/recommendation.ts'
import { isFixed, largestCu, smallestCu, type Sizing } from '../../model/service/compute.ts'
import { cu, micros, ratio, type Cu, type Micros } from '../../model/units.ts'
import { sizingKey } from '../hysteresis.ts'
import type { AdviseInput } from '../input.ts'
import { sizeWhileAwake } from '../interval.ts'
import { NO_EFFECT } from '../propose.ts'
import type { CacheSeen } from './cache.ts'
import { connectionsUnder, type ConnectionsSeen } from './connections.ts'
import { replayedSize } from './load-seen.ts'
import { rangeTo, type SizeLimits, type SizingDecision } from './range.ts'
import { isSaturatedStep, largerMax } from './up.ts'

/** Load that other sizes are priced by. */
export type PricedLoad = Pick<AdviseInput, 'preset' | 'utilisation'> &
  Readonly<{
    /** Now, under which the load was seen. */
    sizing: Sizing
    /** In order of time, CU. */
    loads: readonly number[]
    connections: ConnectionsSeen
    /** Undefined where too little is known. */
    cache: CacheSeen | undefined
    limits: SizeLimits
    perCuHour: Micros
  }>

/** Mean size while awake: at the least demand, the likely one, and the most that the readings allow. */
export function sizesUnder(
  { sizing: current, loads, limits, cache, utilisation }: PricedLoad,
  sizing: Sizing,
): Bounds<Cu> {
  const low = smallestCu(sizing)
  if (isFixed(sizing)) return { low, likely: low, high: low }
  const now = largestCu(current)
  // a saturated step hides how much more it would take, and a full cache keeps a range at its maximum
  const demand = loads.map((one) => (cache?.isShort || isSaturatedStep(one, now) ? Infinity : one))
  const high = cu(replayedSize(demand, sizing, limits.sizes).cu)
  const ofAccount = sizeWhileAwake(sizing, utilisation).likely
  return { low, likely: ofAccount < high ? cu((ofAccount + high) / 2) : high, high }
}

/** Under the sizing now. @param awake seconds */
export function sizingSpend(priced: PricedLoad, awake: Bounds<number>): Bounds<Micros> {
  const size = sizesUnder(priced, priced.sizing)
  return eachBound((bound) => micros((awake[bound] * size[bound] * priced.perCuHour) / 3600))
}

/** Each demand saves the difference of both sizes; sorted, because a larger maximum turns the order around. @param awake seconds */
export function sizingSaving(priced: PricedLoad, to: Sizing, awake: Bounds<number>): Bounds<Micros> {
  const [before, after] = [sizesUnder(priced, priced.sizing), sizesUnder(priced, to)]
  const differences = eachBound((bound) => before[bound] - after[bound])
  const low = Math.min(...Object.values(differences))
  const high = Math.max(...Object.values(differences))
  const money = (difference: number, seconds: number) =>
    micros((difference * seconds * priced.perCuHour) / 3600)
  return {
    low: money(low, low > 0 ? awake.low : awake.high),
    likely: money(differences.likely, awake.likely),
    high: money(high, high > 0 ? awake.high : awake.low),
  }
}

export const sizingEffect = ({ preset, loads, limits, connections }: PricedLoad, to: Sizing): Effect => ({
  ...NO_EFFECT,
  connections: connectionsUnder(connections, to, preset),
  throttled: ratio(replayedSize(loads, to, limits.sizes).throttled),
})

/**
 * Larger minimums, which cost more and throttle less, and a larger maximum unless a budget asks for a smaller one; by minimum, then by maximum.
 * Nothing for a fixed size.
 */
export function dearerSizings(
  { sizing, limits }: PricedLoad,
  { to, because }: SizingDecision,
): readonly Sizing[] {
  if (isFixed(to)) return []
  const [min, max] = [smallestCu(to), largestCu(to)]
  const larger = because === 'budget' ? undefined : largerMax(to, limits)
  const headroom = larger === undefined ? undefined : rangeTo(larger, { ...limits, least: min })
  const minimums = limits.sizes.filter((size) => size > min && size < max)
  return [...(headroom ? [headroom] : []), ...minimums.map((size) => ({ min: size, max }))]
    .filter((other) => sizingKey(other) !== sizingKey(sizing))
    .toSorted((a, b) => smallestCu(a) - smallestCu(b) || largestCu(a) - largestCu(b))
}
