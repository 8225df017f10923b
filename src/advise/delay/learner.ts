// A delay for each gap, learned from the compute's own gaps and the fleet.
//
// 1. Hazard by bin of the gap that begins (fleet-hazard.ts).
// 2. Expected cost of each delay under the hazard, as in hazard.ts, blended with what the delays would have cost in the compute's own gaps,
//    older ones with less weight.
// 3. The cheapest delay, at most `MAX_UNKNOWN` before the compute had three gaps. The delay of a gap that began less than an hour before
//    stays unless another one is cheaper by `HYSTERESIS`: a longer delay that the lever binds for an hour costs more than that.
import { hiOf, loOf } from './bins.ts'
import { createFleetHazard, LEARNED_BINS, type FleetHazard } from './fleet-hazard.ts'
import { gapCost, longestDelay, type GuardTerms } from './guard.ts'

/** Weight of the expected cost beside the own cost of each gap, and the share of own costs that the next gap keeps. */
const EXPECTED_WEIGHT = 30
const DECAY = 0.95
/** Gaps before which the delay is capped, and the cap in steps: without gaps of its own, few computes need more. */
const FEW_GAPS = 3
const MAX_UNKNOWN = 5
/** Share by which the cost must fall: at 0 the lever rule costs busy computes 3 points, larger shares cost more than they save. */
const HYSTERESIS = 0.01
/** Time for which the lever binds a longer delay, steps of a minute: a shorter one goes out once an hour. */
const BOUND_FOR = 60
/** Bounds of a hazard: no outcome is certain. */
const [LEAST, MOST] = [0.0001, 0.998]

export type DelayLearner = {
  /**
   * Delay of the gap that begins, steps.
   *
   * @param at first idle step, of a clock that the fleet shares
   * @param hiddenBelow length below which a gap could not have been seen: bins and delays below it learn nothing
   */
  decide: (at: number, hiddenBelow?: number) => number
  /** At the end of the gap; whole steps. */
  learn: (length: number) => void
}

/** @param fleet shared by the learners of a fleet; without it a compute is a fleet of its own */
export function createDelayLearner(
  terms: GuardTerms,
  fleet: FleetHazard = createFleetHazard(),
): DelayLearner {
  const compute = fleet()
  const candidates = Array.from({ length: LEARNED_BINS }, (_, bin): Candidate => ({
    bin,
    lo: loOf(bin),
    hi: hiOf(bin),
    ownCost: 0,
    ownGaps: 0,
  })).filter(({ hi }) => hi <= longestDelay(terms))
  let hidden = 0
  let decidedAt = -Infinity
  let last = terms.floor

  function decide(at: number, hiddenBelow = 0): number {
    hidden = hiddenBelow
    compute.beginGap(at, hiddenBelow)
    let [survival, awake, least, best, kept] = [1, 0, Infinity, terms.floor, Infinity]
    for (const { bin, lo, hi, ownCost, ownGaps } of candidates) {
      const hazard = Math.min(MOST, Math.max(LEAST, compute.hazard(bin)))
      awake += (survival * hazard * (lo + hi)) / 2
      survival *= 1 - hazard
      const expected = awake + survival * (hi + terms.wakeCost)
      const cost = (EXPECTED_WEIGHT * expected + ownCost) / (EXPECTED_WEIGHT + ownGaps)
      if (hi === last) kept = cost
      if (hi >= terms.floor && cost < least) [least, best] = [cost, hi]
    }
    if (compute.gaps() < FEW_GAPS) return Math.max(terms.floor, Math.min(best, MAX_UNKNOWN))
    const isBound = at - decidedAt < BOUND_FOR
    decidedAt = at
    if (!isBound || least < (1 - HYSTERESIS) * kept) last = best
    return last
  }

  function learn(length: number): void {
    for (const one of candidates) {
      if (one.lo <= hidden) continue
      one.ownCost = DECAY * one.ownCost + gapCost(length, one.hi, terms.wakeCost)
      one.ownGaps = DECAY * one.ownGaps + 1
    }
    compute.endGap(length)
  }
  return { decide, learn }
}

/** `ownCost`: decayed sum of what a delay of `hi` would have cost in the compute's own gaps; `ownGaps`: decayed number of these gaps. */
type Candidate = Readonly<{ bin: number; lo: number; hi: number }> & { ownCost: number; ownGaps: number }
