// Guard of the per-gap delay and of warm-ups: running totals that bind them to ski rental.
//
// Totals are of what each gap cost under the delay and the warm-ups that were applied, and of what it would have cost under ski rental. They
// are never discounted and never reset. While the first exceeds the second by more than a twentieth and two wakes, ski rental decides, without
// warm-ups. The proof of the bound is in the decisions "guard of the per-gap delay" and "warm-ups in the learner of the delay".
import { planCost, type GapPlan, type GapPrices } from './gap-plan.ts'

/** Share by which the applied delays may cost more than ski rental. */
const TOLERANCE = 1.05
/** Excess in prices of a wake that is always allowed: at the beginning both totals are small. */
const ALLOWANCE = 2
/** Longest delay in prices of a wake, 4: what one gap can cost beyond the threshold is then at most 5. */
const LONGEST = 4

/** Any unit of time, the same for all. */
export type GuardTerms = Readonly<{ wakeCost: number; floor: number }>

export type Guard = {
  /** The delay that may be applied instead of `wanted`. */
  bind: (wanted: number) => number
  /** The plan that may be applied instead of one whose delay is in force: the same delay, with as many of its first warm-ups as are allowed. */
  bindWarmUps: (wanted: GapPlan) => GapPlan
  /** Counts a gap of `length` under the plan that was applied. */
  add: (length: number, applied: GapPlan) => void
  /** What was paid, and what ski rental would have paid. */
  totals: () => Readonly<{ applied: number; ski: number }>
}

export const gapCost = (length: number, delay: number, wakeCost: number): number =>
  length <= delay ? length : delay + wakeCost

/** Delay with the least worst case, where plan and policy allow it. */
export const skiRentalDelay = ({ wakeCost, floor }: GuardTerms): number => Math.max(wakeCost, floor)

export const longestDelay = ({ wakeCost, floor }: GuardTerms): number => Math.max(LONGEST * wakeCost, floor)

/** The plan with as many of its first warm-ups as cost, with the delay, at most the longest delay: before a wake no gap costs more. */
export function withinLongest({ delay, warmUps }: GapPlan, terms: GuardTerms & GapPrices): GapPlan {
  let cost = delay
  const over = warmUps.findIndex(({ length }) => (cost += length + terms.startCost) > longestDelay(terms))
  return { delay, warmUps: over < 0 ? warmUps : warmUps.slice(0, over) }
}

/** @param prices `startCost` is absent where there are no warm-ups */
export function createGuard(prices: GuardTerms & Readonly<{ startCost?: number | undefined }>): Guard {
  const terms = { ...prices, startCost: prices.startCost ?? 0 }
  const ski = skiRentalDelay(terms)
  const longest = longestDelay(terms)
  const totals = { applied: 0, ski: 0 }
  const isBinding = () => totals.applied > TOLERANCE * totals.ski + ALLOWANCE * terms.wakeCost
  return {
    bind: (wanted) => (isBinding() ? ski : Math.min(wanted, longest)),
    bindWarmUps: (wanted) =>
      isBinding() ? { delay: wanted.delay, warmUps: [] } : withinLongest(wanted, terms),
    add(length, applied) {
      totals.applied += planCost(length, applied, terms)
      totals.ski += gapCost(length, ski, terms.wakeCost)
    },
    totals: () => totals,
  }
}
