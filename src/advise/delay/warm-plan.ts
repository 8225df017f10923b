// The plan of a gap with the least expected cost: a backward dynamic programme over the steps of the gap.
//
// 1. S(i): probability that the gap is longer than i steps. A step awake costs S(i). In a step asleep the gap ends with probability
//    S(i) - S(i + 1), and the client costs a wake.
// 2. W(i): least expected cost from step i on where the compute is asleep, over all gaps, not only those that reach i. It is the less of
//    asleep, `B · (S(i) - S(i + 1)) + W(i + 1)`, and of a start with the steps awake after it. With the suspend lever the compute stays awake
//    as long as that is cheaper, at least for the floor; without it, for the delay in force. A compute that falls asleep stays so for a step:
//    starts one after the other would be no suspensions.
// 3. Behind the last step that is learned each gap costs a wake.
// 4. The delay is part of the plan: with the lever the compute falls asleep where that is cheaper; without it the programme is solved for
//    delays up to the price of a wake.
import { hiOf, loOf } from './bins.ts'
import { LEARNED_BINS } from './fleet-hazard.ts'
import type { GapPlan, GapPrices, WarmUp } from './gap-plan.ts'
import { longestDelay, withinLongest, type GuardTerms } from './guard.ts'
import type { Hazard } from './hazard.ts'

/** Steps. */
export type WarmUpTerms = GuardTerms &
  GapPrices &
  Readonly<{
    /** Whether an awake compute can be suspended at any step after the floor. Else a warmed compute stays awake for the delay in force. */
    hasSuspendLever: boolean
  }>

/** Steps before the predicted activity at which a compute is started: clients are seen a minute apart. */
const LEAD = 1

/** Steps that are learned, the last index of `GapOdds`. */
const STEPS = hiOf(LEARNED_BINS - 1)

/** By number of steps: probability that the gap is longer, and expected steps awake of a compute that is awake until then. */
export type GapOdds = Readonly<{ survival: Float64Array; awake: Float64Array }>

/** Inside a bin each length is as likely, as in `expectedCosts`. */
export function gapOdds(hazard: Hazard): GapOdds {
  const [survival, awake] = [new Float64Array(STEPS + 1), new Float64Array(STEPS + 1)]
  survival[0] = 1
  for (let bin = 0; bin < LEARNED_BINS; bin += 1) {
    const first = loOf(bin) - 1
    const width = hiOf(bin) - first
    const reached = at(survival, first)
    const ends = hazard(bin) / width
    for (let step = first; step < first + width; step += 1) {
      awake[step + 1] = at(awake, step) + at(survival, step)
      survival[step + 1] = reached * (1 - ends * (step + 1 - first))
    }
  }
  return { survival, awake }
}

/** Delay and warm-ups with the least expected cost; without warm-ups where none are allowed. */
export function bestPlan(odds: GapOdds, terms: WarmUpTerms): GapPlan {
  const delay = terms.hasSuspendLever ? delayAtWill(odds, terms) : delayForWarmUps(odds, terms)
  return planAfter(odds, terms, delay)
}

/**
 * Warm-ups with the least expected cost after a delay, as many as the guard allows. Without the suspend lever there are none unless a wake
 * costs more than the delay and the lead.
 */
export function planAfter(odds: GapOdds, terms: WarmUpTerms, delay: number): GapPlan {
  if (!mayWarmUp(terms, delay)) return { delay, warmUps: [] }
  const least = terms.hasSuspendLever ? terms.floor : delay
  return withinLongest({ delay, warmUps: warmUpsIn(solve(odds, terms, least), delay, least) }, terms)
}

/** Expected cost of a gap, steps. */
export function expectedPlanCost({ survival, awake }: GapOdds, prices: GapPrices, plan: GapPlan): number {
  const longer = (step: number) => at(survival, step)
  const until = (step: number) => at(awake, step)
  let [cost, asleepFrom] = [until(plan.delay), plan.delay]
  for (const { from, length } of plan.warmUps) {
    cost += prices.wakeCost * (longer(asleepFrom) - longer(from)) + prices.startCost * longer(from)
    cost += until(from + length) - until(from)
    asleepFrom = from + length
  }
  return cost + prices.wakeCost * longer(asleepFrom)
}

/** Whether a warm-up after the delay can gain anything. */
export const mayWarmUp = (terms: WarmUpTerms, delay: number): boolean =>
  delay < longestDelay(terms) && (terms.hasSuspendLever || terms.wakeCost > delay + LEAD)

function delayAtWill(odds: GapOdds, terms: WarmUpTerms): number {
  return Math.min(awakeUntil(solve(odds, terms, terms.floor), terms.floor), longestDelay(terms))
}

/** Delays up to which each one is tried, and the step between those above: they differ less from each other. */
const [FINE_DELAYS, COARSE_STEP] = [8, 4]

/** Cheapest delay that allows warm-ups, the floor where none does. Delays that cannot cost least are not tried. */
function delayForWarmUps(odds: GapOdds, terms: WarmUpTerms): number {
  let [least, best] = [Infinity, terms.floor]
  // a gap that is longer than the delay costs at least a wake, or a start and a step
  const leastAfter = Math.min(terms.wakeCost, terms.startCost + 1)
  for (let delay = terms.floor; delay < STEPS && mayWarmUp(terms, delay); delay = nextDelay(delay)) {
    const before = at(odds.awake, delay)
    if (before >= least) break
    if (before + leastAfter * at(odds.survival, delay) >= least) continue
    const cost = before + at(solve(odds, terms, delay).fallen, delay)
    if (cost < least) [least, best] = [cost, delay]
  }
  return best
}

const nextDelay = (delay: number) =>
  delay < FINE_DELAYS ? delay + 1 : (Math.floor(delay / COARSE_STEP) + 1) * COARSE_STEP

/** The last one of `values` behind their end. */
const at = (values: Float64Array, index: number): number => values[Math.min(index, STEPS)] ?? 0

/**
 * By step, least expected cost from there on where the compute just fell asleep; whether one that is asleep is started, and whether one that is
 * awake stays so: 1 or 0.
 */
type Programme = Readonly<{ fallen: Float64Array; starts: Uint8Array; stays: Uint8Array }>

/** @param least steps that a started compute stays awake at least */
function solve({ survival, awake }: GapOdds, terms: WarmUpTerms, least: number): Programme {
  const newCosts = () => new Float64Array(STEPS + 1).fill(terms.wakeCost * at(survival, STEPS))
  const [fallen, asleep, up] = [newCosts(), newCosts(), newCosts()]
  const [starts, stays] = [new Uint8Array(STEPS), new Uint8Array(STEPS)]
  const afterStart = terms.hasSuspendLever ? up : fallen
  for (let step = STEPS - 1; step >= 0; step -= 1) {
    const reached = at(survival, step)
    const sleep = terms.wakeCost * (reached - at(survival, step + 1)) + at(asleep, step + 1)
    const stay = reached + at(up, step + 1)
    const end = Math.min(STEPS, step + least)
    const start = terms.startCost * reached + at(awake, end) - at(awake, step) + at(afterStart, end)
    fallen[step] = sleep
    asleep[step] = Math.min(sleep, start)
    up[step] = Math.min(sleep, stay)
    starts[step] = Number(start < sleep)
    stays[step] = Number(terms.hasSuspendLever && stay < sleep)
  }
  return { fallen, starts, stays }
}

function warmUpsIn(programme: Programme, delay: number, least: number): readonly WarmUp[] {
  const warmUps: WarmUp[] = []
  for (let step = delay + 1; step < STEPS; step += 1) {
    if (programme.starts[step] !== 1) continue
    const end = awakeUntil(programme, step + least)
    warmUps.push({ from: step, length: end - step })
    step = end
  }
  return warmUps
}

/** First step at which a compute that is awake falls asleep. */
function awakeUntil({ stays }: Programme, from: number): number {
  let step = from
  while (stays[step] === 1) step += 1
  return step
}
