// The state of all accounts as one immutable value for every output.
import { computeView } from '../account/view.ts'
import type { BudgetView } from '../model/budget.ts'
import type { Bounds, ComputeAccount, Departed, ProjectAccount } from '../model/ledger.ts'
import { measuredLag } from '../model/lag.ts'
import type { Prices } from '../model/price.ts'
import type { Preset } from '../model/sizes.ts'
import type { AccountView, ComputeView, Snapshot } from '../model/snapshot.ts'
import type { Steps } from '../model/steps.ts'
import { instant, micros, millis, type Instant, type Seconds } from '../model/units.ts'
import type { Forecasts } from './forecasts.ts'
import { isMonth } from './month.ts'
import { orderedKeys, type Ordered } from './ordered-keys.ts'
import type { AccountState } from './state.ts'

export type Shown = {
  readonly state: AccountState
  readonly prices: Prices
  readonly preset: Preset
  /** Why its computes cannot be read; undefined where they can. */
  readonly unreadable?: string | undefined
  readonly forecasts?: Forecasts | undefined
}

export type SnapshotContext = {
  readonly now: Instant
  readonly version: number
  readonly passSeconds: Seconds
  /** How long after the last sweep states are only remembered. */
  readonly staleAfter: Seconds
  /** How late the service shows activity. */
  readonly activityLag: Seconds
}

/** Computes shown in one step. Doubled, the event loop is held up for some 10 ms. */
const COMPUTES = 1000

/** Takes snapshots one after another; what sleeps and did not change is not worked out again. */
export type Camera = (accounts: readonly Shown[], context: SnapshotContext) => Steps<Snapshot>

export function createCamera(): Camera {
  const order = createOrder()
  const asleep = new WeakMap<ComputeAccount, Remembered>()
  return function* snapshotOf(accounts, context) {
    const views: ComputeView[] = []
    const accountViews: AccountView[] = []
    for (const shown of accounts) {
      const totals = openTotals()
      for (const { project, departed } of shown.state.ledger.projects.values())
        if (departed) addSums(totals, project.projectId, departed)
      const look = viewOf(shown, { asleep, context })
      let count = 0
      for (const account of order(shown.state)) {
        const view = look(account)
        addTo(totals, view)
        if (!view.gone) views.push(view)
        count += 1
        if (count % COMPUTES === 0) yield
      }
      accountViews.push(accountView(shown, totals))
    }
    return {
      version: context.version,
      takenAt: context.now,
      ready: accounts.length > 0 && accounts.every(({ state }) => state.service === 'ok' && state.stored),
      accounts: accountViews,
      computes: views,
      passSeconds: context.passSeconds,
    }
  }
}

/** The accounts in order of project and endpoint id. The order is kept and added to, because sorting a large fleet takes long. */
function createOrder(): (state: AccountState) => Iterable<ComputeAccount> {
  const orders = new Map<string, Ordered>()
  return function* inOrder({ ledger: { account, computes } }) {
    const order = orderedKeys([...computes.keys()], orders.get(account))
    orders.set(account, order)
    for (const key of order.sorted) {
      const found = computes.get(key)
      if (found) yield found
    }
  }
}

type Remembered = {
  readonly project: ProjectAccount | undefined
  readonly stale: boolean
  readonly view: ComputeView
}

/** The view of a compute that sleeps is the same until its account, its project or our sight of it changes. */
function viewOf(
  { state, prices, preset, unreadable }: Shown,
  {
    asleep,
    context,
  }: { readonly asleep: WeakMap<ComputeAccount, Remembered>; readonly context: SnapshotContext },
): (account: ComputeAccount) => ComputeView {
  const { now, staleAfter, activityLag } = context
  const then = instant(now + state.ahead)
  const stale = state.lastSweepAt === undefined || now - state.lastSweepAt > staleAfter * 1000
  return (account) => {
    const project = state.ledger.projects.get(account.ref.projectId)
    const before = asleep.get(account)
    if (before && before.project === project && before.stale === stale) return before.view
    const view = computeView(account, { project, prices, preset, now: then, activityLag, stale, unreadable })
    const sleeps = account.open === undefined && account.compute.state === 'idle'
    if (sleeps) asleep.set(account, { project, stale, view })
    return view
  }
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
  addSums(totals, ref.projectId, { ...counters, awake, spend, extension })
}

function addSums(totals: OpenTotals, projectId: string, sums: Omit<Departed, 'until'>): void {
  totals.awake = added(totals.awake, sums.awake, millis)
  totals.spend = added(totals.spend, sums.spend, micros)
  totals.extension = millis(totals.extension + sums.extension)
  totals.observerSpend = micros(totals.observerSpend + sums.observerSpend)
  totals.wakes += sums.wakes
  totals.suspends += sums.suspends
  totals.wakesCaused += sums.wakesCaused
  if (sums.wakesCaused > 0) {
    const known = totals.wakesCausedIn.get(projectId) ?? 0
    totals.wakesCausedIn.set(projectId, known + sums.wakesCaused)
  }
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
  forecasts: Forecasts | undefined,
): Pick<AccountView, 'budgets' | 'month'> {
  const all = budgets.map((view) => ({ ...view, forecast: forecasts?.of(view) }))
  return { budgets: all.filter((view) => !isMonth(view)), month: all.find(isMonth) }
}

function accountView(
  { state, prices, unreadable, forecasts }: Shown,
  { wakesCausedIn, ...totals }: OpenTotals,
): AccountView {
  return {
    account: state.ledger.account,
    currency: prices.currency,
    service: state.service ?? 'unavailable',
    stored: state.stored,
    lastSweepAt: state.lastSweepAt,
    lastRejectedAt: state.lastRejectedAt,
    listedAt: state.list.last?.startedAt,
    backlog: state.backlog,
    problems: state.problems,
    readings: state.ledger.readings,
    unreadable,
    activityLag: measuredLag(state.ledger.computes.values()),
    wakesCaused: wakesCausedIn,
    totals,
    ...plannedOf(state.budgets, forecasts),
  }
}
