// The state of all accounts as one immutable value for every output.
import { measureMeteringLag } from '../../ledger/metering/metering-lag.ts'
import { computeView } from '../../ledger/compute-view.ts'
import type { ProjectMetering } from '../../model/ledger/metering.ts'
import type { BudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import type { BudgetView } from '../../model/policy/budget.ts'
import type {
  Bounds,
  ComputeEntry,
  ActivityLagSample,
  ProjectEntry,
  RetiredSums,
} from '../../model/ledger/ledger.ts'
import { activityLagFromSamples } from '../../model/inference/activity-lag.ts'
import { asOrderedMap } from '../../std/ordered-map.ts'
import type { PendingRetries } from '../../model/observation.ts'
import type { Owners } from '../../model/policy/owner.ts'
import type { Prices } from '../../model/ledger/price.ts'
import { createIdentityCache, type IdentityCache } from '../../std/cache.ts'
import type { Preset } from '../../model/service/sizes.ts'
import type { AccountView, ComputeView, Snapshot } from '../../model/output/snapshot.ts'
import { forEachYielding, type Cooperative } from '../../std/cooperative.ts'
import { earliest, instant, micros, millis, type Instant, type Seconds } from '../../model/units.ts'
import { createBudgetOwners, type BudgetOwners } from './budget-owners.ts'
import type { Forecasts } from '../history/forecasts.ts'
import { isMonthBudget } from '../accounts/month-budget.ts'
import type { PassState } from '../pass/pass-state.ts'

export type AccountInput = {
  readonly state: PassState
  readonly prices: Prices
  readonly preset: Preset
  /** Why its computes cannot be read; undefined where they can. */
  readonly unreadable?: string | undefined
  /** Whether they are to be; when nothing is said they are. */
  readonly isRead?: boolean
  readonly forecasts?: Forecasts | undefined
  /** Which budgets its computes count for; undefined where none are shown. */
  readonly scopes?: BudgetScopes | undefined
}

export type SnapshotContext = {
  readonly now: Instant
  readonly version: number
  readonly passSeconds: Seconds
  /** How long after the last sweep states are only remembered. */
  readonly staleAfter: Seconds
  /** How late the service shows activity. */
  readonly activityLag: Seconds
  readonly owners: Owners
  /** None when nothing is said. */
  readonly jobs?: Snapshot['jobs']
}

/** Computes shown in one step. Doubled, the event loop is held up for some 10 ms. */
const COMPUTES = 1000

/** Takes snapshots one after another; what sleeps and did not change is not worked out again. */
export type SnapshotBuilder = (
  accounts: readonly AccountInput[],
  context: SnapshotContext,
) => Cooperative<Snapshot>

export function createSnapshotBuilder(): SnapshotBuilder {
  const asleep = createIdentityCache<ComputeEntry, Seen>()
  return function* snapshotOf(accounts, context) {
    const views: ComputeView[] = []
    const accountViews: AccountView[] = []
    for (const shown of accounts) {
      const totals = openTotals()
      const { computes, projects } = shown.state.ledger
      const counts = { compared: 0, off: 0, ignored: 0 }
      yield* forEachYielding(projects.values(), COMPUTES, ({ project, retired, metering }) => {
        if (retired) addSums(totals, project.projectId, retired)
        if (metering) addCount(counts, metering)
      })
      if (shown.state.ledger.archived) addToSums(totals, shown.state.ledger.archived)
      const countLag = yield* measureMeteringLag(projects.values())
      const look = viewOf(shown, { asleep, context })
      const lags: ActivityLagSample[] = []
      const answerable = createBudgetOwners(shown.scopes)
      yield* forEachYielding(asOrderedMap(computes).values(), COMPUTES, (account) => {
        const view = look(account)
        addTo(totals, view)
        lags.push(...account.reading.lags)
        if (view.gone) return
        views.push(view)
        answerable.add(account, projects.get(account.ref.projectId), view.owner)
      })
      accountViews.push({
        ...accountView(shown, { totals, answerable }),
        activityLag: activityLagFromSamples(lags),
        countLag,
        counts,
      })
    }
    asleep.evictUnused()
    return {
      version: context.version,
      takenAt: context.now,
      ready:
        accounts.length > 0 && accounts.every(({ state }) => state.service === 'ok' && state.isPersisted),
      accounts: accountViews,
      computes: views,
      passSeconds: context.passSeconds,
      jobs: context.jobs ?? [],
    }
  }
}

type Sight = {
  readonly project: ProjectEntry | undefined
  readonly stale: boolean
  /** Of what is stale; else it changes nothing. */
  readonly sweptAt: Instant | undefined
  readonly owners: Owners
}

type Seen = Sight & { readonly view: ComputeView }

const isSame = (a: Sight, b: Sight): boolean =>
  a.project === b.project && a.stale === b.stale && a.sweptAt === b.sweptAt && a.owners === b.owners

/** The view of a compute that sleeps is the same until its account, its project or our sight of it changes. */
function viewOf(
  { state, prices, preset, unreadable }: AccountInput,
  {
    asleep,
    context,
  }: { readonly asleep: IdentityCache<ComputeEntry, Seen>; readonly context: SnapshotContext },
): (account: ComputeEntry) => ComputeView {
  const { now, staleAfter, activityLag, owners } = context
  const then = instant(now + state.offset)
  const stale = state.lastSweepAt === undefined || now - state.lastSweepAt > staleAfter * 1000
  const sweptAt = stale ? state.lastSweepAt : undefined
  const atMost = instant(then + state.uncertainty)
  const sight = { prices, preset, now: then, atMost, activityLag, owners, stale, sweptAt, unreadable }
  return (account) => {
    const project = state.ledger.projects.get(account.ref.projectId)
    const before = asleep.get(account)
    if (before && isSame(before, { project, stale, sweptAt, owners })) return before.view
    const view = computeView(account, { ...sight, project })
    const sleeps = account.current === undefined && account.compute.state === 'idle'
    if (sleeps) asleep.set(account, { project, stale, sweptAt, owners, view })
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

/** Those that are gone too: what they cost stays in the sums. */
function addTo(totals: OpenTotals, { ref, awake, spend, extension, counters }: ComputeView): void {
  addSums(totals, ref.projectId, { ...counters, awake, spend, observerOverhead: extension })
}

function addSums(totals: OpenTotals, projectId: string, sums: RetiredSums): void {
  addToSums(totals, sums)
  if (sums.wakesCaused > 0) {
    const known = totals.wakesCausedIn.get(projectId) ?? 0
    totals.wakesCausedIn.set(projectId, known + sums.wakesCaused)
  }
}

function addToSums(totals: OpenTotals, sums: RetiredSums): void {
  totals.awake = added(totals.awake, sums.awake, millis)
  totals.spend = added(totals.spend, sums.spend, micros)
  totals.extension = millis(totals.extension + sums.observerOverhead)
  totals.observerSpend = micros(totals.observerSpend + sums.observerSpend)
  totals.wakes += sums.wakes
  totals.suspends += sums.suspends
  totals.wakesCaused += sums.wakesCaused
}

const added = <Value extends number>(
  a: Bounds<Value>,
  b: Bounds<Value>,
  unit: (value: number) => Value,
): Bounds<Value> => ({
  low: unit(a.low + b.low),
  likely: unit(a.likely + b.likely),
  high: unit(a.high + b.high),
})

function plannedOf(
  budgets: readonly BudgetView[],
  { forecasts }: AccountInput,
  answerable: BudgetOwners,
): Pick<AccountView, 'budgets' | 'month'> {
  const all = budgets.map((view) => ({
    ...view,
    ...answerable.of(view.name),
    forecast: forecasts?.of(view),
  }))
  return { budgets: all.filter((view) => !isMonthBudget(view)), month: all.find(isMonthBudget) }
}

function longestWait({ operations }: PendingRetries): Instant | undefined {
  let longest: Instant | undefined
  for (const { since } of operations.values()) longest = earliest(since, longest ?? since)
  return longest
}

function accountView(
  shown: AccountInput,
  {
    totals: { wakesCausedIn, ...totals },
    answerable,
  }: { readonly totals: OpenTotals; readonly answerable: BudgetOwners },
): Omit<AccountView, 'activityLag' | 'countLag' | 'counts'> {
  const { state, prices, unreadable, isRead = true } = shown
  return {
    account: state.ledger.account,
    currency: prices.currency,
    service: state.service ?? 'unavailable',
    stored: state.isPersisted,
    lastSweepAt: state.lastSweepAt,
    lastRejectedAt: state.lastRejectedAt,
    listedAt: state.list.finished?.startedAt,
    backlog: state.backlog,
    operationsWaitSince: longestWait(state.retries),
    problems: state.problems,
    readings: state.ledger.readings,
    unreadable,
    isRead,
    wakesCaused: wakesCausedIn,
    totals,
    teams: state.ledger.counters.teams,
    wakesBy: state.ledger.counters.wakes,
    operations: state.ledger.counters.operations,
    wakeLatency: state.ledger.counters.wakeLatency,
    ...plannedOf(state.budgets, shown, answerable),
  }
}
