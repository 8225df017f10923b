// Budgets in a pass: new states from the stored history of their period, settled with each chunk, evaluated as stage 3.
import type { AppliedChunk } from '../../ledger/apply-sweep.ts'
import { branchMovesIn, selectorTargetIn } from '../../ledger/branch-moves.ts'
import {
  budgetWrites,
  excludePast,
  openBudgets,
  settleBudgets,
  toBudgetComputes,
} from '../../ledger/budgets/account-budgets.ts'
import type { HistoryInterval } from '../../ledger/budgets/from-history.ts'
import { settledPartOfOpen, slicesOfHistory } from '../../ledger/budgets/from-history.ts'
import type { BudgetComputesByKey, LateDiscovery } from '../../ledger/budgets/settle.ts'
import { isStateOfDefinition, spendKnownSince } from '../../ledger/budgets/settle.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import { isReached, type Sweep } from '../../model/observation.ts'
import type { BudgetStates, BudgetView } from '../../model/policy/budget.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { commit, entriesOf, type Write } from '../../model/ports/store.ts'
import { computeKey } from '../../model/service/compute.ts'
import { DAY, HOUR, after, earliest, instant, seconds, type Instant } from '../../model/units.ts'
import { inChunks, inTurns } from '../turns.ts'
import type { Observed } from './observe-on-service-time.ts'
import type { PassInput, PassPlan } from './pass-state.ts'

type BudgetContext = Readonly<{ plan: PassPlan; now: Instant }>

/** Before the start of a period: few computes sleep longer, so an earlier interval shows that usage was known then. */
const HISTORY_BEFORE_PERIOD = 31 * DAY
/** Longest window of a burn rate. */
const LONGEST_BURN_WINDOW = 72 * HOUR
/** Settled at once, some 10 ms. */
const INTERVALS_PER_TURN = 500

/** The ledger with a durable state for each configured budget; new ones from stored intervals. @throws when the store fails */
export async function ensureBudgetStates(
  { store, epoch, history }: Pick<Ports, 'store' | 'epoch' | 'history'>,
  ledger: Ledger,
  context: BudgetContext,
): Promise<Ledger> {
  const { budgets } = context.plan.budgets
  const current = budgets.filter((budget) => isStateOfDefinition(budget, ledger.budgets[budget.name]))
  const names = new Set(budgets.map(({ name }) => name))
  const kept = Object.entries(ledger.budgets).filter(([name]) => names.has(name))
  const isComplete = current.length === budgets.length && kept.length === Object.keys(ledger.budgets).length
  if (isComplete) return ledger
  const states: BudgetStates = {
    ...Object.fromEntries(kept),
    ...(await statesFromHistory(history, ledger, context)),
  }
  await commit(store, budgetWrites(ledger.budgets, states), { epoch })
  return { ...ledger, budgets: states }
}

async function statesFromHistory(
  history: Ports['history'],
  ledger: Ledger,
  { plan: { budgets, prices, sweep }, now }: BudgetContext,
): Promise<BudgetStates> {
  const missing = budgets.budgets.filter(
    (budget) => !isStateOfDefinition(budget, ledger.budgets[budget.name]),
  )
  const isFirstPass = ledger.projects.size === 0 && ledger.computes.size === 0
  let since = isFirstPass ? after(now, seconds(0 - sweep.history)) : now
  let states: BudgetStates = {}
  const settle = (intervals: readonly HistoryInterval[]) => {
    const settled = intervals.flatMap((interval) =>
      slicesOfHistory(interval, prices, branchMovesIn(ledger, interval.ref)),
    )
    since = earliest(since, ...settled.map(({ likely }) => likely.from))
    const computes = computesOfHistory(intervals, ledger)
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

const computesOfHistory = (intervals: readonly HistoryInterval[], ledger: Ledger): BudgetComputesByKey =>
  new Map(intervals.map(({ ref }) => [computeKey(ref), selectorTargetIn(ledger, ref)]))

type SweptLedger = Readonly<{
  before: Ledger
  /** A new project is stored after its computes, but a selector may need its name before. */
  listed: (projectId: string) => ProjectEntry | undefined
  /** Whether operations tell of the time before a compute was first seen: read now, or in the next sweep where this one had no request left. */
  isPastKnown: (projectId: string) => boolean
}>

export function sweptLedger(before: Ledger, sweep: Sweep): SweptLedger {
  const projects = new Map(sweep.projects.map((project) => [project.projectId, project]))
  // a service that publishes none has none to wait for
  const arePublished = sweep.operations.length > 0
  const read = new Set(sweep.operationsReadOf)
  const waits = (projectId: string): boolean => {
    const pending = sweep.retries.operations.get(projectId)
    return pending !== undefined && pending.failed === undefined
  }
  return {
    before,
    listed: (projectId) => {
      const project = projects.get(projectId)
      return project && { project, listed: undefined }
    },
    isPastKnown: (projectId) => arePublished && (read.has(projectId) || waits(projectId)),
  }
}

/** For the commit of the slices: one without the other would count them twice or never. */
export function settleBudgetsOfChunk(
  { writes, slices }: Pick<AppliedChunk, 'writes' | 'slices'>,
  { ledger, before, listed, isPastKnown }: SweptLedger & { readonly ledger: Ledger },
  { plan: { budgets }, now }: BudgetContext,
): readonly Write[] {
  const entries = entriesOf(writes)
  if (budgets.budgets.length === 0 || entries.length === 0) return []
  const computes = toBudgetComputes(entries, projectsOf(writes, { ledger, listed }))
  const lateDiscoveries = lateDiscoveriesOf(entries, computes, { before, isPastKnown })
  const settled = { settled: slices, computes, lateDiscoveries, now }
  return budgetWrites(ledger.budgets, settleBudgets(budgets.budgets, ledger.budgets, settled))
}

/** For the same commit. `counters` itself where the chunk has no compute with a past that is seen for the first time. */
export function excludePastOfChunk(
  counters: Ledger['counters'],
  { writes, slices }: Pick<AppliedChunk, 'writes' | 'slices'>,
  {
    ledger,
    before,
    listed,
    budgets,
  }: Pick<SweptLedger, 'before' | 'listed'> & Pick<PassPlan, 'budgets'> & { readonly ledger: Ledger },
): Ledger['counters'] {
  const found = entriesOf(writes).filter(({ ref }) => !before.computes.has(computeKey(ref)))
  if (budgets.budgets.length === 0 || found.length === 0) return counters
  const computes = toBudgetComputes(found, projectsOf(writes, { ledger, listed }))
  const next = excludePast(budgets.budgets, counters.budgets, { settled: slices, computes })
  return next === counters.budgets ? counters : { ...counters, budgets: next }
}

/** As far as they are known when the writes are committed. */
function projectsOf(
  writes: readonly Write[],
  { ledger, listed }: Pick<SweptLedger, 'listed'> & { readonly ledger: Ledger },
) {
  const stored = writes.flatMap((write) => (write.kind === 'project' ? [write.entry] : []))
  const projects = new Map(stored.map((entry) => [entry.project.projectId, entry]))
  return (projectId: string) => projects.get(projectId) ?? ledger.projects.get(projectId) ?? listed(projectId)
}

/** Computes first seen now that existed before, and whose past no operations tell. */
function lateDiscoveriesOf(
  entries: readonly ComputeEntry[],
  computes: BudgetComputesByKey,
  { before, isPastKnown }: Pick<SweptLedger, 'before' | 'isPastKnown'>,
): readonly LateDiscovery[] {
  return entries.flatMap(({ ref, observedAt, compute: { createdAt } }) => {
    const compute = computes.get(computeKey(ref))
    const listedAt = before.projects.get(ref.projectId)?.listed?.at
    const isYoung = listedAt !== undefined && listedAt <= createdAt
    if (!compute || before.computes.has(computeKey(ref)) || isPastKnown(ref.projectId) || isYoung) return []
    return [{ compute, knownFrom: observedAt }]
  })
}

type SweepResults = Readonly<{ observed: Observed; applied: { ledger: Ledger; failure: unknown } }>

/** Between two yields, some 10 ms. */
const ENTRIES_PER_TURN = 2000

/** Stage 3 of a pass: as of now, with provisional usage. Undefined where the sweep could not be stored. */
export async function evaluatePassBudgets(clock: Ports['clock'], input: PassInput, results: SweepResults) {
  const { observed, applied } = results
  if (applied.failure !== undefined) return undefined
  const { ledger } = applied
  const isUnobserved = !isReached(observed.sweep.service)
  const { states, budgetCounters, views, events } = await evaluate(clock, input, { ...results, isUnobserved })
  const counters = withBudgetCounters(ledger.counters, budgetCounters)
  return {
    /** With the evaluated states and counters. */
    ledger: { ...ledger, budgets: states, counters },
    budgets: views,
    events,
    writes: [
      ...budgetWrites(ledger.budgets, states),
      ...(counters === ledger.counters ? [] : [{ kind: 'counters', counters } as const]),
    ],
  }
}

/** Views as of now of a pass that could not be stored. What it saw is not in the ledger: bounds grow as while the service does not answer. */
export async function viewUnstoredBudgets(
  clock: Ports['clock'],
  input: PassInput,
  results: SweepResults,
): Promise<readonly BudgetView[]> {
  const { views } = await evaluate(clock, input, { ...results, isUnobserved: true })
  return views
}

async function evaluate(
  clock: Ports['clock'],
  { before, plan }: PassInput,
  { observed, applied: { ledger }, isUnobserved }: SweepResults & { readonly isUnobserved: boolean },
) {
  const evaluator = openBudgets(plan.budgets, {
    ...ledger,
    prices: plan.prices,
    now: observed.now,
    atMost: observed.upperBound,
    isUnobserved,
    isFound: (ref) => !before.ledger.computes.has(computeKey(ref)),
  })
  const entries = plan.budgets.budgets.length === 0 ? [] : ledger.computes.values()
  for await (const chunk of inTurns(inChunks(entries, ENTRIES_PER_TURN), clock)) evaluator.add(chunk)
  return evaluator.close()
}

/** `before` itself where no counter changed. */
function withBudgetCounters(before: Ledger['counters'], budgets: Ledger['counters']['budgets']) {
  const names = Object.keys(budgets)
  const isSame =
    names.length === Object.keys(before.budgets).length &&
    names.every((name) => before.budgets[name] === budgets[name])
  return isSame ? before : { ...before, budgets }
}
