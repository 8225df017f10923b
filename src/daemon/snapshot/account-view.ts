import type { BudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import { measureMeteringLag } from '../../ledger/metering/metering-lag.ts'
import { shownAmount } from '../../ledger/metering/shown-amount.ts'
import type { CountedPast, Shown } from '../../model/ledger/counted-past.ts'
import { addBounds, type Prices } from '../../model/ledger/quantities.ts'
import { activityLagFromSamples } from '../../model/inference/activity-lag.ts'
import type { ComputeEntry, ComputeSums } from '../../model/ledger/ledger.ts'
import { isLookedAt, type ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { ActivityLagSample } from '../../model/ledger/reading-state.ts'
import type { AccountView, ComputeView, ProjectView } from '../../model/output/snapshot.ts'
import type {
  BudgetForecast,
  BudgetView,
  BudgetWithForecast,
  ShownBudget,
} from '../../model/policy/budget.ts'
import type { Owner, Owners } from '../../model/policy/owner.ts'
import type { AllowedHosts } from '../../model/service/allowed-hosts.ts'
import { targetKey, type ProjectRef } from '../../model/service/compute.ts'
import type { WarmUpCounts } from '../../model/policy/warm-up.ts'
import type { Preset } from '../../model/service/sizes.ts'
import { earliest, micros, millis, ratio, type Instant } from '../../model/units.ts'
import type { Adviser } from '../advice/adviser.ts'
import { isMonthBudget } from '../accounts/month-budget.ts'
import type { SavedSpend } from '../advice/saved-spend.ts'
import type { ChangeViews } from '../changes/tallies.ts'
import type { Forecaster } from '../history/forecasts.ts'
import { shownSpend } from '../history/shown-budget.ts'
import type { PassState } from '../pass/pass-state.ts'

export type AccountInput = Readonly<{
  state: PassState
  prices: Prices
  preset: Preset
  /** Why its computes cannot be read, if so. */
  unreadable?: string | undefined
  /** Hosts of computes that may be read; default: all names. */
  hosts?: AllowedHosts | undefined
  /** Default: true. */
  isRead?: boolean
  forecasts?: Pick<Forecaster, 'of'> | undefined
  /** The budgets each compute counts for; undefined when none are shown. */
  scopes?: BudgetScopes | undefined
  advice?: Pick<Adviser, 'openOf' | 'openProjects' | 'summary'> | undefined
  /** Usage before the first look; undefined before it was read. */
  past?: CountedPast | undefined
  changes?: ChangeViews | undefined
  savedSpend?: Pick<SavedSpend, 'of' | 'byTeam'> | undefined
  warmUps?: WarmUpCounts | undefined
}>

/** `add` takes each entry with its view, `close` returns the whole. */
export function openAccount(input: AccountInput, owners: Pick<Owners, 'ofProject'>) {
  const { state, prices, forecasts, scopes, advice, past, changes, savedSpend, unreadable, warmUps } = input
  const { isRead = true } = input
  const { account, projects, deleted, counters, readings } = state.ledger
  const totals = noTotals()
  const ownProjects = projectViews(input, owners)
  let hostsRefused = 0
  const wakesCaused = new Map<string, number>()
  const wakesByChange = new Map<string, number>()
  const wakesByWarmUp = new Map<string, number>()
  const lags: ActivityLagSample[] = []
  const budgetOwners = createBudgetOwners(scopes)
  // now, not in `close`: the forecaster works on while entries are added
  const forecastBudgets = state.budgets.map((view) => {
    const shown = shownSpend(view, { past, scopes, ledger: state.ledger })
    const { forecast, shownForecast, spentByDay } = forecasts?.of(view, shown) ?? {}
    return { ...view, forecast, spentByDay, shown: shown && shownBudget(view, shown, shownForecast) }
  })
  const addOfProject = (projectId: string, sums: ComputeSums) => {
    addToTotals(totals, sums)
    if (sums.wakesCaused > 0) wakesCaused.set(projectId, (wakesCaused.get(projectId) ?? 0) + sums.wakesCaused)
  }
  for (const compute of deleted.values()) addOfProject(compute.ref.projectId, compute)
  return {
    /** Deleted computes too: their spend stays in the totals. */
    add: (entry: ComputeEntry, { identity, state: { isDeleted }, ledger }: ComputeView) => {
      const { projectId } = entry.ref
      const { awake, spend, observerOverhead } = ledger
      addOfProject(projectId, { ...ledger.counters, awake, spend, observerOverhead })
      const { wakesByChange: byChange = 0, wakesByWarmUp: byWarmUp = 0 } = ledger.counters
      if (byChange > 0) wakesByChange.set(projectId, (wakesByChange.get(projectId) ?? 0) + byChange)
      if (byWarmUp > 0) wakesByWarmUp.set(projectId, (wakesByWarmUp.get(projectId) ?? 0) + byWarmUp)
      lags.push(...entry.reading.lags)
      if (!isDeleted && !identity.isHostAllowed) hostsRefused += 1
      if (!isDeleted) budgetOwners.add(entry, projects.get(projectId), identity.owner)
    },
    close: (): AccountView => {
      const budgets = forecastBudgets.map((view) => ({ ...view, ...budgetOwners.of(view.name) }))
      return {
        account,
        currency: prices.currency,
        service: state.service.status ?? 'unavailable',
        stored: state.persistence.isPersisted,
        storedAt: state.persistence.storedAt,
        lastSweepAt: state.service.lastSweepAt,
        lastRejectedAt: state.service.lastRejectedAt,
        listedAt: state.polling.list.finished?.startedAt,
        backlog: state.polling.backlog,
        withoutPast: countWithoutPast(projects.values()),
        operationsWaitSince: longestWait(state.polling.retries),
        problems: state.outbox.problems,
        readings,
        unreadable,
        hostsRefused,
        isRead,
        activityLag: activityLagFromSamples(lags),
        countLag: measureMeteringLag(projects.values()),
        counts: meteringCounts(projects.values()),
        wakesCaused,
        wakesByChange,
        wakesByWarmUp,
        totals: {
          ...totals,
          shown: past && shownAmount(totals.spend, { past, computes: past.computes.values() }),
        },
        teams: counters.teams,
        wakesBy: counters.wakes,
        operations: counters.operations,
        wakeLatency: counters.wakeLatency,
        budgets: budgets.filter((view) => !isMonthBudget(view)),
        month: budgets.find(isMonthBudget),
        advice: advice?.summary(),
        ...(ownProjects && { projects: ownProjects }),
        past,
        changes: changes && {
          open: changes.open,
          ended: changes.ended,
          restartsAvoided: changes.restartsAvoided,
        },
        saved: savedSpend?.byTeam(),
        warmUps,
      }
    },
  }
}

function countWithoutPast(projects: Iterable<ProjectEntry>): number {
  let count = 0
  for (const entry of projects) count += entry.listed && !isLookedAt(entry) ? 1 : 0
  return count
}

function meteringCounts(projects: Iterable<ProjectEntry>): AccountView['counts'] {
  let [compared, off, ignored] = [0, 0, 0]
  for (const { metering } of projects) {
    compared += metering?.reconciliation ? 1 : 0
    off += metering?.reconciliation?.diverges ? 1 : 0
    ignored += metering?.ignored ?? 0
  }
  return { compared, off, ignored }
}

const shownBudget = (
  { limit: { amount: limit } }: BudgetView,
  shown: Shown,
  forecast: BudgetForecast | undefined,
): ShownBudget => ({
  ...shown,
  share: ratio(shown.amount.likely / limit),
  remaining: limit - shown.amount.likely,
  forecast,
})

type Totals = { -readonly [key in keyof AccountView['totals']]: AccountView['totals'][key] }

const noTotals = (): Totals => ({
  awake: { low: millis(0), likely: millis(0), high: millis(0) },
  spend: { low: micros(0), likely: micros(0), high: micros(0) },
  extension: millis(0),
  observerSpend: micros(0),
  wakes: 0,
  suspends: 0,
  wakesCaused: 0,
})

function addToTotals(totals: Totals, sums: ComputeSums) {
  totals.awake = addBounds(totals.awake, sums.awake, millis)
  totals.spend = addBounds(totals.spend, sums.spend, micros)
  totals.extension = millis(totals.extension + sums.observerOverhead)
  totals.observerSpend = micros(totals.observerSpend + sums.observerSpend)
  totals.wakes += sums.wakes
  totals.suspends += sums.suspends
  totals.wakesCaused += sums.wakesCaused
}

function longestWait({ operations }: PassState['polling']['retries']) {
  let longest: Instant | undefined
  for (const { since } of operations.values()) longest = earliest(since, longest ?? since)
  return longest
}

/** Owners of budgets: the configured team, else the team and tier that all its computes share. */
export function createBudgetOwners(scopes: BudgetScopes | undefined) {
  const budgets = scopes?.budgets ?? []
  const owners = budgets.map(() => ({ teams: new Set<string>(), tiers: new Set<string>() }))
  return {
    add: (entry: ComputeEntry, project: ProjectEntry | undefined, { team, tier }: Owner) => {
      for (const index of scopes?.of(entry, project).indexes ?? []) {
        owners[index]?.teams.add(team)
        owners[index]?.tiers.add(tier)
      }
    },
    /** To be asked after all were added. */
    of: (name: string): Pick<BudgetWithForecast, 'team' | 'tier'> => {
      const index = budgets.findIndex((budget) => budget.name === name)
      const { teams, tiers } = owners[index] ?? {}
      return { team: budgets[index]?.team ?? onlyOf(teams), tier: onlyOf(tiers) }
    },
  }
}

/** Empty for several or none. */
const onlyOf = (texts: ReadonlySet<string> | undefined) => {
  const [first = '', second] = texts ?? []
  return second === undefined ? first : ''
}

/** Views of projects that recommendations or changes of their own are about. In order of their ids; undefined where there are none. */
function projectViews(
  {
    state: { ledger },
    advice,
    changes,
    savedSpend,
  }: Pick<AccountInput, 'state' | 'advice' | 'changes' | 'savedSpend'>,
  owners: Pick<Owners, 'ofProject'>,
): readonly ProjectView[] | undefined {
  const { account, projects } = ledger
  const ids = new Set(
    [...(advice?.openProjects() ?? []), ...(changes?.projects ?? [])].map(({ projectId }) => projectId),
  )
  const views = [...ids].toSorted().flatMap((projectId): readonly ProjectView[] => {
    const entry = projects.get(projectId)
    if (!entry || entry.deletedAt !== undefined) return []
    const ref: ProjectRef = { account, projectId }
    const { project } = entry
    const parts = partsOf(targetKey(ref), { advice, changes, savedSpend })
    return [{ ref, project, owner: owners.ofProject(account, project), ...parts }]
  })
  return views.length === 0 ? undefined : views
}

export type ViewParts = Pick<ComputeView, 'advice' | 'changes' | 'changeTallies' | 'saved'>

/** Parts of a view that the entry of a compute or project lacks. @param key its key */
export function partsOf(
  key: string,
  { advice, changes, savedSpend }: Pick<AccountInput, 'advice' | 'changes' | 'savedSpend'>,
): ViewParts {
  const saved = savedSpend?.of(key)
  const [recommended, open, tallies] = [advice?.openOf(key), changes?.openOf(key), changes?.talliesOf(key)]
  return {
    ...(recommended && { advice: recommended }),
    ...(open && { changes: open }),
    ...(tallies && { changeTallies: tallies }),
    ...(saved && { saved }),
  }
}
