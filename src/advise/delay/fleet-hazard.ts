// Hazard of a gap from what the computes of a fleet have in common: not how long their gaps are, but how a gap relates to the ones before it.
//
// 1. Contexts: the bin's own counter, its group's, and three tables of counters over the fleet. Their keys are the hits and misses of the bin
//    so far; where the bin lies against the last three gaps; how many of the last 16 gaps reached it and ended near it.
// 2. The probabilities of the contexts are mixed in the logistic domain, by two sets of weights: by number of gaps and by last gap, each by
//    group of bins. The hazard is the mean of both mixtures.
// 3. Weights and counters learn from each bin that a gap reached.
//
// Tables by the last gaps' lengths gained under a point on every set, and lengths pooled over the fleet lose: most come from its busiest computes.
import { binOf, priorHazard } from './bins.ts'

/** Bins that are learned, up to 128 steps: longer delays are no candidates. */
export const LEARNED_BINS = 64
/** First bin of each group. */
export const GROUP_STARTS: readonly number[] = [0, 1, 2, 3, 4, 6, 10, 15, 22, 32, 48]

export const groupOf = (bin: number): number => GROUP_STARTS.findLastIndex((start) => start <= bin)

/** Share of outcomes that were 1, newer ones with more weight, and their number. */
export type Counter = { mean: number; outcomes: number }

export const newCounter = (mean: number): Counter => ({ mean, outcomes: 0 })

/** @param limit the weight of the newest outcome does not fall below `1 / limit` */
export function count(counter: Counter, outcome: number, limit: number): void {
  counter.mean += (outcome - counter.mean) / (Math.min(counter.outcomes, limit) + 2)
  counter.outcomes += 1
}

/** Logarithm of the odds of a probability, bounded: no outcome is certain. */
export const logOdds = (probability: number): number => {
  const bounded = Math.min(0.995, Math.max(0.0005, probability))
  return Math.log(bounded / (1 - bounded))
}

export const fromLogOdds = (value: number): number => 1 / (1 + Math.exp(-value))

/** Own counters of a bin and of its group. */
export type OwnCounters = Readonly<{ own: Counter; group: Counter }>

/** Past gaps of one compute as evidence of the next. */
export type GapRelations = Readonly<{
  hazard: (bin: number, counters: OwnCounters) => number
  /** For each bin that the gap reached, before its own counters learn; `outcome` is 1 in the bin it ended in. */
  learnBin: (bin: number, counters: OwnCounters, outcome: number) => void
  /** At the end of a gap, whole steps. */
  endGap: (length: number) => void
}>

/** Knowledge of the fleet; each call makes the relations of one compute that shares it. */
export type FleetHazard = () => GapRelations

/** Contexts of a bin: two own counters, three tables. */
const CONTEXTS = 5
const OWN_CONTEXTS = 2
/** Outcomes that a counter of the fleet remembers, and those of its start in a bin. */
const FLEET_LIMIT = 400
/** Weights at the start: all contexts share 0.7, the two own ones have 0.15 more each. */
const SHARED_WEIGHT = 0.7
const OWN_WEIGHT = 0.15
/** Learning rate of weights: falls with the number of outcomes, but not below the least. Larger ones forget small fleets. */
const [RATE, RATE_STEPS, MIN_RATE] = [0.005, 50, 0.001]
/** Past gaps that are compared. */
const RECENT = 16
/** Logarithmic buckets of a count: 0, 1, 2, 3–4, 5–8, … */
const BUCKETS = 8
/** Positions of a bin against a gap: far before, before, in, after, far after, none. */
const POSITIONS = 6
const NEAR = 2

type Weights = { readonly values: Float64Array; outcomes: number }

export function createFleetHazard(): FleetHazard {
  const groupByBin = Array.from({ length: LEARNED_BINS }, (_, bin) => groupOf(bin))
  const base = counters(LEARNED_BINS, (bin) => priorHazard(bin))
  const history = counters(BUCKETS * BUCKETS * 4)
  const positions = counters(GROUP_STARTS.length * POSITIONS ** 3)
  const neighbours = counters(GROUP_STARTS.length * BUCKETS * BUCKETS)
  const byGaps = Array.from({ length: GROUP_STARTS.length * BUCKETS }, newWeights)
  const byLast = Array.from({ length: GROUP_STARTS.length * BUCKETS }, newWeights)

  const inputsOf = ({ own, group }: OwnCounters, bin: number, tables: readonly (Counter | undefined)[]) => {
    const unknown = base[bin]?.mean ?? 0
    const means = tables.map((table) => (table && table.outcomes > 0 ? table.mean : unknown))
    return [own.mean, group.mean, ...means].map(logOdds)
  }

  return () => {
    const past = createPast()

    const tablesOf = (bin: number, group: number): readonly (Counter | undefined)[] => [
      history[past.historyKey(bin)],
      positions[group * POSITIONS ** 3 + past.positionKey(bin)],
      neighbours[group * BUCKETS * BUCKETS + past.neighbourKey(bin)],
    ]
    const weightsOf = (group: number) =>
      [byGaps[group * BUCKETS + bucketOf(past.gaps())], byLast[group * BUCKETS + past.lastKey()]].filter(
        (weights) => weights !== undefined,
      )
    return {
      hazard(bin, own) {
        const group = groupByBin[bin] ?? 0
        const inputs = inputsOf(own, bin, tablesOf(bin, group))
        const sets = weightsOf(group)
        return fromLogOdds(sets.reduce((sum, set) => sum + mixed(set, inputs), 0) / sets.length)
      },
      learnBin(bin, own, outcome) {
        const group = groupByBin[bin] ?? 0
        const tables = tablesOf(bin, group)
        const inputs = inputsOf(own, bin, tables)
        for (const set of weightsOf(group)) learnWeights(set, inputs, outcome)
        const start = base[bin]
        for (const table of tables) if (table && start) learnTable(table, start.mean, outcome)
        if (start) count(start, outcome, FLEET_LIMIT)
        past.learn(bin, outcome)
      },
      endGap: (length) => past.endGap(length),
    }
  }
}

const counters = (length: number, meanOf: (at: number) => number = () => 0): readonly Counter[] =>
  Array.from({ length }, (_, at) => newCounter(meanOf(at)))

const newWeights = (): Weights => ({
  values: Float64Array.from(
    { length: CONTEXTS },
    (_, at) => SHARED_WEIGHT / CONTEXTS + (at < OWN_CONTEXTS ? OWN_WEIGHT : 0),
  ),
  outcomes: 0,
})

function mixed({ values }: Weights, inputs: readonly number[]): number {
  let sum = 0
  for (const [at, input] of inputs.entries()) sum += (values[at] ?? 0) * input
  return sum
}

function learnWeights(set: Weights, inputs: readonly number[], outcome: number): void {
  const rate = Math.max(MIN_RATE, RATE / Math.sqrt(1 + set.outcomes / RATE_STEPS))
  const step = rate * (outcome - fromLogOdds(mixed(set, inputs)))
  for (const [at, input] of inputs.entries()) set.values[at] = (set.values[at] ?? 0) + step * input
  set.outcomes += 1
}

function learnTable(table: Counter, start: number, outcome: number): void {
  if (table.outcomes === 0) table.mean = start
  count(table, outcome, FLEET_LIMIT)
}

const bucketOf = (n: number): number => (n < 3 ? n : Math.min(BUCKETS - 1, 1 + Math.ceil(Math.log2(n))))

/** Bucket of a bin, from 1 on; 0 without one. */
const binBucket = (bin: number | undefined): number =>
  bin === undefined ? 0 : 1 + Math.min(BUCKETS - 2, Math.floor(Math.log2(bin + 1)))

/** Where `bin` lies against a gap that ended in `ended`. */
function positionOf(bin: number, ended: number | undefined): number {
  if (ended === undefined) return POSITIONS - 1
  const distance = Math.max(-NEAR - 1, Math.min(NEAR + 1, bin - ended))
  return Math.sign(distance) * (Math.abs(distance) > NEAR ? 2 : 1) + 2
}

/** What the gaps of one compute say about a bin, as keys of the tables. */
function createPast() {
  const bins = Array.from({ length: LEARNED_BINS }, () => ({
    hits: 0,
    misses: 0,
    lastTwo: 0,
    near: 0,
    reached: 0,
  }))
  const none = { hits: 0, misses: 0, lastTwo: 0, near: 0, reached: 0 }
  // bins of the last gaps
  let recent: readonly number[] = []
  let gaps = 0
  return {
    gaps: () => gaps,
    lastKey: () => binBucket(recent.at(-1)),
    historyKey(bin: number): number {
      const { hits, misses, lastTwo } = bins[bin] ?? none
      return (bucketOf(misses) * BUCKETS + bucketOf(hits)) * 4 + lastTwo
    },
    positionKey: (bin: number): number =>
      [1, 2, 3].reduce((key, back) => key * POSITIONS + positionOf(bin, recent.at(-back)), 0),
    neighbourKey(bin: number): number {
      const { near, reached } = bins[bin] ?? none
      return bucketOf(near) * BUCKETS + bucketOf(reached)
    },
    learn(bin: number, outcome: number): void {
      const one = bins[bin] ?? none
      one.hits += outcome
      one.misses += 1 - outcome
      one.lastTwo = ((one.lastTwo << 1) | outcome) & 3
    },
    endGap(length: number): void {
      gaps += 1
      recent = [...recent, binOf(length)].slice(-RECENT)
      for (const [at, bin] of bins.entries()) {
        bin.near = recent.filter((ended) => Math.abs(ended - at) <= 1).length
        bin.reached = recent.filter((ended) => ended >= at).length
      }
    },
  }
}
