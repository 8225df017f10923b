// A sizing as a proposal: saving, effect, grounds, and the ranges that cost more.
//
// Three prices of one demand. High saving: always at the minimum. Likely: by the utilisation of the account's ranges, at most
// what the readings allow. Low: by average active sessions, which are more than the CPU demand; saturated steps would take all they get.
import { priceAt } from '../../ledger/settle/slices.ts'
import { addBounds, eachBound, mapBounds, type Bounds } from '../../model/ledger/quantities.ts'
import type { Alternative, Effect, Proposal } from '../../model/policy/recommendation.ts'
import { isFixed, largestCu, smallestCu, type Sizing } from '../../model/service/compute.ts'
import { cu, micros, ratio, type Cu, type Instant, type Micros } from '../../model/units.ts'
import { confidenceOf, MAX_AWAKE, savedTimeInterval, sizeWhileAwake, statedWidening } from '../interval.ts'
import type { AdviseInput } from '../input.ts'
import { sizingKey } from '../hysteresis.ts'
import { NO_EFFECT } from '../propose.ts'
import type { CacheSeen } from './cache.ts'
import { connectionsUnder, type ConnectionsSeen } from './connections.ts'
import { replayedSize, type LoadSeen } from './load-seen.ts'
import { rangeTo, type SizeLimits, type SizingDecision } from './range.ts'
import { isSaturatedStep, largerMax } from './up.ts'

export type SizingEvidence = Readonly<{
  input: AdviseInput
  load: LoadSeen
  connections: ConnectionsSeen
  /** Undefined where too little is known. */
  cache: CacheSeen | undefined
  limits: SizeLimits
}>

/** Undefined before any awake time is known. */
export function sizingProposal(
  evidence: SizingEvidence,
  { to, because }: SizingDecision,
): Proposal | undefined {
  const { input, load } = evidence
  const { sizing } = input.entry.compute
  const awake = awakeSeconds(input)
  if (!awake) return undefined
  const perCuHour = priceAt(input.prices, input.now)
  const saving = savingOf(evidence, to, awake)
  const size = sizesUnder(evidence, sizing)
  return {
    ref: input.entry.ref,
    kind: 'sizing',
    from: { sizing },
    to: { sizing: to },
    restarts: true,
    spend: eachBound((bound) => micros((awake[bound] * size[bound] * perCuHour) / 3600)),
    saving,
    effect: effectOf(evidence, to),
    confidence: confidenceOf(load.days, saving),
    grounds: {
      from: load.from,
      to: load.to,
      days: load.days,
      followed: ratio(load.awake === 0 ? 0 : Math.min(1, load.covered / load.awake)),
      cu: sizesUnder(evidence, to),
      perCuHour,
      gaps: [],
    },
    alternatives: dearerSizings(evidence, { to, because }).map((other): Alternative => ({
      to: { sizing: other },
      saving: savingOf(evidence, other, awake),
      effect: effectOf(evidence, other),
      because: 'dearer',
    })),
    ...detailOf(evidence, because),
  }
}

/** Budget or cache that asks for the sizing. */
function detailOf(
  { input, cache }: SizingEvidence,
  because: SizingDecision['because'],
): Pick<Proposal, 'detail'> {
  const { overBudget, policy } = input
  if (because === 'budget' && overBudget !== undefined)
    return { detail: { kind: 'budget', name: overBudget } }
  if (because === 'cache' && cache)
    return { detail: { kind: 'cache', hitRatio: cache.hitRatio, target: policy.sizing.hitRatio } }
  return {}
}

/** Awake seconds in 30 days, from the days that are known. */
function awakeSeconds({ days, settings, entry, finished, now }: AdviseInput): Bounds<number> | undefined {
  const since: Instant = settings[0]?.since ?? entry.compute.createdAt
  const known = days.filter(({ from, to }) => to > since && from < now)
  const blocks = known.map(({ from, to, awake }) => ({
    saved: awake.likely / 1000,
    observed: Math.min(to, now) - Math.max(from, since),
  }))
  const sum = known.reduce((total, day) => addBounds(total, day.awake, Number), NO_TIME)
  const time = savedTimeInterval(
    blocks,
    eachBound((bound) => sum[bound] / 1000),
    statedWidening(finished?.get('sizing')),
  )
  return time && mapBounds(time, (span) => Math.min(MAX_AWAKE, Math.max(0, span)))
}

const NO_TIME: Bounds<number> = { low: 0, likely: 0, high: 0 }

/** Mean size while awake: at the least demand, the likely one, and the most that the readings allow. */
function sizesUnder({ input, load, limits, cache }: SizingEvidence, sizing: Sizing): Bounds<Cu> {
  const low = smallestCu(sizing)
  if (isFixed(sizing)) return { low, likely: low, high: low }
  const now = largestCu(input.entry.compute.sizing)
  // a saturated step hides how much more it would take, and a full cache keeps a range at its maximum
  const demand = load.loads.map((one) => (cache?.isShort || isSaturatedStep(one, now) ? Infinity : one))
  const high = cu(replayedSize(demand, sizing, limits.sizes).cu)
  const { likely } = sizeWhileAwake(sizing, input.utilisation)
  return { low, likely: likely < high ? likely : high, high }
}

/** Each demand saves the difference of both sizes; sorted, because a larger maximum turns the order around. */
function savingOf(evidence: SizingEvidence, to: Sizing, awake: Bounds<number>): Bounds<Micros> {
  const { input } = evidence
  const [before, after] = [sizesUnder(evidence, input.entry.compute.sizing), sizesUnder(evidence, to)]
  const differences = eachBound((bound) => before[bound] - after[bound])
  const low = Math.min(...Object.values(differences))
  const high = Math.max(...Object.values(differences))
  const money = (difference: number, seconds: number) =>
    micros((difference * seconds * priceAt(input.prices, input.now)) / 3600)
  return {
    low: money(low, low > 0 ? awake.low : awake.high),
    likely: money(differences.likely, awake.likely),
    high: money(high, high > 0 ? awake.high : awake.low),
  }
}

function effectOf({ input, load, limits, connections }: SizingEvidence, to: Sizing): Effect {
  return {
    ...NO_EFFECT,
    connections: connectionsUnder(connections, to, input.preset),
    throttled: ratio(replayedSize(load.loads, to, limits.sizes).throttled),
  }
}

/**
 * Larger minimums, which cost more and throttle less, and a larger maximum unless a budget asks for a smaller one; by minimum, then by maximum.
 * Nothing for a fixed size.
 */
function dearerSizings(
  { input, limits }: SizingEvidence,
  { to, because }: SizingDecision,
): readonly Sizing[] {
  if (isFixed(to)) return []
  const [min, max] = [smallestCu(to), largestCu(to)]
  const larger = because === 'budget' ? undefined : largerMax(to, limits)
  const headroom = larger === undefined ? undefined : rangeTo(larger, { ...limits, least: min })
  const minimums = limits.sizes.filter((size) => size > min && size < max)
  return [...(headroom ? [headroom] : []), ...minimums.map((size) => ({ min: size, max }))]
    .filter((other) => sizingKey(other) !== sizingKey(input.entry.compute.sizing))
    .toSorted((a, b) => smallestCu(a) - smallestCu(b) || largestCu(a) - largestCu(b))
}
