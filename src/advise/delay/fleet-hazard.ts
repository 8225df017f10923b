// Hazard of the gap in progress of a compute, from its own gaps and from what the computes of a fleet have in common: not how long their
// gaps are, but how a gap relates to what the compute did before.
//
// 1. Contexts of a bin: the compute's own counters of the bin and of its group of bins, and two tables of counters that the fleet shares,
//    by the keys of past.ts.
// 2. Two sets of weights mix the contexts, by number of gaps and by last gap, each by group of bins. The hazard is the mean of both
//    mixtures, joined with the mean of the own counters: the share of the mixtures grows with the number of gaps.
// 3. Weights and counters learn "no" from each bin as soon as a gap in progress passed it, and "yes" from the bin that a gap ended in. If
//    only gaps that ended taught, the long ones in progress would be missing, and the fleet would expect activity too soon.
//
// Other contexts gained under two points on all sets but one: hits and misses of the bin, gaps that ended near it, times between onsets,
// length of the activity before, last lengths, recent rate. Lengths pooled over the fleet lose: most come from busy computes.
import { hiOf, loOf, priorHazard } from './bins.ts'
import {
  count,
  createCounterTable,
  createWeightTable,
  fromLogOdds,
  learnWeights,
  logOdds,
  mixed,
  type Counter,
  type Weights,
} from './mixture.ts'
import { createPast, POSITION_KEYS, WINDOW_KEYS } from './past.ts'

/** Bins that are learned, up to 128 steps: longer delays are no candidates. */
export const LEARNED_BINS = 64

/** Hazard of one compute. Whole steps; `at` is of a clock that all computes of the fleet share. */
export type ComputeHazard = Readonly<{
  /** At the first idle step after activity. Bins below `hiddenBelow` learn nothing. */
  beginGap: (at: number, hiddenBelow: number) => void
  /** While a gap is in progress. */
  hazard: (bin: number) => number
  endGap: (length: number) => void
  /** Number of gaps that ended. */
  gaps: () => number
}>

/** Knowledge of the fleet; each call adds a compute. */
export type FleetHazard = () => ComputeHazard

/** Outcomes that an own counter remembers: gaps change over weeks. */
const OWN_LIMIT = 100
/** Outcomes that a counter of the fleet remembers. */
const FLEET_LIMIT = 400
/** Weights at the start, two own counters before two tables: all share 0.7 equally, the own ones have 0.15 more each. */
const START_WEIGHTS = [0.325, 0.325, 0.175, 0.175]
const OWN_CONTEXTS = 2
/** Gaps from which the mixture decides alone: what it learns first comes from the busiest computes, and costs rarely used ones 7 points (B = 1800 s). */
const MIXED_GAPS = 8

export function createFleetHazard(): FleetHazard {
  const base = createCounterTable(priorHazard)
  const positions = createCounterTable(() => 0)
  const windows = createCounterTable(() => 0)
  const byGaps = createWeightTable(START_WEIGHTS)
  const byLast = createWeightTable(START_WEIGHTS)
  const passes = createPasses()

  return () => {
    const past = createPast()
    const ownBins = createCounterTable(priorHazard)
    const ownGroups = createCounterTable((group) => priorHazard(GROUP_STARTS[group] ?? 0))
    const inputs = new Float64Array(START_WEIGHTS.length)
    // of the gap in progress: its number, its first bin that did not learn yet, and the contexts of bins that were asked for
    let [gap, next] = [0, 0]
    let contexts: BinContexts[] = []

    const contextsOf = (bin: number) => (contexts[bin] ??= newContexts(bin))

    function newContexts(bin: number): BinContexts {
      const group = GROUP_BY_BIN[bin] ?? 0
      return {
        start: base(bin),
        own: [ownBins(bin), ownGroups(group)],
        tables: [
          positions(group * POSITION_KEYS + past.positionKey(bin)),
          windows(group * WINDOW_KEYS + past.windowKey(bin)),
        ],
        weights: [
          byGaps(group * BUCKETS + bucketOf(past.gaps())),
          byLast(group * BUCKETS + binBucket(past.last())),
        ],
      }
    }

    function readInputs({ start, own, tables }: BinContexts): void {
      for (const [at, { mean }] of own.entries()) inputs[at] = logOdds(mean)
      for (const [at, { mean, outcomes }] of tables.entries())
        inputs[OWN_CONTEXTS + at] = logOdds(outcomes > 0 ? mean : start.mean)
    }

    function learn(bin: number, outcome: number): void {
      const one = contextsOf(bin)
      readInputs(one)
      for (const weights of one.weights) learnWeights(weights, inputs, outcome)
      for (const counter of one.own) count(counter, outcome, OWN_LIMIT)
      for (const counter of one.tables) {
        if (counter.outcomes === 0) counter.mean = one.start.mean
        count(counter, outcome, FLEET_LIMIT)
      }
      count(one.start, outcome, FLEET_LIMIT)
    }

    function awaitPass(from: number, bin: number): void {
      if (bin >= LEARNED_BINS) return
      const awaited = gap
      const pass = () => {
        if (gap !== awaited) return
        learn(bin, 0)
        next = bin + 1
        awaitPass(from, next)
      }
      passes.add(from + hiOf(bin) + 1, pass)
    }

    return {
      beginGap(at, hiddenBelow) {
        passes.advance(at)
        past.beginGap(at)
        gap += 1
        next = BINS.find((bin) => loOf(bin) > hiddenBelow) ?? LEARNED_BINS
        contexts = []
        awaitPass(at, next)
      },
      hazard(bin) {
        const one = contextsOf(bin)
        readInputs(one)
        const mixture = one.weights.reduce((sum, weights) => sum + mixed(weights, inputs), 0)
        const share = Math.min(1, past.gaps() / MIXED_GAPS)
        const ownMean = ((inputs[0] ?? 0) + (inputs[1] ?? 0)) / OWN_CONTEXTS
        return fromLogOdds((share * mixture) / one.weights.length + (1 - share) * ownMean)
      },
      endGap(length) {
        gap += 1
        for (; next < LEARNED_BINS && loOf(next) <= length; next += 1)
          learn(next, length <= hiOf(next) ? 1 : 0)
        past.endGap(length)
      },
      gaps: past.gaps,
    }
  }
}

/** Contexts of a bin. `start`: counter of the bin over the fleet, whose mean the counters of `tables` start with. */
type BinContexts = Readonly<{
  start: Counter
  own: readonly Counter[]
  tables: readonly Counter[]
  weights: readonly Weights[]
}>

const BINS: readonly number[] = Array.from({ length: LEARNED_BINS }, (_, bin) => bin)
/** First bin of each group. */
const GROUP_STARTS: readonly number[] = [0, 1, 2, 3, 4, 6, 10, 15, 22, 32, 48]
const GROUP_BY_BIN: readonly number[] = BINS.map((bin) => GROUP_STARTS.findLastIndex((start) => start <= bin))

/** Calls at steps to come, in order of their step, then of their addition. */
function createPasses() {
  const due = new Map<number, (() => void)[]>()
  let clock = 0
  return {
    /** @param at step after the last `advance` */
    add(at: number, pass: () => void): void {
      const others = due.get(at)
      if (others) others.push(pass)
      else due.set(at, [pass])
    },
    advance(to: number): void {
      while (clock < to && due.size > 0) {
        clock += 1
        for (const pass of due.get(clock) ?? []) pass()
        due.delete(clock)
      }
      clock = Math.max(clock, to)
    },
  }
}

/** Logarithmic buckets of a count: 0, 1, 2, 3–4, 5–8, … */
const BUCKETS = 8

const bucketOf = (n: number): number => (n < 3 ? n : Math.min(BUCKETS - 1, 1 + Math.ceil(Math.log2(n))))

/** Bucket of a bin, from 1 on; 0 without one. */
const binBucket = (bin: number | undefined): number =>
  bin === undefined ? 0 : 1 + Math.min(BUCKETS - 2, Math.floor(Math.log2(bin + 1)))
