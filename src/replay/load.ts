// Sizes of computes replayed over recorded load.
//
// - A series is played as a compute of `S` CU: demand d(t) = min(1, used / capacity) · S, in steps of five minutes. Steps without a value
//   are left out.
// - A rule sees the load of a step after it, at most the size that the compute had: an undersized compute hides its demand.
// - Regret and best fixed size are against what would have been the cheapest in hindsight with at most 0.5 % of the time throttled, with
//   the same floor. Slack is what the range costs beyond the sizes that its demand needs, without lag and holding.
import { scaleStep } from '../advise/sizing/autoscaler.ts'
import type { SizeLimits } from '../advise/sizing/range.ts'
import { isFixed, isSameSizing, type Sizing } from '../model/service/compute.ts'
import type { Cu } from '../model/units.ts'
import { sumOf } from '../std/sum.ts'

/** Share of capacity, 0 to 1, for each five-minute step; NaN where there is no value. */
export type LoadSeries = Readonly<{ name: string; used: Float64Array }>

/** Sees each step, `undefined` where it has no value, and returns the sizing of the next one. */
export type RunningSizeRule = (load: number | undefined) => Sizing

export type SizeRule = Readonly<{
  name: string
  start: (sizing: Sizing, limits: SizeLimits) => RunningSizeRule
}>

/** Share of time that may be throttled. */
const THROTTLED_OK = 0.005

type Played = Readonly<{ cost: number; throttled: number; restarts: number }>

/** Cost: CU times steps. Throttled: share of the steps. */
export function playLoad(
  demand: Float64Array,
  running: { sizing: Sizing; next: RunningSizeRule },
  sizes: readonly Cu[],
): Played {
  let [cost, throttled, steps, restarts] = [0, 0, 0, 0]
  let { sizing } = running
  let before: ReturnType<typeof scaleStep> | undefined
  for (const wanted of demand) {
    const isMissing = Number.isNaN(wanted)
    before = isMissing ? undefined : scaleStep(wanted, { sizing, sizes }, before)
    if (before) {
      cost += before.cu
      throttled += before.throttled
      steps += 1
    }
    const next = running.next(before && Math.min(wanted, before.cu))
    if (!isSameSizing(sizing, next)) restarts += 1
    sizing = next
  }
  return { cost, throttled: steps === 0 ? 0 : throttled / steps, restarts }
}

/** What the rules are compared with, for one compute. */
type Hindsight = Readonly<{ bestFixed: number; bestPair: number; needed: number }>

function hindsightOf(demand: Float64Array, { sizes, least, size }: ComputeOptions): Hindsight {
  const candidates = sizes.filter((one) => one >= least && one <= size)
  let [bestFixed, bestPair] = [Infinity, Infinity]
  for (const max of candidates)
    for (const min of candidates.filter((one) => one <= max)) {
      const sizing: Sizing = min === max ? { fixed: max } : { min, max }
      const { cost, throttled } = playLoad(demand, { sizing, next: () => sizing }, sizes)
      if (throttled > THROTTLED_OK) continue
      bestPair = Math.min(bestPair, cost)
      if (isFixed(sizing)) bestFixed = Math.min(bestFixed, cost)
    }
  return { bestFixed, bestPair, needed: neededBy(demand, { sizes, least, size }) }
}

/** Cost of `[least, size]` without lag and without holding. */
function neededBy(demand: Float64Array, { sizes, least, size }: ComputeOptions): number {
  const sizing: Sizing = { min: least, max: size }
  let cost = 0
  for (const wanted of demand)
    if (!Number.isNaN(wanted)) cost += scaleStep(wanted, { sizing, sizes }, undefined).cu
  return cost
}

type ComputeOptions = Readonly<{ sizes: readonly Cu[]; least: Cu; size: Cu }>

/** Compute of a replay: a series at one size, with a floor of the minimum. */
export type LoadCompute = Readonly<{
  demand: Float64Array
  size: Cu
  limits: SizeLimits
  hindsight: Hindsight
}>

export function loadComputeOf({ used }: LoadSeries, size: Cu, limits: SizeLimits): LoadCompute {
  const demand = used.map((share) => share * size)
  return { demand, size, limits, hindsight: hindsightOf(demand, { ...limits, size }) }
}

/** Figures of a rule over all computes. */
export type LoadFigures = Readonly<{
  /** Sum of costs by the sum of those of the best fixed sizes. */
  cost_of_best_fixed: number
  regret_pct: number
  excess_slack_pct: number
  throttled_mean_pct: number
  /** Computes with at most 0.5 % of the time throttled. */
  throttled_ok_pct: number
  restarts_mean: number
  restarts_max: number
}>

/** @param share of its size that a compute begins with, as a fixed size */
export function playRule(computes: readonly LoadCompute[], rule: SizeRule, share: number): LoadFigures {
  const played = computes.map(({ demand, size, limits }) => {
    const sizing: Sizing = { fixed: (size * share) as Cu }
    return playLoad(demand, { sizing, next: rule.start(sizing, limits) }, limits.sizes)
  })
  const cost = sumOf(played, (one) => one.cost)
  const inHindsight = (of: (hindsight: Hindsight) => number) => sumOf(computes, (one) => of(one.hindsight))
  const mean = (of: (one: Played) => number) => sumOf(played, of) / played.length
  return {
    cost_of_best_fixed: cost / inHindsight(({ bestFixed }) => bestFixed),
    regret_pct: 100 * (cost / inHindsight(({ bestPair }) => bestPair) - 1),
    excess_slack_pct: (100 * (cost - inHindsight(({ needed }) => needed))) / cost,
    throttled_mean_pct: 100 * mean((one) => one.throttled),
    throttled_ok_pct: 100 * mean((one) => Number(one.throttled <= THROTTLED_OK)),
    restarts_mean: mean((one) => one.restarts),
    restarts_max: Math.max(...played.map((one) => one.restarts)),
  }
}
