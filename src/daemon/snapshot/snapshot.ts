// The state of all accounts as one immutable value for every output.
import { measureMeteringLag } from '../../ledger/metering/metering-lag.ts'
import { computeView } from '../../ledger/compute-view.ts'
import { addBounds } from '../../model/ledger/quantities.ts'
import type { ProjectMetering } from '../../model/ledger/metering.ts'
import type { BudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import type { BudgetView } from '../../model/policy/budget.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import type { ActivityLagSample } from '../../model/ledger/reading-state.ts'
import type { ProjectEntry, RetiredSums } from '../../model/ledger/project-entry.ts'
import { activityLagFromSamples } from '../../model/inference/activity-lag.ts'
import type { PendingRetries } from '../../model/observation.ts'
import type { Owners } from '../../model/policy/owner.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Prices } from '../../model/ledger/price.ts'
import { asOrderedMap } from '../../std/ordered-map.ts'
import { createIdentityCache, type IdentityCache } from '../../std/cache.ts'
import type { Preset } from '../../model/service/sizes.ts'
import type { AccountView, ComputeView, Snapshot } from '../../model/output/snapshot.ts'
import { earliest, instant, micros, millis, type Instant, type Seconds } from '../../model/units.ts'
import { createBudgetOwners, type BudgetOwners } from './budget-owners.ts'
import type { Forecasts } from '../history/forecasts.ts'
import { isMonthBudget } from '../accounts/month-budget.ts'
import type { PassState } from '../pass/pass-state.ts'

export type AccountInput = {
  readonly state: PassState
  readonly prices: Prices
  readonly preset: Preset
  /** Why the account's computes cannot be read; undefined where they can. */
  readonly unreadable?: string | undefined
  /** Whether computes are to be read; true by default. */
  readonly isRead?: boolean
  readonly forecasts?: Forecasts | undefined
  /** The budgets that each compute counts for; undefined when no budgets are shown. */
  readonly scopes?: BudgetScopes | undefined
}

export type SnapshotContext = {
  readonly now: Instant
  readonly version: number
  readonly passSeconds: Seconds
  /** Time after the last sweep from which states count as stale. */
  readonly staleAfter: Seconds
  /** How late the service shows activity. */
  readonly activityLag: Seconds
  readonly owners: Owners
  /** Empty by default. */
  readonly jobs?: Snapshot['jobs']
}

/** Entries of one call of `add`, 1,000: some 10 ms of work. */
const ENTRIES_PER_TURN = 1000

export type OpenAccount = {
  readonly add: (entries: Iterable<ComputeEntry>) => void
  readonly close: () => void
}

/** One snapshot: each account is opened, gets its entries, and is closed. */
export type OpenSnapshot = {
  readonly account: (input: AccountInput) => OpenAccount
  readonly finish: () => Snapshot
}

/** Opens one snapshot after another. Views of sleeping computes that did not change are reused. */
export type SnapshotBuilder = (context: SnapshotContext) => OpenSnapshot

export function createSnapshotBuilder(): SnapshotBuilder {
  const asleep = createIdentityCache<ComputeEntry, CachedView>()
  return (context) => {
    const views: ComputeView[] = []
    const accounts: AccountView[] = []
    const inputs: AccountInput[] = []
    return {
      account: (input) => {
        inputs.push(input)
        const { add, close } = openAccount(input, { views, viewOf: createViewer(input, { asleep, context }) })
        return { add, close: () => void accounts.push(close()) }
      },
      finish: () => {
        asleep.evictUnused()
        return {
          version: context.version,
          takenAt: context.now,
          ready:
            inputs.length > 0 &&
            inputs.every(({ state }) => state.service.status === 'ok' && state.persistence.isPersisted),
          accounts,
          computes: views,
          passSeconds: context.passSeconds,
          jobs: context.jobs ?? [],
        }
      },
    }
  }
}

function openAccount(
  input: AccountInput,
  { views, viewOf }: { readonly views: ComputeView[]; readonly viewOf: (entry: ComputeEntry) => ComputeView },
): { readonly add: OpenAccount['add']; readonly close: () => AccountView } {
  const { projects, archived } = input.state.ledger
  const totals = openTotals()
  const counts = { compared: 0, off: 0, ignored: 0 }
  for (const { project, retired, metering } of projects.values()) {
    if (retired) addSums(totals, project.projectId, retired)
    if (metering) addCount(counts, metering)
  }
  if (archived) addToSums(totals, archived)
  const lags: ActivityLagSample[] = []
  const budgetOwners = createBudgetOwners(input.scopes)
  return {
    add: (entries) => {
      for (const entry of entries) {
        const view = viewOf(entry)
        addTo(totals, view)
        lags.push(...entry.reading.lags)
        if (view.gone) continue
        views.push(view)
        budgetOwners.add(entry, projects.get(entry.ref.projectId), view.owner)
      }
    },
    close: () => ({
      ...accountView(input, { totals, budgetOwners }),
      activityLag: activityLagFromSamples(lags),
      countLag: measureMeteringLag(projects.values()),
      counts,
    }),
  }
}

/** Entries of an account in order of their keys. */
const entriesInOrder = ({ state }: AccountInput): Iterable<ComputeEntry> =>
  asOrderedMap(state.ledger.computes).values()

/** Builds `snapshot` and yields after every 1,000 entries. */
export async function buildSnapshot(
  snapshot: OpenSnapshot,
  accounts: readonly AccountInput[],
  clock: Pick<Clock, 'yield'>,
): Promise<Snapshot> {
  for (const input of accounts) {
    const account = snapshot.account(input)
    let entries: ComputeEntry[] = []
    for (const entry of entriesInOrder(input)) {
      if (entries.push(entry) < ENTRIES_PER_TURN) continue
      account.add(entries)
      entries = []
      // oxlint-disable-next-line no-await-in-loop -- a scrape may be waiting
      await clock.yield()
    }
    account.add(entries)
    account.close()
  }
  return snapshot.finish()
}

/** A snapshot in one turn, for commands that serve nobody else. */
export function takeSnapshot(accounts: readonly AccountInput[], context: SnapshotContext): Snapshot {
  const snapshot = createSnapshotBuilder()(context)
  for (const input of accounts) {
    const account = snapshot.account(input)
    account.add(entriesInOrder(input))
    account.close()
  }
  return snapshot.finish()
}

/** Inputs of a view that may change while its compute sleeps. */
type ViewInputs = {
  readonly project: ProjectEntry | undefined
  readonly stale: boolean
  /** Undefined unless stale: only then a view depends on it. */
  readonly sweptAt: Instant | undefined
  readonly owners: Owners
}

type CachedView = ViewInputs & { readonly view: ComputeView }

const isSame = (a: ViewInputs, b: ViewInputs): boolean =>
  a.project === b.project && a.stale === b.stale && a.sweptAt === b.sweptAt && a.owners === b.owners

/** Views of entries. A sleeping compute keeps its view until its entry or one of the other inputs changes. */
function createViewer(
  { state, prices, preset, unreadable }: AccountInput,
  {
    asleep,
    context,
  }: { readonly asleep: IdentityCache<ComputeEntry, CachedView>; readonly context: SnapshotContext },
): (entry: ComputeEntry) => ComputeView {
  const { now, staleAfter, activityLag, owners } = context
  const then = instant(now + state.clock.offset)
  const stale = state.service.lastSweepAt === undefined || now - state.service.lastSweepAt > staleAfter * 1000
  const sweptAt = stale ? state.service.lastSweepAt : undefined
  const atMost = instant(then + state.clock.uncertainty)
  const viewContext = { prices, preset, now: then, atMost, activityLag, owners, stale, sweptAt, unreadable }
  return (entry) => {
    const project = state.ledger.projects.get(entry.ref.projectId)
    const before = asleep.get(entry)
    if (before && isSame(before, { project, stale, sweptAt, owners })) return before.view
    const view = computeView(entry, { ...viewContext, project })
    const isAsleep = entry.current === undefined && entry.compute.state === 'idle'
    if (isAsleep) asleep.set(entry, { project, stale, sweptAt, owners, view })
    return view
  }
}

function addCount(
  counts: { -readonly [key in keyof AccountView['counts']]: number },
  { reconciliation, ignored }: ProjectMetering,
): void {
  counts.compared += reconciliation ? 1 : 0
  counts.off += reconciliation?.diverges ? 1 : 0
  counts.ignored += ignored
}

type OpenTotals = { -readonly [key in keyof AccountView['totals']]: AccountView['totals'][key] } & {
  readonly wakesCausedIn: Map<string, number>
}

const openTotals = (): OpenTotals => ({
  awake: { low: millis(0), likely: millis(0), high: millis(0) },
  spend: { low: micros(0), likely: micros(0), high: micros(0) },
  extension: millis(0),
  observerSpend: micros(0),
  wakes: 0,
  suspends: 0,
  wakesCaused: 0,
  wakesCausedIn: new Map(),
})

/** Deleted computes are included: their spend stays in the totals. */
function addTo(totals: OpenTotals, { ref, awake, spend, extension, counters }: ComputeView): void {
  addSums(totals, ref.projectId, { ...counters, awake, spend, observerOverhead: extension })
}

function addSums(totals: OpenTotals, projectId: string, sums: RetiredSums): void {
  addToSums(totals, sums)
  if (sums.wakesCaused > 0) {
    const before = totals.wakesCausedIn.get(projectId) ?? 0
    totals.wakesCausedIn.set(projectId, before + sums.wakesCaused)
  }
}

function addToSums(totals: OpenTotals, sums: RetiredSums): void {
  totals.awake = addBounds(totals.awake, sums.awake, millis)
  totals.spend = addBounds(totals.spend, sums.spend, micros)
  totals.extension = millis(totals.extension + sums.observerOverhead)
  totals.observerSpend = micros(totals.observerSpend + sums.observerSpend)
  totals.wakes += sums.wakes
  totals.suspends += sums.suspends
  totals.wakesCaused += sums.wakesCaused
}

function plannedOf(
  budgets: readonly BudgetView[],
  { forecasts }: AccountInput,
  budgetOwners: BudgetOwners,
): Pick<AccountView, 'budgets' | 'month'> {
  const views = budgets.map((view) => ({
    ...view,
    ...budgetOwners.of(view.name),
    forecast: forecasts?.of(view),
  }))
  return { budgets: views.filter((view) => !isMonthBudget(view)), month: views.find(isMonthBudget) }
}

function longestWait({ operations }: PendingRetries): Instant | undefined {
  let longest: Instant | undefined
  for (const { since } of operations.values()) longest = earliest(since, longest ?? since)
  return longest
}

function accountView(
  input: AccountInput,
  {
    totals: { wakesCausedIn, ...totals },
    budgetOwners,
  }: { readonly totals: OpenTotals; readonly budgetOwners: BudgetOwners },
): Omit<AccountView, 'activityLag' | 'countLag' | 'counts'> {
  const { state, prices, unreadable, isRead = true } = input
  return {
    account: state.ledger.account,
    currency: prices.currency,
    service: state.service.status ?? 'unavailable',
    stored: state.persistence.isPersisted,
    lastSweepAt: state.service.lastSweepAt,
    lastRejectedAt: state.service.lastRejectedAt,
    listedAt: state.polling.list.finished?.startedAt,
    backlog: state.polling.backlog,
    operationsWaitSince: longestWait(state.polling.retries),
    problems: state.outbox.problems,
    readings: state.ledger.readings,
    unreadable,
    isRead,
    wakesCaused: wakesCausedIn,
    totals,
    teams: state.ledger.counters.teams,
    wakesBy: state.ledger.counters.wakes,
    operations: state.ledger.counters.operations,
    wakeLatency: state.ledger.counters.wakeLatency,
    ...plannedOf(state.budgets, input, budgetOwners),
  }
}
