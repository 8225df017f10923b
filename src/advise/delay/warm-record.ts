// Record of a compute's warm-ups: how often a client came in one, and what the plans with them saved.
import { planCost, playPlan, type GapPlan, type GapPrices } from './gap-plan.ts'

/**
 * `predicted`: warm-ups of plans that began before the gap ended. `came`: of these, those that a client came in. `saved`: steps less than the
 * delay without warm-ups would have cost, negative for a loss.
 */
export type WarmUpTotals = Readonly<{ predicted: number; came: number; saved: number }>

/** A plan with warm-ups, and the delay that would have been applied without any. */
export type WantedPlan = Readonly<{ plan: GapPlan; alone: number }>

export type WarmUpRecord = Readonly<{
  /** At the end of a gap of `length` whose plan was wanted, carried out or not. */
  add: (length: number, wanted: WantedPlan) => void
  isInLoss: () => boolean
  totals: () => WarmUpTotals
}>

export function createWarmUpRecord(prices: GapPrices): WarmUpRecord {
  const totals = { predicted: 0, came: 0, saved: 0 }
  return {
    add(length, { plan, alone }) {
      const { warmUps, used } = playPlan(length, plan)
      totals.predicted += warmUps
      totals.came += used
      totals.saved += planCost(length, { delay: alone, warmUps: [] }, prices) - planCost(length, plan, prices)
    },
    isInLoss: () => totals.saved < 0,
    totals: () => totals,
  }
}
