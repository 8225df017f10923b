// All budgets of an account together.
import type { Budget, BudgetForecast, BudgetView } from '../../model/budget.ts'
import { computeKey, largestCu } from '../../model/compute.ts'
import type { Event } from '../../model/event.ts'
import type { Ledger } from '../../model/ledger.ts'
import type { Prices } from '../../model/price.ts'
import { targetOf } from '../../model/selector.ts'
import type { AwakeSlice } from '../../model/slice.ts'
import type { Instant } from '../../model/units.ts'
import { goingOn } from '../as-of.ts'
import { priceAt } from '../slices.ts'
import { lookAtBudget, type LookInput } from './look.ts'
import { settleBudget, type BudgetComputes, type BudgetState, type SettleInput } from './settle.ts'

/** Name of a budget → its state. Plain data. */
export type BudgetStates = Readonly<Record<string, BudgetState>>

/** The states with what was settled; without those of budgets that are no more. */
export const settleBudgets = (
  budgets: readonly Budget[],
  states: BudgetStates,
  input: SettleInput,
): BudgetStates =>
  Object.fromEntries(budgets.map((budget) => [budget.name, settleBudget(budget, states[budget.name], input)]))

export type BudgetsInput = Omit<LookInput, 'forecast'> & {
  /** Name of a budget → how its period may end. */
  readonly forecasts?: ReadonlyMap<string, BudgetForecast>
}

export type BudgetsLook = {
  readonly states: BudgetStates
  /** In the order of `budgets`; without those that no period holds now. */
  readonly views: readonly BudgetView[]
  readonly events: readonly Event[]
}

export function lookAtBudgets(
  budgets: readonly Budget[],
  states: BudgetStates,
  { forecasts, ...input }: BudgetsInput,
): BudgetsLook {
  const looks = budgets.map((budget) => ({
    name: budget.name,
    look: lookAtBudget(budget, states[budget.name], { ...input, forecast: forecasts?.get(budget.name) }),
  }))
  return {
    states: Object.fromEntries(looks.map(({ name, look }) => [name, look.state])),
    views: looks.flatMap(({ look: { view } }) => (view ? [view] : [])),
    events: looks.flatMap(({ look: { events } }) => events),
  }
}

/** The computes of a ledger as budgets see them; what awake ones cost is the price of now. */
export function budgetComputes(ledger: Ledger, prices: Prices, now: Instant): BudgetComputes {
  const perCuHour = priceAt(prices, now)
  return new Map(
    [...ledger.computes.values()].map(({ ref, compute, goneAt }) => [
      computeKey(ref),
      {
        ...targetOf(ref.account, compute, ledger.projects.get(ref.projectId)?.project),
        maxCu: largestCu(compute.sizing),
        perCuHour,
        gone: goneAt !== undefined,
      },
    ]),
  )
}

/** All that is not settled of a ledger as of `now`: what its accounts hold, and what went on since they were folded. */
export const provisionalOf = (ledger: Ledger, prices: Prices, now: Instant): readonly AwakeSlice[] =>
  [...ledger.computes.values()].flatMap((account) => {
    const project = ledger.projects.get(account.ref.projectId)
    const since = goingOn(account, { prices, project, now })
    return since ? [...account.unsettled, since] : account.unsettled
  })
