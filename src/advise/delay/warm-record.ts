// Record of a compute's warm-ups: how often a client came in one, and what the plans with them saved.
//
// The balance decides whether plans are carried out. While it is below 0 they are held back: what one of them would have lost counts whole, what
// it would have saved a quarter, up to 0. Gains that nobody had must not pay for losses to come: a compute whose use is irregular would lose
// again and again.
import { planCost, playPlan, type GapPlan, type GapPrices } from './gap-plan.ts'

/** Share of the gain of a plan that was held back. At 1 an irregular compute pays 0.3 % more than for the delay alone, at 0 a first failure bars for good. */
const HELD_BACK_SHARE = 0.25

/**
 * `predicted`: warm-ups of plans that began before the gap ended. `came`: of these, those that a client came in. `saved`: steps less than the
 * delay without warm-ups would have cost, negative for a loss. All three of plans carried out or not.
 */
export type WarmUpTotals = Readonly<{ predicted: number; came: number; saved: number; balance: number }>

/** A plan with warm-ups, and the delay that would have been applied without any. */
export type WantedPlan = Readonly<{ plan: GapPlan; alone: number }>

export type WarmUpRecord = Readonly<{
  /** At the end of a gap of `length` whose plan was wanted, carried out or not. */
  add: (length: number, wanted: WantedPlan) => void
  isInLoss: () => boolean
  totals: () => WarmUpTotals
}>

export function createWarmUpRecord(prices: GapPrices): WarmUpRecord {
  const totals = { predicted: 0, came: 0, saved: 0, balance: 0 }
  const isInLoss = () => totals.balance < 0
  return {
    add(length, { plan, alone }) {
      const { warmUps, used } = playPlan(length, plan)
      totals.predicted += warmUps
      totals.came += used
      const gain = planCost(length, { delay: alone, warmUps: [] }, prices) - planCost(length, plan, prices)
      totals.saved += gain
      totals.balance = isInLoss() ? balanceHeldBack(totals.balance, gain) : totals.balance + gain
    },
    isInLoss,
    totals: () => totals,
  }
}

const balanceHeldBack = (balance: number, gain: number): number =>
  Math.min(0, balance + (gain > 0 ? HELD_BACK_SHARE * gain : gain))
