// A delay for each gap, learned from the compute's own gaps.
//
// 1. Hazard by bin: two counters learn from each gap, one of the bin and one of its group of bins, the second coarse and soon sure. Each
//    starts at the universal prior. Their mean in the logistic domain is the hazard; after some gaps the relations of the fleet join in
//    (fleet-hazard.ts).
// 2. Expected cost of each delay under the hazard, as in hazard.ts, blended with what the delays would have cost in the compute's own gaps,
//    older ones with less weight.
// 3. The cheapest delay, at most `MAX_UNKNOWN` before the compute had three gaps.
import { hiOf, loOf, priorHazard } from './bins.ts'
import {
  count,
  createFleetHazard,
  fromLogOdds,
  groupOf,
  GROUP_STARTS,
  LEARNED_BINS,
  logOdds,
  newCounter,
  type Counter,
  type FleetHazard,
} from './fleet-hazard.ts'
import { gapCost, longestDelay, type GuardTerms } from './guard.ts'

/** Outcomes that an own counter remembers: gaps change over weeks. */
const OWN_LIMIT = 100
/** Weight of the expected cost beside the sum of own costs, and the share of that sum that the next gap keeps. */
const EXPECTED_WEIGHT = 30
const DECAY = 0.95
/** Gaps before which the delay is capped, and the cap in steps: without gaps of its own, few computes need more. */
const FEW_GAPS = 3
const MAX_UNKNOWN = 5
/** Gaps from which the fleet's relations join in: before, they come from the busiest computes, and cost rarely used ones 14 points (B = 1800 s). */
const RELATED_GAPS = 8
/** Bounds of a hazard: no outcome is certain. */
const [LEAST, MOST] = [0.0001, 0.998]

export type DelayLearner = {
  /** Steps of the grid. */
  decide: () => number
  /** Whole steps. Bins below `hiddenBelow` learn nothing. */
  learn: (length: number, hiddenBelow?: number) => void
}

/** @param fleet shared by the learners of a fleet; without it a compute is a fleet of its own */
export function createDelayLearner(
  terms: GuardTerms,
  fleet: FleetHazard = createFleetHazard(),
): DelayLearner {
  const relations = fleet()
  const groups = GROUP_STARTS.map((bin) => newCounter(priorHazard(bin)))
  const bins = Array.from({ length: LEARNED_BINS }, (_, bin): LearnedBin => ({
    bin,
    lo: loOf(bin),
    hi: hiOf(bin),
    own: newCounter(priorHazard(bin)),
    group: groups[groupOf(bin)] ?? newCounter(priorHazard(bin)),
    ownCost: 0,
  }))
  const candidates = bins.filter(({ hi }) => hi <= longestDelay(terms))
  let gaps = 0

  const hazardOf = (one: LearnedBin) =>
    gaps < RELATED_GAPS
      ? fromLogOdds((logOdds(one.own.mean) + logOdds(one.group.mean)) / 2)
      : relations.hazard(one.bin, one)

  function decide(): number {
    let [survival, awake, least, best] = [1, 0, Infinity, terms.floor]
    for (const one of candidates) {
      const { lo, hi, ownCost } = one
      const hazard = Math.min(MOST, Math.max(LEAST, hazardOf(one)))
      awake += (survival * hazard * (lo + hi)) / 2
      survival *= 1 - hazard
      const cost = EXPECTED_WEIGHT * (awake + survival * (hi + terms.wakeCost)) + ownCost
      if (hi >= terms.floor && cost < least) [least, best] = [cost, hi]
    }
    return gaps < FEW_GAPS ? Math.max(terms.floor, Math.min(best, MAX_UNKNOWN)) : best
  }

  function learn(length: number, hiddenBelow = 0): void {
    for (const one of bins) {
      if (one.lo <= hiddenBelow) continue
      one.ownCost = DECAY * one.ownCost + gapCost(length, one.hi, terms.wakeCost)
      if (one.lo > length) continue
      const outcome = length <= one.hi ? 1 : 0
      relations.learnBin(one.bin, one, outcome)
      count(one.own, outcome, OWN_LIMIT)
      count(one.group, outcome, OWN_LIMIT)
    }
    relations.endGap(length)
    gaps += 1
  }
  return { decide, learn }
}

/** `ownCost`: decayed sum of what a delay of `hi` would have cost in the compute's own gaps. */
type LearnedBin = Readonly<{ bin: number; lo: number; hi: number; own: Counter; group: Counter }> & {
  ownCost: number
}
