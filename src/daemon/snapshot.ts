// The state of all accounts as one immutable value for every output.
import { computeView, inOrder } from '../account/view.ts'
import type { Bounds } from '../model/ledger.ts'
import { measuredLag } from '../model/lag.ts'
import type { Prices } from '../model/price.ts'
import type { Preset } from '../model/sizes.ts'
import type { AccountView, ComputeView, Snapshot } from '../model/snapshot.ts'
import { micros, millis, type Instant, type Seconds } from '../model/units.ts'
import type { AccountState } from './state.ts'

export type Shown = { readonly state: AccountState; readonly prices: Prices; readonly preset: Preset }

export type SnapshotContext = {
  readonly now: Instant
  readonly version: number
  readonly passSeconds: Seconds
  /** How long after the last sweep states are only remembered. */
  readonly staleAfter: Seconds
  /** How late the service shows activity. */
  readonly activityLag: Seconds
}

export function snapshotOf(accounts: readonly Shown[], context: SnapshotContext): Snapshot {
  const views = accounts.map((shown) => viewsOf(shown, context))
  return {
    version: context.version,
    takenAt: context.now,
    ready: accounts.length > 0 && accounts.every(({ state }) => state.service === 'ok' && state.stored),
    accounts: accounts.map((shown, index) => accountView(shown, views[index] ?? [])),
    computes: views.flat().filter(({ gone }) => !gone),
    passSeconds: context.passSeconds,
  }
}

/** The computes that are gone too: what they cost stays in the sums. */
function viewsOf(
  { state, prices, preset }: Shown,
  { now, staleAfter, activityLag }: SnapshotContext,
): ComputeView[] {
  const { computes, projects } = state.ledger
  const stale = state.lastSweepAt === undefined || now - state.lastSweepAt > staleAfter * 1000
  return [...computes.values()].toSorted(inOrder).map((account) =>
    computeView(account, {
      project: projects.get(account.ref.projectId)?.project,
      prices,
      preset,
      now,
      activityLag,
      stale,
    }),
  )
}

function accountView({ state, prices }: Shown, views: readonly ComputeView[]): AccountView {
  const byProject = Map.groupBy(views, ({ ref }) => ref.projectId)
  return {
    account: state.ledger.account,
    currency: prices.currency,
    service: state.service ?? 'unavailable',
    stored: state.stored,
    lastSweepAt: state.lastSweepAt,
    lastRejectedAt: state.lastRejectedAt,
    problems: state.problems,
    readings: state.ledger.readings,
    activityLag: measuredLag(state.ledger.computes.values()),
    wakesCaused: new Map([...byProject].map(([projectId, its]) => [projectId, wakesCausedIn(its)])),
    totals: {
      awake: sumOf(
        views.map(({ awake }) => awake),
        millis,
      ),
      spend: sumOf(
        views.map(({ spend }) => spend),
        micros,
      ),
      extension: millis(total(views, ({ extension }) => extension)),
      observerSpend: micros(total(views, ({ counters }) => counters.observerSpend)),
      wakes: total(views, ({ counters }) => counters.wakes),
      suspends: total(views, ({ counters }) => counters.suspends),
      wakesCaused: wakesCausedIn(views),
    },
  }
}

const wakesCausedIn = (views: readonly ComputeView[]): number =>
  total(views, ({ counters }) => counters.wakesCaused)

const total = (views: readonly ComputeView[], pick: (view: ComputeView) => number): number =>
  views.reduce((sum, view) => sum + pick(view), 0)

const sumOf = <Value extends number>(
  all: readonly Bounds<Value>[],
  unit: (value: number) => Value,
): Bounds<Value> => ({
  low: unit(all.reduce((sum, { low }) => sum + low, 0)),
  likely: unit(all.reduce((sum, { likely }) => sum + likely, 0)),
  high: unit(all.reduce((sum, { high }) => sum + high, 0)),
})
