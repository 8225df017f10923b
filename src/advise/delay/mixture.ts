// Outcomes of bins, counted by context, and a mixture of the counters in the logistic domain: its weights learn which contexts are right.

/** Share of outcomes that were 1, newer ones with more weight, and their number. */
export type Counter = { mean: number; outcomes: number }

/** @param limit the weight of the newest outcome does not fall below `1 / limit` */
export function count(counter: Counter, outcome: number, limit: number): void {
  counter.mean += (outcome - counter.mean) / (Math.min(counter.outcomes, limit) + 2)
  counter.outcomes += 1
}

/** Counter by key, made at its first use with the mean that `startOf` gives. */
export type CounterTable = (key: number) => Counter

export function createCounterTable(startOf: (key: number) => number): CounterTable {
  const counters = new Map<number, Counter>()
  return (key) => valueAt(counters, key, () => ({ mean: startOf(key), outcomes: 0 }))
}

/** Logarithm of the odds of a probability, bounded: no outcome is certain. */
export function logOdds(probability: number): number {
  const bounded = Math.min(0.995, Math.max(0.0005, probability))
  return Math.log(bounded / (1 - bounded))
}

export const fromLogOdds = (value: number): number => 1 / (1 + Math.exp(-value))

/** Weights of the inputs of a mixture, and the number of outcomes they learned from. */
export type Weights = { readonly values: Float64Array; outcomes: number }

/** Weights by key, made at their first use as a copy of `start`. */
export function createWeightTable(start: readonly number[]): (key: number) => Weights {
  const weights = new Map<number, Weights>()
  return (key) => valueAt(weights, key, () => ({ values: Float64Array.from(start), outcomes: 0 }))
}

/** Logarithm of the odds that the weights give to the inputs. */
export function mixed({ values }: Weights, inputs: Float64Array): number {
  let sum = 0
  for (let at = 0; at < values.length; at += 1) sum += (values[at] ?? 0) * (inputs[at] ?? 0)
  return sum
}

/** Learning rate of weights: falls with the number of outcomes, but not below the least. Larger ones forget small fleets. */
const [RATE, RATE_STEPS, MIN_RATE] = [0.005, 50, 0.001]

export function learnWeights(weights: Weights, inputs: Float64Array, outcome: number): void {
  const rate = Math.max(MIN_RATE, RATE / Math.sqrt(1 + weights.outcomes / RATE_STEPS))
  const step = rate * (outcome - fromLogOdds(mixed(weights, inputs)))
  const { values } = weights
  for (let at = 0; at < values.length; at += 1) values[at] = (values[at] ?? 0) + step * (inputs[at] ?? 0)
  weights.outcomes += 1
}

function valueAt<Value>(values: Map<number, Value>, key: number, create: () => Value): Value {
  const found = values.get(key)
  if (found) return found
  const created = create()
  values.set(key, created)
  return created
}
