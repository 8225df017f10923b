// A delay for each gap, learned from the compute's own gaps.
//
// 1. Hazard by bin: two counters learn from each gap, one of the bin and one of its group of bins, the second coarse and soon sure. Each
//    starts at the universal prior. Their mean in the logistic domain is the hazard.
// 2. Expected cost of each delay under the hazard, as in hazard.ts, blended with what the delays would have cost in the compute's own gaps,
//    older ones with less weight.
// 3. The cheapest delay, at most `MAX_UNKNOWN` before the compute had three gaps.
//
// Gaps of other computes teach nothing here: pooled gaps come from the busiest computes and hurt all others.
import { hiOf, loOf, priorHazard } from './bins.ts'
import { gapCost, longestDelay, type GuardTerms } from './guard.ts'

/** Bins that are learned, up to 128 steps: longer delays than that are no candidates. */
const BINS = 64
/** First bin of each group. */
const GROUP_STARTS = [0, 1, 2, 3, 4, 6, 10, 15, 22, 32, 48] as const
/** Weight of the newest outcome never falls below 1 / LIMIT: gaps change over weeks. */
const LIMIT = 100
/** Outcomes that the prior counts as, of a bin and of a group. */
const PRIOR_WEIGHT = 1
/** Weight of the expected cost beside the sum of own costs, and the share of that sum that the next gap keeps. */
const EXPECTED_WEIGHT = 30
const DECAY = 0.95
/** Gaps before which the delay is capped, and the cap in steps: without gaps of its own, few computes need more. */
const FEW_GAPS = 3
const MAX_UNKNOWN = 5
/** Bounds of a hazard: no outcome is certain. */
const [LEAST, MOST] = [0.0001, 0.998]

export type DelayLearner = {
  /** Steps of the grid. */
  decide: () => number
  /** Whole steps. Bins below `hiddenBelow` learn nothing. */
  learn: (length: number, hiddenBelow?: number) => void
}

export function createDelayLearner(terms: GuardTerms): DelayLearner {
  const groups = GROUP_STARTS.map((bin) => newCounter(priorHazard(bin)))
  const bins = Array.from({ length: BINS }, (_, bin): LearnedBin => ({
    lo: loOf(bin),
    hi: hiOf(bin),
    middle: (loOf(bin) + hiOf(bin)) / 2,
    own: newCounter(priorHazard(bin)),
    group: groups[GROUP_STARTS.findLastIndex((start) => start <= bin)] ?? newCounter(priorHazard(bin)),
    ownCost: 0,
  }))
  const candidates = bins.filter(({ hi }) => hi <= longestDelay(terms))
  let gaps = 0

  function decide(): number {
    let [survival, awake, least, best] = [1, 0, Infinity, terms.floor]
    for (const { hi, middle, own, group, ownCost } of candidates) {
      const hazard = meanOfOdds(own.mean, group.mean)
      awake += survival * hazard * middle
      survival *= 1 - hazard
      const cost = EXPECTED_WEIGHT * (awake + survival * (hi + terms.wakeCost)) + ownCost
      if (hi >= terms.floor && cost < least) [least, best] = [cost, hi]
    }
    return gaps < FEW_GAPS ? Math.max(terms.floor, Math.min(best, MAX_UNKNOWN)) : best
  }

  function learn(length: number, hiddenBelow = 0): void {
    gaps += 1
    for (const bin of bins) {
      if (bin.lo <= hiddenBelow) continue
      bin.ownCost = DECAY * bin.ownCost + gapCost(length, bin.hi, terms.wakeCost)
      if (bin.lo > length) continue
      const outcome = length <= bin.hi ? 1 : 0
      count(bin.own, outcome)
      count(bin.group, outcome)
    }
  }
  return { decide, learn }
}

/** Share of outcomes that were 1, newer ones with more weight, and their number. */
type Counter = { mean: number; outcomes: number }

/** `ownCost`: decayed sum of what a delay of `hi` would have cost in the compute's own gaps. */
type LearnedBin = Readonly<{ lo: number; hi: number; middle: number; own: Counter; group: Counter }> & {
  ownCost: number
}

const newCounter = (mean: number): Counter => ({ mean, outcomes: 0 })

function count(counter: Counter, outcome: 0 | 1): void {
  counter.mean += (outcome - counter.mean) / (Math.min(counter.outcomes, LIMIT) + PRIOR_WEIGHT + 1)
  counter.outcomes += 1
}

/** Mean in the logistic domain: the geometric mean of the odds. */
function meanOfOdds(a: number, b: number): number {
  const odds = Math.sqrt(oddsOf(a) * oddsOf(b))
  return Math.min(MOST, Math.max(LEAST, odds / (1 + odds)))
}

function oddsOf(probability: number): number {
  const bounded = Math.min(0.995, Math.max(0.0005, probability))
  return bounded / (1 - bounded)
}
