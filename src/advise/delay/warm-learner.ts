// Warm-ups beside the per-gap delay: which gaps are planned with them.
//
// 1. The delay learner chooses a delay as if there were no warm-ups.
// 2. From the same hazard, the plan with the least expected cost (warm-plan.ts). It is wanted if it costs under `WORTHWHILE` times that delay
//    alone, after `MIN_GAPS` gaps of the compute.
// 3. Where another delay is applied than the plan wants, warm-ups are planned after that delay, by the same rule.
// 4. It is carried out unless the record is in loss. The record goes on while that holds plans back: a compute whose use becomes regular has
//    warm-ups again.
import type { ComputeHazard, FleetHazard } from './fleet-hazard.ts'
import type { WarmUp } from './gap-plan.ts'
import { createDelayLearner, type DelayLearner } from './learner.ts'
import {
  bestPlan,
  expectedPlanCost,
  gapOdds,
  planAfter,
  type GapOdds,
  type WarmUpTerms,
} from './warm-plan.ts'
import { createWarmUpRecord, type WantedPlan, type WarmUpTotals } from './warm-record.ts'

/** Own gaps before the first warm-up: fewer show no period. */
export const MIN_GAPS = 5
/** Share of the cost of the delay alone that a plan with warm-ups must stay under: smaller differences are within chance. */
const WORTHWHILE = 0.95
/** Bounds of a hazard: no outcome is certain. */
const [LEAST, MOST] = [0.0001, 0.998]

/** `decide` gives the delay of the plan. */
export type WarmUpLearner = DelayLearner & {
  /** Warm-ups of the gap that begins, under the delay that was applied; once for each gap, after `decide`. */
  warmUps: (applied: number) => readonly WarmUp[]
  record: () => WarmUpTotals
}

/** @param fleet shared by the learners of a fleet */
export function createWarmUpLearner(terms: WarmUpTerms, fleet: FleetHazard): WarmUpLearner {
  const compute = rememberHazard(fleet())
  const learner = createDelayLearner(terms, () => compute)
  const record = createWarmUpRecord(terms)
  // of the gap in progress; undefined: too few gaps, and no plan with warm-ups that is worth it
  let odds: GapOdds | undefined
  let wanted: WantedPlan | undefined

  return {
    decide(at, hiddenBelow) {
      const alone = learner.decide(at, hiddenBelow)
      odds = compute.gaps() < MIN_GAPS ? undefined : gapOdds(compute.hazard)
      wanted = odds && wantedPlan(odds, terms, { plan: bestPlan(odds, terms), alone })
      return wanted && !record.isInLoss() ? wanted.plan.delay : alone
    },
    warmUps(applied) {
      if (!odds || record.isInLoss()) return []
      if (wanted?.plan.delay !== applied)
        wanted = wantedPlan(odds, terms, { plan: planAfter(odds, terms, applied), alone: applied })
      return wanted?.plan.warmUps ?? []
    },
    learn(length) {
      if (wanted) record.add(length, wanted)
      learner.learn(length)
    },
    record: record.totals,
  }
}

/** The plan, undefined unless it has warm-ups that are worth it. */
function wantedPlan(odds: GapOdds, terms: WarmUpTerms, { plan, alone }: WantedPlan): WantedPlan | undefined {
  if (plan.warmUps.length === 0) return undefined
  const without = expectedPlanCost(odds, terms, { delay: alone, warmUps: [] })
  return expectedPlanCost(odds, terms, plan) < WORTHWHILE * without ? { plan, alone } : undefined
}

/** Bounded, and asked for once per gap and bin: delay and warm-ups are planned from the same hazard. */
function rememberHazard(compute: ComputeHazard): ComputeHazard {
  const hazards = new Map<number, number>()
  return {
    ...compute,
    beginGap(at, hiddenBelow) {
      hazards.clear()
      compute.beginGap(at, hiddenBelow)
    },
    hazard(bin) {
      const known = hazards.get(bin)
      if (known !== undefined) return known
      const hazard = Math.min(MOST, Math.max(LEAST, compute.hazard(bin)))
      hazards.set(bin, hazard)
      return hazard
    },
  }
}
