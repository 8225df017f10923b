// The delay with the least expected cost, for all gaps of a compute: what a person sets once.
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import { binOf, hiOf, stepsOf } from './bins.ts'
import { expectedCosts, gapHazard, type GapLength } from './hazard.ts'

/** Delays that may be recommended. */
export type AllowedDelays = Readonly<{
  /** Undefined: no delay is allowed by plan and policy alike. */
  range: Readonly<{ from: Seconds; to: Seconds }> | undefined
  mayNever: boolean
}>

export type DelayQuestion = Readonly<{
  candidates: readonly AutosuspendDelay[]
  /** Delay in force. */
  now: AutosuspendDelay
  wakeCost: Seconds
  grid: Seconds
}>

/**
 * The candidate with the least expected cost, undefined where it is not cheaper than the delay in force by the hysteresis. Of delays that are
 * as good the shortest, which saves the most money for certain.
 *
 * @param gaps of the last `HISTORY_SECONDS`
 */
export function cheaperDelay(
  gaps: readonly GapLength[],
  { candidates, now, wakeCost, grid }: DelayQuestion,
): AutosuspendDelay | undefined {
  const delays = ascending([...candidates, now])
  const steps = delays.map((delay) => delay / grid)
  const costs = expectedCosts(gapHazard(gaps, grid), steps, wakeCost / grid)
  const costByDelay = new Map<AutosuspendDelay, number>(
    delays.map((delay, at) => [delay, (costs[at] ?? 0) * grid]),
  )
  costByDelay.set('never', gaps.reduce((sum, { low, high }) => sum + (low + high) / 2, 0) / gaps.length)
  return cheaperByCost((delay) => costByDelay.get(delay) ?? Infinity, { candidates, now })
}

/**
 * @param costOf of candidates and of the delay in force: the least wins by the rules of `cheaperDelay`
 */
export function cheaperByCost(
  costOf: (delay: AutosuspendDelay) => number,
  { candidates, now }: Pick<DelayQuestion, 'candidates' | 'now'>,
): AutosuspendDelay | undefined {
  const delays = ascending([...candidates, now])
  const isBetter = (delay: AutosuspendDelay, than: AutosuspendDelay) =>
    costOf(delay) < (1 - HYSTERESIS) * costOf(than)
  const cheapest = candidates
    .filter((delay) => delay !== 'never')
    .reduce<AutosuspendDelay>((least, delay) => (costOf(delay) < costOf(least) ? delay : least), now)
  // the cost of `never` has no bound: it takes as much to be preferred as a change does
  const best = candidates.includes('never') && isBetter('never', cheapest) ? 'never' : cheapest
  if (!isBetter(best, now)) return undefined
  const isAsGood = (delay: AutosuspendDelay) =>
    costOf(delay) <= (1 + INDISTINCT) * costOf(best) && isBetter(delay, now)
  return best === 'never' ? best : delays.find(isAsGood)
}

/** Without `never`. */
const ascending = (delays: readonly AutosuspendDelay[]): readonly Seconds[] =>
  [...new Set(delays)].filter((delay) => delay !== 'never').toSorted((a, b) => a - b)

/** Gaps that count, 28 days: four weeks hold each weekday equally often. */
export const HISTORY_SECONDS = 28 * 86_400

/** Share by which the expected cost must fall before another delay is recommended: smaller differences are within chance. */
const HYSTERESIS = 0.05

/**
 * Share of the expected cost within which delays are as good as each other, 2 %: the cost of recorded gaps is as far from that of the true ones,
 * on average of 40 recorded computes with looks a minute apart.
 */
const INDISTINCT = 0.02

/** Longest delay, in prices of a wake, 4: a longer one costs more than the worst case of ski rental by far. */
const LONGEST_DELAY_IN_WAKES = 4

/** Upper edges of the bins in the range, its ends, and `never`. */
export function candidateDelays(
  { range, mayNever }: AllowedDelays,
  wakeCost: Seconds,
  grid: Seconds,
): readonly AutosuspendDelay[] {
  const never = mayNever ? (['never'] as const) : []
  if (!range) return never
  const longest = Math.min(range.to, Math.max(LONGEST_DELAY_IN_WAKES * wakeCost, range.from))
  const delays = [range.from]
  for (let bin = binOf(stepsOf(range.from, grid)); hiOf(bin) * grid < longest; bin += 1)
    if (hiOf(bin) * grid > range.from) delays.push(seconds(hiOf(bin) * grid))
  return [...delays, ...(longest > range.from ? [seconds(longest)] : []), ...never]
}
