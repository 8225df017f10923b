// All budgets of an account together.
import type { Budget, BudgetForecast, BudgetView } from '../../model/budget.ts'
import { computeKey, largestCu } from '../../model/compute.ts'
import type { Event } from '../../model/event.ts'
import type { ComputeAccount, Ledger } from '../../model/ledger.ts'
import type { Prices } from '../../model/price.ts'
import { targetOf } from '../../model/selector.ts'
import type { AwakeSlice } from '../../model/slice.ts'
import type { Instant } from '../../model/units.ts'
import { goingOn } from '../as-of.ts'
import { priceAt } from '../slices.ts'
import { lookAtBudget, type LookInput } from './look.ts'
import { byCompute, settleBudget, type BudgetComputes, type BudgetState, type SettleInput } from './settle.ts'

/** Name of a budget → its state. Plain data. */
export type BudgetStates = Readonly<Record<string, BudgetState>>

export type SettledInput = Omit<SettleInput, 'settled'> & {
  /** What was settled since the states were kept: each slice once for good. */
  readonly settled: readonly AwakeSlice[]
}

/** The states with what was settled; without those of budgets that are no more. */
export function settleBudgets(
  budgets: readonly Budget[],
  states: BudgetStates,
  { settled, ...rest }: SettledInput,
): BudgetStates {
  const input = { ...rest, settled: byCompute(settled) }
  return Object.fromEntries(
    budgets.map((budget) => [budget.name, settleBudget(budget, states[budget.name], input)]),
  )
}

export type BudgetsInput = Omit<LookInput, 'provisional' | 'forecast'> & {
  /** All that is not settled yet, as of now. */
  readonly provisional: readonly AwakeSlice[]
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
  { forecasts, provisional, ...rest }: BudgetsInput,
): BudgetsLook {
  const input = { ...rest, provisional: byCompute(provisional) }
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

/** Computes as budgets see them; what awake ones cost is the price of now. */
export function budgetComputes(
  accounts: Iterable<ComputeAccount>,
  { projects, prices, now }: Pick<Ledger, 'projects'> & { readonly prices: Prices; readonly now: Instant },
): BudgetComputes {
  const perCuHour = priceAt(prices, now)
  return new Map(
    [...accounts].map(({ ref, compute, goneAt }) => [
      computeKey(ref),
      {
        ...targetOf(ref.account, compute, projects.get(ref.projectId)?.project),
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
