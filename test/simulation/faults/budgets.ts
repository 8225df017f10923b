// Budgets of a whole simulation, of the account and of branches, beside the spend of the service's truth.
import type { Budget } from '../../../src/model/policy/budget.ts'
import { instant } from '../../../src/model/units.ts'
import { prices } from '../../support/build.ts'
import { budgetOf } from '../../ledger/budgets/build.ts'
import { TOLERANCE, UNSEEN_WAKE } from './bounds.ts'
import { at, type Pass } from './days.ts'

const DAY = 86_400
/** Longer than any simulation before and after the first pass. */
const PERIOD = { from: instant(at(-100 * DAY)), to: instant(at(100 * DAY)) }

const budget = (name: string, scope: Budget['scope']): Budget =>
  budgetOf({ name, scope, definition: name, periodAt: () => PERIOD })

export const ACCOUNT = budget('account', {})
export const branchBudget = (branchId: string): Budget => budget(branchId, { branch: [branchId] })

/** Price of a millisecond at 1 CU, micros. */
const PER_CU_MS = (prices.periods[0]?.perCuHour ?? 0) / 3_600_000

/** Micros. */
export type SpendComparison = {
  readonly name: string
  readonly low: number
  readonly likely: number
  readonly high: number
  readonly truth: number
}

/** Budgets whose bounds do not contain the truth; not those of branches that a compute left or reached since it was last looked at. */
export function budgetsOutside({ state, service, took, at: elapsed }: Pass): readonly SpendComparison[] {
  const now = at(elapsed)
  const usages = service.usages(now)
  const unseen = new Set(
    [...state.ledger.computes.values()].flatMap(({ ref, compute }) => {
      const real = service.project(ref.projectId)
      const isSeen = real?.computes.every(({ branchId }) => branchId === compute.branchId)
      return isSeen ? [] : (real?.branches.map(({ id }) => id) ?? [])
    }),
  )
  const budgets = state.budgets.filter(({ scope: { branch } }) => !branch?.some((id) => unseen.has(id)))
  return budgets.flatMap(({ name, scope: { branch }, spent }) => {
    let [truth, tolerance] = [0, 0]
    for (const { intervals } of usages) {
      const counted = intervals.filter(({ branchId }) => !branch || branch.includes(branchId))
      for (const { from, to = now, cu } of counted) truth += (to - from) * cu * PER_CU_MS
      tolerance += 1000 * (counted[0]?.cu ?? 0) * PER_CU_MS
    }
    const isInside =
      truth >= spent.low - TOLERANCE * tolerance && truth <= spent.high + (UNSEEN_WAKE + took) * tolerance
    return isInside ? [] : [{ name, ...spent, truth }]
  })
}
