// States of newly configured budgets, from the stored history of their current period.
import {
  budgetWrites,
  settleBudgets,
  toBudgetComputes,
  type BudgetScopes,
} from '../../ledger/budgets/account-budgets.ts'
import {
  settledPartOfOpen,
  slicesOfHistory,
  type HistoryInterval,
} from '../../ledger/budgets/from-history.ts'
import {
  isStateOfDefinition,
  spendKnownSince,
  type BudgetCompute,
  type BudgetComputesByKey,
} from '../../ledger/budgets/settle.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Prices } from '../../model/ledger/price.ts'
import type { BudgetStates } from '../../model/policy/budget.ts'
import { retiredTarget } from '../../model/policy/selector.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { commit } from '../../model/ports/store.ts'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import {
  DAY,
  HOUR,
  after,
  cu,
  earliest,
  instant,
  micros,
  seconds,
  type Instant,
  type Seconds,
} from '../../model/units.ts'
import type { Observed } from './observe-on-service-time.ts'
import type { PassPlan } from './pass-input.ts'

export type BudgetContext = {
  readonly scopes: BudgetScopes
  readonly prices: Prices
  /** How far back the history of a new compute is read. */
  readonly history: Seconds
  readonly now: Instant
}

export const budgetContext = (
  { budgets, prices, sweep }: PassPlan,
  { now }: Pick<Observed, 'now'>,
): BudgetContext => ({ scopes: budgets, prices, history: sweep.history, now })

/** History read before the start of a period, 31 days: few computes sleep longer, so an earlier interval shows that usage was known then. */
const HISTORY_BEFORE_PERIOD = 31 * DAY
/** The longest window of a burn rate, 72 h. */
const LONGEST_BURN_WINDOW = 72 * HOUR
/** Intervals settled at once, some 10 ms. */
const INTERVALS_PER_TURN = 500

/**
 * The ledger with a state for each configured budget, durable. A new budget starts with the stored intervals of its current period; the
 * others keep their states.
 *
 * @throws when the store fails
 */
export async function ensureBudgetStates(
  { store, epoch, history }: Pick<Ports, 'store' | 'epoch' | 'history'>,
  ledger: Ledger,
  context: BudgetContext,
): Promise<Ledger> {
  const { budgets } = context.scopes
  const current = budgets.filter((budget) => isStateOfDefinition(budget, ledger.budgets[budget.name]))
  const names = new Set(budgets.map(({ name }) => name))
  const isComplete =
    current.length === budgets.length && Object.keys(ledger.budgets).every((name) => names.has(name))
  if (isComplete) return ledger
  const states: BudgetStates = {
    ...Object.fromEntries(current.flatMap(({ name }) => entryOf(ledger.budgets, name))),
    ...(await statesFromHistory(history, ledger, context)),
  }
  await commit(store, budgetWrites(ledger.budgets, states), { epoch })
  return { ...ledger, budgets: states }
}

function entryOf(states: BudgetStates, name: string): [string, BudgetStates[string]][] {
  const state = states[name]
  return state ? [[name, state]] : []
}

async function statesFromHistory(
  history: Ports['history'],
  ledger: Ledger,
  { scopes, prices, history: readBack, now }: BudgetContext,
): Promise<BudgetStates> {
  const missing = scopes.budgets.filter((budget) => !isStateOfDefinition(budget, ledger.budgets[budget.name]))
  const isFirstPass = ledger.projects.size === 0 && ledger.computes.size === 0
  let since = isFirstPass ? after(now, seconds(0 - readBack)) : now
  let states: BudgetStates = {}
  const settle = (intervals: readonly HistoryInterval[]): void => {
    const settled = intervals.flatMap((interval) => slicesOfHistory(interval, prices))
    since = earliest(since, ...settled.map(({ likely }) => likely.from))
    const computes = computesOfHistory(intervals, ledger, { prices, now })
    states = settleBudgets(missing, states, { settled, computes, now, settledSince: since })
  }
  const from = earliest(
    instant(now - LONGEST_BURN_WINDOW),
    ...missing.map((budget) => budget.periodAt(now)?.from ?? now),
  )
  const range = { from: instant(from - HISTORY_BEFORE_PERIOD), to: now }
  let intervals: HistoryInterval[] = []
  for await (const interval of history.intervals(ledger.account, range)) {
    if (intervals.push(interval) < INTERVALS_PER_TURN) continue
    settle(intervals)
    intervals = []
  }
  settle([...intervals, ...[...ledger.computes.values()].flatMap((entry) => settledPartOfOpen(entry) ?? [])])
  return Object.fromEntries(
    missing.flatMap((budget) => {
      const state = states[budget.name]
      return state ? [[budget.name, spendKnownSince(budget, state, since)]] : []
    }),
  )
}

function computesOfHistory(
  intervals: readonly HistoryInterval[],
  { computes, projects }: Ledger,
  { prices, now }: { readonly prices: Prices; readonly now: Instant },
): BudgetComputesByKey {
  const refs = new Map(intervals.map(({ ref }) => [computeKey(ref), ref]))
  const entries = [...refs.keys()].flatMap((key) => computes.get(key) ?? [])
  const projectOf = (projectId: string) => projects.get(projectId)
  return new Map([
    ...[...refs].map(([key, ref]) => [key, retiredCompute(ref, projectOf(ref.projectId))] as const),
    ...toBudgetComputes(entries, { projectOf, prices, now }),
  ])
}

const retiredCompute = (ref: ComputeRef, project: ProjectEntry | undefined): BudgetCompute => ({
  ...retiredTarget(ref, project?.project),
  maxCu: cu(0),
  perCuHour: micros(0),
  isDeleted: true,
})
