// JSON of the snapshot for the API, the CLI and the demo: snake_case, times in ISO 8601, lengths in seconds, money in units of currency.
import type { Bounds } from '../../../model/ledger/quantities.ts'
import type { AccountView, ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import { toIso } from '../../../model/time.ts'
import type { Instant } from '../../../model/units.ts'
import { budgetJson, monthJson, type BudgetJson, type MonthJson } from './budget-json.ts'
import { awakeReasonText } from '../../../outputs/text/explain.ts'

type Range = { readonly low: number; readonly likely: number; readonly high: number }

export type ComputeJson = {
  readonly account: string
  readonly project_id: string
  readonly project_name: string | null
  readonly endpoint_id: string
  readonly state: ComputeView['state']
  readonly seen_at: string
  readonly min_cu: number
  readonly max_cu: number
  readonly autosuspend_delay_seconds: number | 'never'
  readonly awake_since: string | null
  readonly awake_seconds: Range
  readonly cu_seconds: Range
  readonly spend: Range & { readonly currency: string }
  readonly idle_tail_seconds: number
  readonly awake_extension_seconds: number
  readonly wakes: number
  readonly suspends: number
  readonly restarts: number
  readonly wakes_caused: number
  /** Between the last two readings, 0–1; null when never read. */
  readonly hit_ratio: number | null
  /** Client connections at the last reading; null when never read. */
  readonly connections: number | null
  readonly max_connections: number
  readonly reading_at: string | null
  /** Why the last reading failed, or what it could not read. */
  readonly reading_problem: string | null
  readonly why: string
  /** Culprits with time and cost, the longest first, as far as readings cover the time. */
  readonly awake_by: readonly {
    readonly because: string
    readonly application: string
    readonly user: string
    readonly database: string
    readonly seconds: number
    readonly spend: number
  }[]
}

export type StatusJson = {
  readonly taken_at: string
  readonly ready: boolean
  readonly accounts: readonly {
    readonly account: string
    readonly service: string
    readonly last_sweep_at: string | null
    readonly problems: readonly string[]
    readonly awake_seconds: Range
    readonly spend: Range & { readonly currency: string }
    readonly wakes: number
    readonly suspends: number
    readonly readings: AccountView['readings']
    /** Why no compute of the account can be read; null where they can be. */
    readonly unreadable: string | null
    /** Measured; null until it is. */
    readonly activity_lag_seconds: number | null
    /** Comparison of the ledger with the CU-seconds of the project list. */
    readonly count: {
      /** Measured; null until it is. */
      readonly lag_seconds: number | null
      readonly projects_compared: number
      readonly projects_off: number
      readonly readings_ignored: number
    }
    readonly observer: {
      readonly wakes_caused: number
      readonly awake_extension_seconds: number
      readonly spend: number
    }
    /** Money of the current month; null until the stored days were read. */
    readonly month: MonthJson | null
    readonly budgets: readonly BudgetJson[]
  }[]
  readonly computes: number
}

export const statusJson = ({ takenAt, ready, accounts, computes }: Snapshot): StatusJson => ({
  taken_at: toIso(takenAt),
  ready,
  accounts: accounts.map((view) => ({
    account: view.account,
    service: view.service,
    last_sweep_at: isoOrNull(view.lastSweepAt),
    problems: view.problems,
    awake_seconds: scaled(view.totals.awake, 1000),
    spend: { ...scaled(view.totals.spend, 1_000_000), currency: view.currency },
    wakes: view.totals.wakes,
    suspends: view.totals.suspends,
    readings: view.readings,
    unreadable: view.unreadable ?? null,
    activity_lag_seconds: view.activityLag ?? null,
    count: {
      lag_seconds: view.countLag ?? null,
      projects_compared: view.counts.compared,
      projects_off: view.counts.off,
      readings_ignored: view.counts.ignored,
    },
    observer: {
      wakes_caused: view.totals.wakesCaused,
      awake_extension_seconds: view.totals.extension / 1000,
      spend: view.totals.observerSpend / 1_000_000,
    },
    month: view.month ? monthJson(view.month) : null,
    budgets: view.budgets.map(budgetJson),
  })),
  computes: computes.length,
})

/** Status with every compute, of one instant. */
export type FleetJson = Omit<StatusJson, 'computes'> & { readonly computes: readonly ComputeJson[] }

export const fleetJson = (snapshot: Snapshot): FleetJson => ({
  ...statusJson(snapshot),
  computes: snapshot.computes.map(computeJson),
})

/** Computes of a piece, some hundred kilobytes. */
const COMPUTES_PER_PIECE = 100

/** Text of `fleetJson`, in pieces. */
export function* streamFleetJson(snapshot: Snapshot): Generator<string> {
  const { computes: _, ...status } = statusJson(snapshot)
  yield `${JSON.stringify(status).slice(0, -1)},"computes":[`
  const { computes } = snapshot
  for (let first = 0; first < computes.length; first += COMPUTES_PER_PIECE) {
    const piece = computes.slice(first, first + COMPUTES_PER_PIECE)
    yield (first === 0 ? '' : ',') + piece.map((view) => JSON.stringify(computeJson(view))).join(',')
  }
  yield ']}'
}

export const computeJson = (view: ComputeView): ComputeJson => ({
  account: view.ref.account,
  project_id: view.ref.projectId,
  project_name: view.project?.name ?? null,
  endpoint_id: view.ref.endpointId,
  state: view.state,
  seen_at: toIso(view.seenAt),
  min_cu: 'fixed' in view.compute.sizing ? view.compute.sizing.fixed : view.compute.sizing.min,
  max_cu: 'fixed' in view.compute.sizing ? view.compute.sizing.fixed : view.compute.sizing.max,
  autosuspend_delay_seconds: view.delay,
  awake_since: isoOrNull(view.awakeSince),
  awake_seconds: scaled(view.awake, 1000),
  cu_seconds: scaled(view.cuTime, 1000),
  spend: { ...scaled(view.spend, 1_000_000), currency: view.currency },
  idle_tail_seconds: view.idleTail / 1000,
  awake_extension_seconds: view.extension / 1000,
  wakes: view.counters.wakes,
  suspends: view.counters.suspends,
  restarts: view.counters.restarts,
  wakes_caused: view.counters.wakesCaused,
  hit_ratio: view.hitRatio ?? null,
  connections: connectionsOf(view),
  max_connections: view.maxConnections,
  reading_at: isoOrNull(view.readingAt),
  reading_problem: view.readingProblem ?? null,
  why: awakeReasonText(view.why),
  awake_by: view.awakeBy.map(({ cause, application, user, database, time, spend }) => ({
    because: cause,
    application,
    user,
    database,
    seconds: time / 1000,
    spend: spend / 1_000_000,
  })),
})

const isoOrNull = (at: Instant | undefined): string | null => (at === undefined ? null : toIso(at))

const scaled = (bounds: Bounds<number>, unit: number): Range => ({
  low: bounds.low / unit,
  likely: bounds.likely / unit,
  high: bounds.high / unit,
})

function connectionsOf({ connections }: ComputeView): number | null {
  if (!connections) return null
  return connections.active + connections.idle + connections.idleInTransaction + connections.other
}
