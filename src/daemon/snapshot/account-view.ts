// The view of one account: totals, counts of its metering, budgets with their owners.
import type { BudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import { measureMeteringLag } from '../../ledger/metering/metering-lag.ts'
import { addBounds } from '../../model/ledger/quantities.ts'
import { activityLagFromSamples } from '../../model/inference/activity-lag.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import type { ProjectEntry, RetiredSums } from '../../model/ledger/project-entry.ts'
import type { ActivityLagSample } from '../../model/ledger/reading-state.ts'
import type { ProjectMetering } from '../../model/ledger/metering.ts'
import type { Prices } from '../../model/ledger/price.ts'
import type { PendingRetries } from '../../model/observation.ts'
import type { AccountView, ComputeView } from '../../model/output/snapshot.ts'
import type { BudgetView, BudgetWithForecast } from '../../model/policy/budget.ts'
import type { Owner } from '../../model/policy/owner.ts'
import type { Preset } from '../../model/service/sizes.ts'
import { earliest, micros, millis, type Instant } from '../../model/units.ts'
import { isMonthBudget } from '../accounts/month-budget.ts'
import type { Forecasts } from '../history/forecasts.ts'
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

/** Opens the view of an account: `add` takes its entries, `close` returns it. */
export function openAccount(
  input: AccountInput,
  { views, viewOf }: { readonly views: ComputeView[]; readonly viewOf: (entry: ComputeEntry) => ComputeView },
): { readonly add: (entries: Iterable<ComputeEntry>) => void; readonly close: () => AccountView } {
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
        if (view.state.isDeleted) continue
        views.push(view)
        budgetOwners.add(entry, projects.get(entry.ref.projectId), view.identity.owner)
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
function addTo(
  totals: OpenTotals,
  { identity: { ref }, ledger: { awake, spend, observerOverhead: extension, counters } }: ComputeView,
): void {
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

/** The owner of a budget: the configured team, else the team and tier that all its computes share. */
type BudgetOwner = Pick<BudgetWithForecast, 'team' | 'tier'>

type BudgetOwners = {
  readonly add: (entry: ComputeEntry, project: ProjectEntry | undefined, owner: Owner) => void
  /** To be asked after all computes were added. */
  readonly of: (budget: string) => BudgetOwner
}

export function createBudgetOwners(scopes: BudgetScopes | undefined): BudgetOwners {
  const budgets = scopes?.budgets ?? []
  const owners = budgets.map(() => ({ teams: new Set<string>(), tiers: new Set<string>() }))
  return {
    add: (entry, project, { team, tier }) => {
      for (const index of scopes?.of(entry, project).indexes ?? []) {
        owners[index]?.teams.add(team)
        owners[index]?.tiers.add(tier)
      }
    },
    of: (name) => {
      const index = budgets.findIndex((budget) => budget.name === name)
      return {
        team: budgets[index]?.team ?? onlyOf(owners[index]?.teams),
        tier: onlyOf(owners[index]?.tiers),
      }
    },
  }
}

/** Empty when there are several or none. */
const onlyOf = (texts: ReadonlySet<string> | undefined): string => {
  const [first = '', second] = texts ?? []
  return second === undefined ? first : ''
}
