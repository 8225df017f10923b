// Budgets in the pass: begun from what the store keeps, settled with each part, looked at when all parts are durable.
import { EMPTY_BATCH, type LedgerBatch } from '../../ledger/apply-sweep.ts'
import {
  budgetChanges,
  toBudgetComputes,
  openBudgets,
  settleBudgets,
  type BudgetScopes,
} from '../../ledger/budgets/account-budgets.ts'
import {
  settledPartOfOpen,
  slicesOfHistory,
  type HistoryInterval,
} from '../../ledger/budgets/from-history.ts'
import {
  spendKnownSince,
  isStateOfDefinition,
  type BudgetCompute,
  type BudgetComputesByKey,
  type LateDiscovery,
} from '../../ledger/budgets/settle.ts'
import type { BudgetStates, BudgetView } from '../../model/policy/budget.ts'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import type { Event } from '../../model/output/event-kinds.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Sweep } from '../../model/observation.ts'
import type { Batch } from '../../model/ports/store.ts'
import type { Ports } from '../../model/ports/ports.ts'
import type { AppliedSweep } from './apply-in-chunks.ts'
import type { Observed } from './observe-on-service-time.ts'
import type { PassInput, PassPlan } from './pass-input.ts'
import type { Prices } from '../../model/ledger/price.ts'
import { matchesSelector } from '../../model/policy/selector.ts'
import type { AccountCounters } from '../../model/ledger/counters.ts'
import {
  after,
  cu,
  earliest,
  instant,
  micros,
  seconds,
  type Instant,
  type Seconds,
} from '../../model/units.ts'

export type BudgetPlan = {
  readonly scopes: BudgetScopes
  readonly prices: Prices
  /** How far back the service is asked for the history of a compute that is new. */
  readonly history: Seconds
}

export const budgetContext = (
  { budgets, prices, sweep }: PassPlan,
  { now, upperBound }: Pick<Observed, 'now' | 'upperBound'>,
): BudgetContext => ({ plan: { scopes: budgets, prices, history: sweep.history }, now, atMost: upperBound })

export type BudgetContext = {
  readonly plan: BudgetPlan
  readonly now: Instant
  /** The latest that it may be now; `now` where nothing is said. */
  readonly atMost?: Instant
}

/** Read before a period begins, to see whether anything was known then: a compute that sleeps for longer is rare. */
const BEFORE = 31 * 86_400_000
/** The longest window of burn. */
const BURN = 72 * 3_600_000
/** Intervals counted at once. Doubled, the event loop is held up for some 10 ms. */
const INTERVALS = 500

/**
 * The ledger with a state for each budget of the plan, durable. What is new in the configuration begins with the intervals that the
 * store keeps of its current period; the rest of the account goes on as it was.
 *
 * @throws when the store fails
 */
export async function ensureBudgetStates(
  { store, history }: Pick<Ports, 'store' | 'history'>,
  ledger: Ledger,
  here: BudgetContext,
): Promise<Ledger> {
  const { budgets } = here.plan.scopes
  const going = budgets.filter((budget) => isStateOfDefinition(budget, ledger.budgets[budget.name]))
  const names = new Set(budgets.map(({ name }) => name))
  const isSame =
    going.length === budgets.length && Object.keys(ledger.budgets).every((name) => names.has(name))
  if (isSame) return ledger
  const states: BudgetStates = {
    ...Object.fromEntries(going.flatMap(({ name }) => entryOf(ledger.budgets, name))),
    ...(await begun(history, ledger, here)),
  }
  await store.commit({
    ...EMPTY_BATCH,
    account: ledger.account,
    budgets: budgetChanges(ledger.budgets, states),
  })
  return { ...ledger, budgets: states }
}

function entryOf(states: BudgetStates, name: string): [string, BudgetStates[string]][] {
  const state = states[name]
  return state ? [[name, state]] : []
}

/** The states of budgets that have none, with all that was settled before. */
async function begun(
  history: Ports['history'],
  ledger: Ledger,
  { plan: { scopes, prices, history: asked }, now }: BudgetContext,
): Promise<BudgetStates> {
  const fresh = scopes.budgets.filter((budget) => !isStateOfDefinition(budget, ledger.budgets[budget.name]))
  const isFirst = ledger.projects.size === 0 && ledger.computes.size === 0
  let since = isFirst ? after(now, seconds(0 - asked)) : now
  let states: BudgetStates = {}
  const count = (kept: readonly HistoryInterval[]): void => {
    const settled = kept.flatMap((one) => slicesOfHistory(one, prices))
    since = earliest(since, ...settled.map(({ likely }) => likely[0]))
    const computes = keptComputes(kept, ledger, { prices, now })
    states = settleBudgets(fresh, states, { settled, computes, now, settledSince: since })
  }
  const from = earliest(instant(now - BURN), ...fresh.map((budget) => budget.periodAt(now)?.from ?? now))
  let kept: HistoryInterval[] = []
  for await (const interval of history.intervals(ledger.account, { from: instant(from - BEFORE), to: now })) {
    if (kept.push(interval) < INTERVALS) continue
    count(kept)
    kept = []
  }
  count([...kept, ...[...ledger.computes.values()].flatMap((account) => settledPartOfOpen(account) ?? [])])
  return Object.fromEntries(
    fresh.flatMap((budget) => {
      const state = states[budget.name]
      return state ? [[budget.name, spendKnownSince(budget, state, since)]] : []
    }),
  )
}

function keptComputes(
  kept: readonly HistoryInterval[],
  { computes, projects }: Ledger,
  { prices, now }: { readonly prices: Prices; readonly now: Instant },
): BudgetComputesByKey {
  const refs = new Map(kept.map(({ ref }) => [computeKey(ref), ref]))
  const known = [...refs.keys()].flatMap((key) => computes.get(key) ?? [])
  const projectOf = (projectId: string) => projects.get(projectId)
  return new Map([
    ...[...refs].map(([key, ref]) => [key, departedCompute(ref, projectOf(ref.projectId))] as const),
    ...toBudgetComputes(known, { projectOf, prices, now }),
  ])
}

/** Of a compute that is long gone no record is kept: it counts where its id or its project chooses it. */
const departedCompute = (ref: ComputeRef, project: ProjectEntry | undefined): BudgetCompute => ({
  ref,
  projectName: project?.project.name,
  branchId: '',
  name: undefined,
  type: 'read_write',
  maxCu: cu(0),
  perCuHour: micros(0),
  gone: true,
})

/** The places in `scopes.budgets` of those that a compute counts for, also of one that is long gone. */
export function budgetIndexesOf(
  ref: ComputeRef,
  {
    account,
    project,
  }: { readonly account: ComputeEntry | undefined; readonly project: ProjectEntry | undefined },
  scopes: BudgetScopes,
): readonly number[] {
  if (account) return scopes.of(account, project).places
  const gone = departedCompute(ref, project)
  return scopes.budgets.flatMap(({ scope }, place) => (matchesSelector(scope, gone) ? [place] : []))
}

/** A sweep over a ledger as it was `before`. */
export type SweptLedger = {
  readonly before: Ledger
  readonly sweep: Sweep
  /** A project of the sweep: one that is new is stored after its computes, which its name may choose. */
  readonly listed: (projectId: string) => ProjectEntry | undefined
}

export function sweptLedger(before: Ledger, sweep: Sweep): SweptLedger {
  const projects = new Map(sweep.projects.map((project) => [project.projectId, project]))
  return {
    before,
    sweep,
    listed: (projectId) => {
      const project = projects.get(projectId)
      return project && { project, listed: undefined }
    },
  }
}

/** `part` with what it settles of the budgets. */
export function settleBudgetsInBatch(
  part: LedgerBatch,
  { ledger, before, sweep, listed }: SweptLedger & { readonly ledger: Ledger },
  { plan: { scopes, prices }, now }: BudgetContext,
): Batch {
  if (scopes.budgets.length === 0 || part.computes.length === 0) return part
  const projects = new Map(part.projects.map((one) => [one.project.projectId, one]))
  const computes = toBudgetComputes(part.computes, {
    projectOf: (projectId) => projects.get(projectId) ?? ledger.projects.get(projectId) ?? listed(projectId),
    prices,
    now,
  })
  const states = settleBudgets(scopes.budgets, ledger.budgets, {
    settled: part.slices.settled,
    computes,
    newcomers: newcomersOf(part.computes, computes, { before, sweep }),
    now,
  })
  return { ...part, budgets: budgetChanges(ledger.budgets, states) }
}

/** Those that are seen for the first time, that were there before, and whose operations the service did not tell. */
function newcomersOf(
  accounts: readonly ComputeEntry[],
  computes: BudgetComputesByKey,
  { before, sweep }: { readonly before: Ledger; readonly sweep: Sweep },
): readonly LateDiscovery[] {
  const told = new Set(sweep.operations.length > 0 ? sweep.operationsReadOf : [])
  return accounts.flatMap(({ ref, observedAt, compute: { createdAt } }) => {
    const compute = computes.get(computeKey(ref))
    const listedAt = before.projects.get(ref.projectId)?.listed?.at
    const isYoung = listedAt !== undefined && listedAt <= createdAt
    if (!compute || before.computes.has(computeKey(ref)) || told.has(ref.projectId) || isYoung) return []
    return [{ compute, knownFrom: observedAt }]
  })
}

export type EvaluatedBudgets = {
  /** The ledger with the evaluated states and counters. */
  readonly ledger: Ledger
  readonly budgets: readonly BudgetView[]
  readonly events: readonly Event[]
  /** What changed; `counters` is undefined where none did. */
  readonly writes: Pick<Batch, 'budgets' | 'counters'>
}

/** Entries that are evaluated between two yields, some 10 ms. */
const ENTRIES_PER_TURN = 2000

/** Stage 3 of a pass: all budgets as of now; undefined where the sweep could not be stored. */
export async function evaluatePassBudgets(
  clock: Ports['clock'],
  { plan }: PassInput,
  { observed, applied }: { readonly observed: Observed; readonly applied: AppliedSweep },
): Promise<EvaluatedBudgets | undefined> {
  if (applied.failure !== undefined) return undefined
  const { ledger } = applied
  const evaluator = openBudgets(plan.budgets, {
    ...ledger,
    prices: plan.prices,
    now: observed.now,
    atMost: observed.upperBound,
    unseen: observed.sweep.service !== 'ok',
  })
  const entries = plan.budgets.budgets.length === 0 ? [] : [...ledger.computes.values()]
  for (let first = 0; first < entries.length; first += ENTRIES_PER_TURN) {
    evaluator.add(entries.slice(first, first + ENTRIES_PER_TURN))
    // oxlint-disable-next-line no-await-in-loop -- a scrape may be waiting
    await clock.yield()
  }
  const { states, budgetCounters, views, events } = evaluator.close()
  const counters = withBudgetCounters(ledger.counters, budgetCounters)
  return {
    ledger: { ...ledger, budgets: states, counters },
    budgets: views,
    events,
    writes: {
      budgets: budgetChanges(ledger.budgets, states),
      counters: counters === ledger.counters ? undefined : counters,
    },
  }
}

/** `before` itself where nothing moved. */
function withBudgetCounters(before: AccountCounters, budgets: AccountCounters['budgets']): AccountCounters {
  const names = Object.keys(budgets)
  const isSame =
    names.length === Object.keys(before.budgets).length &&
    names.every((name) => before.budgets[name] === budgets[name])
  return isSame ? before : { ...before, budgets }
}
