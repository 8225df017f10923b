import type { Budget, BudgetStates, BudgetView } from '../../model/policy/budget.ts'
import { computeKey, largestCu, type ComputeRef } from '../../model/service/compute.ts'
import type { Event } from '../../model/output/event-kinds.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Write } from '../../model/ports/store.ts'
import type { Prices, AwakeSlice } from '../../model/ledger/quantities.ts'
import { createIdentityCache } from '../../std/cache.ts'
import { matchesSelector, selectorTargetOf } from '../../model/policy/selector.ts'
import type { AccountCounters } from '../../model/ledger/counters.ts'
import type { Instant } from '../../model/units.ts'
import { provisionalSlices } from '../settle/accrual.ts'
import { priceAt } from '../settle/slices.ts'
import { excludeFromCounter, openEvaluation } from './evaluate.ts'
import type { BudgetComputesByKey, LateDiscovery, BudgetSettleInput } from './settle.ts'
import {
  applyLateDiscoveries,
  groupByCompute,
  settleBudget,
  settledInScope,
  slicesInScope,
} from './settle.ts'

type SettledInput = Omit<BudgetSettleInput, 'settled'> &
  Readonly<{
    /** Settled since the states were stored, each once. */
    settled: readonly AwakeSlice[]
    /** First seen in this sweep without operation history. */
    lateDiscoveries?: readonly LateDiscovery[]
  }>

/** Without states of removed budgets; an unchanged state is the same object. */
export function settleBudgets(
  budgets: readonly Budget[],
  states: BudgetStates,
  { settled, lateDiscoveries = [], ...rest }: SettledInput,
): BudgetStates {
  const input = { ...rest, settled: groupByCompute(settled) }
  return Object.fromEntries(
    budgets.map((budget) => {
      const state = settleBudget(budget, states[budget.name], input)
      return [budget.name, applyLateDiscoveries(budget, state, lateDiscoveries)]
    }),
  )
}

/**
 * Counters that will not grow by what computes used before they were first seen: months of it at once would look like a burn rate.
 *
 * @param input slices that the first sight of `computes` settled
 * @returns `counters` itself where nothing changes
 */
export function excludePast(
  budgets: readonly Budget[],
  counters: AccountCounters['budgets'],
  input: Pick<BudgetSettleInput, 'computes'> & Pick<SettledInput, 'settled'>,
): AccountCounters['budgets'] {
  const { settled, computes } = input
  const past = { settled: groupByCompute(settled), computes }
  const changed = budgets.flatMap((budget) => {
    const counter = counters[budget.name]
    if (!counter) return []
    const next = excludeFromCounter(budget, counter, settledInScope(budget, past))
    return next === counter ? [] : [[budget.name, next] as const]
  })
  return changed.length === 0 ? counters : { ...counters, ...Object.fromEntries(changed) }
}

export type BudgetsEvaluation = Readonly<{
  states: BudgetStates
  budgetCounters: AccountCounters['budgets']
  /** In the order of `budgets`, without those outside their periods. */
  views: readonly BudgetView[]
  events: readonly Event[]
}>

/** Budgets of each compute, cached while its entry and project are used and stay the same objects. */
export type BudgetScopes = Readonly<{
  budgets: readonly Budget[]
  of: (entry: ComputeEntry, project: ProjectEntry | undefined) => Scoped
  /** Drops the entries not used since the last call. */
  evictUnused: () => void
}>

type Scoped = Readonly<{
  project: ProjectEntry | undefined
  /** In `budgets`; shared by all computes of the same budgets. */
  indexes: readonly number[]
}>

export function createBudgetScopes(budgets: readonly Budget[]): BudgetScopes {
  const cache = createIdentityCache<ComputeEntry, Scoped>()
  const lists = new Map<string, readonly number[]>()
  const listOf = (indexes: readonly number[]): readonly number[] => {
    const key = indexes.join(' ')
    const list = lists.get(key) ?? indexes
    lists.set(key, list)
    return list
  }
  return {
    budgets,
    of: (entry, project) => {
      const before = cache.get(entry)
      if (before?.project === project && before) return before
      const compute = targetOf(entry, project)
      const indexes = budgets.flatMap(({ scope }, index) => (matchesSelector(scope, compute) ? [index] : []))
      const scoped = { project, indexes: listOf(indexes) }
      cache.set(entry, scoped)
      return scoped
    },
    evictUnused: cache.evictUnused,
  }
}

export type BudgetInputs = Pick<Ledger, 'projects' | 'budgets' | 'counters'> &
  Readonly<{
    prices: Prices
    now: Instant
    /** Upper bound of the present time; `now` by default. */
    atMost?: Instant | undefined
    /** The service did not answer in this pass, or what it answered could not be stored. */
    isUnobserved?: boolean
    /** Whether a compute was first seen in this pass: its past is not in the counters. Default: none was. */
    isFound?: (ref: ComputeRef) => boolean
  }>

/** Evaluation as of now, with the provisional usage of the entries that are added. */
type BudgetEvaluator = Readonly<{
  add: (entries: Iterable<ComputeEntry>) => void
  close: () => BudgetsEvaluation
}>

export function openBudgets(scopes: BudgetScopes, inputs: BudgetInputs): BudgetEvaluator {
  const { projects, budgets: states, counters, prices, now, atMost } = inputs
  const { isUnobserved = false, isFound = () => false } = inputs
  const perCuHour = priceAt(prices, now)
  const evaluations = scopes.budgets.map((budget) => {
    const { name } = budget
    const stored = { state: states[name], counter: counters.budgets[name], isUnobserved }
    return { name, evaluation: openEvaluation(budget, stored, now) }
  })
  /** By index of the budget. */
  const countedSlices = (entry: ComputeEntry, project: ProjectEntry | undefined) => {
    const { indexes } = scopes.of(entry, project)
    if (indexes.length === 0 && !entry.branchMoves) return []
    const slices = provisionalSlices(entry, { prices, project, now, atMost, isUnobserved })
    if (!entry.branchMoves) return indexes.map((index) => [index, slices] as const)
    const compute = targetOf(entry, project)
    return scopes.budgets.map(({ scope }, index) => [index, slicesInScope(scope, compute, slices)] as const)
  }
  const addLargest = (entry: ComputeEntry, project: ProjectEntry | undefined) => {
    const largest = entry.deletedAt === undefined ? largestCu(entry.compute.sizing) : undefined
    if (largest === undefined) return
    for (const index of scopes.of(entry, project).indexes)
      evaluations[index]?.evaluation.compute(largest, perCuHour)
  }
  const add = (entries: Iterable<ComputeEntry>) => {
    const slicesOf = evaluations.map((): AwakeSlice[] => [])
    const pastOf = evaluations.map((): AwakeSlice[] => [])
    for (const entry of entries) {
      const project = projects.get(entry.ref.projectId)
      addLargest(entry, project)
      const counted = countedSlices(entry, project)
      for (const [index, slices] of counted) slicesOf[index]?.push(...slices)
      if (isFound(entry.ref)) for (const [index, slices] of counted) pastOf[index]?.push(...slices)
    }
    for (const [index, { evaluation }] of evaluations.entries()) {
      evaluation.provisional(slicesOf[index] ?? [])
      evaluation.exclude(pastOf[index] ?? [])
    }
  }
  return {
    add,
    close: () => {
      scopes.evictUnused()
      const closed = evaluations.map(({ name, evaluation }) => ({ name, result: evaluation.close() }))
      return {
        states: Object.fromEntries(closed.map(({ name, result }) => [name, result.state])),
        budgetCounters: Object.fromEntries(closed.map(({ name, result }) => [name, result.counter])),
        views: closed.flatMap(({ result: { view } }) => (view ? [view] : [])),
        events: closed.flatMap(({ result: { events } }) => events),
      }
    },
  }
}

export const toBudgetComputes = (
  entries: Iterable<ComputeEntry>,
  projectOf: (projectId: string) => ProjectEntry | undefined,
): BudgetComputesByKey =>
  new Map([...entries].map((one) => [computeKey(one.ref), targetOf(one, projectOf(one.ref.projectId))]))

const targetOf = ({ ref, compute }: ComputeEntry, project: ProjectEntry | undefined) =>
  selectorTargetOf(ref.account, compute, project?.project)

/** Writes that turn the stored `before` into `after`. */
export const budgetWrites = (before: BudgetStates, after: BudgetStates): readonly Write[] =>
  [...new Set([...Object.keys(after), ...Object.keys(before)])]
    .filter((name) => before[name] !== after[name])
    .map((name) => ({ kind: 'budget', name, state: after[name] }))
