// Guard of the per-gap delay: running totals that bind it to ski rental.
//
// Totals are of what each gap cost under the delay that was applied, and of what it would have cost under ski rental. They are never
// discounted and never reset. While the first exceeds the second by more than a twentieth and two wakes, ski rental decides. The proof of
// the bound is in the decision "guard of the per-gap delay".

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
  /** Counts a gap of `length` under the delay that was `applied`. */
  add: (length: number, applied: number) => void
  /** What was paid, and what ski rental would have paid. */
  totals: () => Readonly<{ applied: number; ski: number }>
}

export const gapCost = (length: number, delay: number, wakeCost: number): number =>
  length <= delay ? length : delay + wakeCost

/** Delay with the least worst case, where plan and policy allow it. */
export const skiRentalDelay = ({ wakeCost, floor }: GuardTerms): number => Math.max(wakeCost, floor)

export const longestDelay = ({ wakeCost, floor }: GuardTerms): number => Math.max(LONGEST * wakeCost, floor)

export function createGuard(terms: GuardTerms): Guard {
  const { wakeCost } = terms
  const ski = skiRentalDelay(terms)
  const longest = longestDelay(terms)
  const totals = { applied: 0, ski: 0 }
  return {
    bind: (wanted) =>
      totals.applied > TOLERANCE * totals.ski + ALLOWANCE * wakeCost ? ski : Math.min(wanted, longest),
    add(length, applied) {
      totals.applied += gapCost(length, applied, wakeCost)
      totals.ski += gapCost(length, ski, wakeCost)
    },
    totals: () => totals,
  }
}
