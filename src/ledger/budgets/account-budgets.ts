// All budgets of an account together.
import type { Budget, BudgetStates, BudgetView } from '../../model/policy/budget.ts'
import { computeKey, largestCu } from '../../model/service/compute.ts'
import type { Event } from '../../model/output/event-kinds.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Batch } from '../../model/ports/store.ts'
import type { Prices } from '../../model/ledger/price.ts'
import { createIdentityCache } from '../../std/cache.ts'
import { matchesSelector, selectorTargetOf } from '../../model/policy/selector.ts'
import type { AwakeSlice } from '../../model/ledger/slice.ts'
import type { AccountCounters } from '../../model/ledger/counters.ts'
import type { Instant, Micros } from '../../model/units.ts'
import { accruedSlice, type AccrualContext } from '../settle/accrual.ts'
import { priceAt } from '../settle/slices.ts'
import { openEvaluation, type MaxSpendInput } from './evaluate.ts'
import {
  groupByCompute,
  settleBudget,
  applyLateDiscoveries,
  type BudgetCompute,
  type BudgetComputesByKey,
  type LateDiscovery,
  type BudgetSettleInput,
} from './settle.ts'

export type SettledInput = Omit<BudgetSettleInput, 'settled'> & {
  /** What was settled since the states were kept: each slice once for good. */
  readonly settled: readonly AwakeSlice[]
  /** Computes that were not known before, and that the service tells no history of. */
  readonly newcomers?: readonly LateDiscovery[]
}

/** The states with what was settled, without those of budgets that are no more; a state that did not change is the same object. */
export function settleBudgets(
  budgets: readonly Budget[],
  states: BudgetStates,
  { settled, newcomers = [], ...rest }: SettledInput,
): BudgetStates {
  const input = { ...rest, settled: groupByCompute(settled) }
  return Object.fromEntries(
    budgets.map((budget) => {
      const state = settleBudget(budget, states[budget.name], input)
      return [budget.name, applyLateDiscoveries(budget, state, newcomers)]
    }),
  )
}

export type BudgetsEvaluation = {
  readonly states: BudgetStates
  readonly budgetCounters: AccountCounters['budgets']
  /** In the order of `budgets`; without those that no period holds now. */
  readonly views: readonly BudgetView[]
  readonly events: readonly Event[]
}

/** Which budgets each compute counts for; remembered while its account and its project stay what they are, and somebody looks at it. */
export type BudgetScopes = {
  readonly budgets: readonly Budget[]
  readonly of: (account: ComputeEntry, project: ProjectEntry | undefined) => Scoped
  /** Forgets the accounts that nobody asked for since the last time. */
  readonly forgetRest: () => void
}

type Scoped = {
  readonly project: ProjectEntry | undefined
  /** In `budgets`; one list for all computes that count for the same. */
  readonly places: readonly number[]
}

export function createBudgetScopes(budgets: readonly Budget[]): BudgetScopes {
  const known = createIdentityCache<ComputeEntry, Scoped>()
  const lists = new Map<string, readonly number[]>()
  const listOf = (places: readonly number[]): readonly number[] => {
    const key = places.join(' ')
    const list = lists.get(key) ?? places
    lists.set(key, list)
    return list
  }
  return {
    budgets,
    of: (account, project) => {
      const before = known.get(account)
      if (before?.project === project && before) return before
      const compute = scopedCompute(account, project)
      const places = budgets.flatMap(({ scope }, place) => (matchesSelector(scope, compute) ? [place] : []))
      const scoped = { project, places: listOf(places) }
      known.set(account, scoped)
      return scoped
    },
    forgetRest: known.evictUnused,
  }
}

export type BudgetInputs = Pick<Ledger, 'projects' | 'budgets' | 'counters'> & {
  readonly prices: Prices
  readonly now: Instant
  /** The latest that it may be now; `now` where nothing is said. */
  readonly atMost?: Instant | undefined
  /** The service could not be asked. */
  readonly unseen?: boolean
}

/** Evaluates all budgets as of now, with the provisional usage of the entries that are added. */
export type BudgetEvaluator = {
  readonly add: (entries: Iterable<ComputeEntry>) => void
  readonly close: () => BudgetsEvaluation
}

export function openBudgets(scopes: BudgetScopes, inputs: BudgetInputs): BudgetEvaluator {
  const { projects, budgets: states, counters, prices, now, atMost, unseen = false } = inputs
  const perCuHour = priceAt(prices, now)
  const evaluations = scopes.budgets.map((budget) => ({
    name: budget.name,
    evaluation: openEvaluation(
      budget,
      { state: states[budget.name], tally: counters.budgets[budget.name], unseen },
      now,
    ),
  }))
  const add = (entries: Iterable<ComputeEntry>): void => {
    const slicesOf = evaluations.map((): AwakeSlice[] => [])
    for (const entry of entries) {
      const project = projects.get(entry.ref.projectId)
      const { places } = scopes.of(entry, project)
      const slices = places.length === 0 ? [] : unsettledOf(entry, { prices, project, now, atMost })
      for (const index of places) {
        evaluations[index]?.evaluation.compute({ ...burningOf(entry), perCuHour })
        for (const slice of slices) slicesOf[index]?.push(slice)
      }
    }
    for (const [index, { evaluation }] of evaluations.entries()) evaluation.provisional(slicesOf[index] ?? [])
  }
  return {
    add,
    close: () => {
      scopes.forgetRest()
      const closed = evaluations.map(({ name, evaluation }) => ({ name, result: evaluation.close() }))
      return {
        states: Object.fromEntries(closed.map(({ name, result }) => [name, result.state])),
        budgetCounters: Object.fromEntries(closed.map(({ name, result }) => [name, result.tally])),
        views: closed.flatMap(({ result: { view } }) => (view ? [view] : [])),
        events: closed.flatMap(({ result: { events } }) => events),
      }
    },
  }
}

/** What its account holds, and what went on since it was folded. */
function unsettledOf(account: ComputeEntry, asOf: AccrualContext): readonly AwakeSlice[] {
  const since = accruedSlice(account, asOf)
  return since ? [...account.provisional, since] : account.provisional
}

/** Computes as budgets see them; what awake ones cost is the price of now. */
export function toBudgetComputes(
  accounts: Iterable<ComputeEntry>,
  {
    projectOf,
    prices,
    now,
  }: {
    readonly projectOf: (projectId: string) => ProjectEntry | undefined
    readonly prices: Prices
    readonly now: Instant
  },
): BudgetComputesByKey {
  const perCuHour: Micros = priceAt(prices, now)
  return new Map(
    [...accounts].map((account) => [
      computeKey(account.ref),
      { ...scopedCompute(account, projectOf(account.ref.projectId)), perCuHour },
    ]),
  )
}

const scopedCompute = (
  { ref, compute, deletedAt }: ComputeEntry,
  project: ProjectEntry | undefined,
): Omit<BudgetCompute, 'perCuHour'> => ({
  ...selectorTargetOf(ref.account, compute, project?.project),
  ...burningOf({ compute, deletedAt }),
})

const burningOf = ({
  compute,
  deletedAt,
}: Pick<ComputeEntry, 'compute' | 'deletedAt'>): Omit<MaxSpendInput, 'perCuHour'> => ({
  maxCu: largestCu(compute.sizing),
  gone: deletedAt !== undefined,
})

/** What is to be stored so that `before` becomes `after`. */
export function budgetChanges(before: BudgetStates, after: BudgetStates): Batch['budgets'] {
  const changed = Object.entries(after).filter(([name, state]) => before[name] !== state)
  const dropped = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  return { ...Object.fromEntries(changed), ...Object.fromEntries(dropped.map((name) => [name, undefined])) }
}
