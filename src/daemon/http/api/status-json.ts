// JSON of the snapshot for API, CLI and demo: times in ISO 8601, lengths in seconds, money in units of currency.
import { mapBounds } from '../../../model/ledger/quantities.ts'
import type { AccountView, ReadingView, ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import { toIso } from '../../../model/time.ts'
import {
  delayField,
  inMoney,
  millisInSeconds,
  refFields,
  shownFields,
  sizingFields,
  timeField,
} from '../../../outputs/text/compute-fields.ts'
import { awakeReasonText } from '../../../outputs/text/explain.ts'
import { inChunks } from '../../turns.ts'
import { budgetJson, monthJson } from './budget-json.ts'

export const statusJson = ({ takenAt, ready, accounts, computes, insecure }: Snapshot) => ({
  taken_at: toIso(takenAt),
  ready,
  accounts: accounts.map(accountJson),
  // settings that give up encryption or authentication
  insecure,
  computes: computes.length,
})

const accountJson = (view: AccountView) => ({
  account: view.account,
  service: view.service,
  last_sweep_at: timeField(view.lastSweepAt),
  // whether what was seen is in the store, and the end of the last sweep that is: the ledger is as of then
  stored: view.stored,
  stored_at: timeField(view.storedAt),
  // whether the project list was read to its end, projects without a look, and projects whose use before the first look is missing:
  // totals are those of the others
  list_complete: view.listedAt !== undefined,
  projects_unseen: view.backlog.unseen,
  projects_without_past: view.withoutPast,
  problems: view.problems,
  awake_seconds: mapBounds(view.totals.awake, millisInSeconds),
  spend: { ...shownFields(view.totals.spend, view.totals.shown, inMoney), currency: view.currency },
  wakes: view.totals.wakes,
  suspends: view.totals.suspends,
  readings: view.readings,
  // why no compute of the account can be read; null where they can be
  unreadable: view.unreadable ?? null,
  // computes that are not read because their host is not in reading.hosts
  hosts_not_allowed: view.hostsRefused,
  // measured; null until it is
  activity_lag_seconds: view.activityLag ?? null,
  // comparison of the ledger with the CU-seconds of the project list
  count: {
    lag_seconds: view.countLag ?? null,
    projects_compared: view.counts.compared,
    projects_off: view.counts.off,
    readings_ignored: view.counts.ignored,
  },
  observer: {
    wakes_caused: view.totals.wakesCaused,
    awake_extension_seconds: millisInSeconds(view.totals.extension),
    spend: inMoney(view.totals.observerSpend),
  },
  // money of the current month; null until the stored days were read
  month: view.month ? monthJson(view.month) : null,
  budgets: view.budgets.map(budgetJson),
})

export type FleetJson = ReturnType<typeof fleetJson>

export const fleetJson = (snapshot: Snapshot) => ({
  ...statusJson(snapshot),
  computes: snapshot.computes.map(computeJson),
})

/** Computes of a piece, some hundred kB. */
const COMPUTES_PER_PIECE = 100

/** Text of `fleetJson`, in pieces. */
export function* streamFleetJson(snapshot: Snapshot): Generator<string> {
  const { computes: _, ...status } = statusJson(snapshot)
  yield `${JSON.stringify(status).slice(0, -1)},"computes":[`
  let separator = ''
  for (const piece of inChunks(snapshot.computes, COMPUTES_PER_PIECE)) {
    yield separator + piece.map((view) => JSON.stringify(computeJson(view))).join(',')
    separator = ','
  }
  yield ']}'
}

export type ComputeJson = ReturnType<typeof computeJson>

export const computeJson = ({ identity, state, ledger, reading }: ComputeView) => ({
  account: identity.ref.account,
  ...refFields(identity.ref, identity.project?.name ?? null),
  state: state.shown,
  seen_at: toIso(state.observedAt),
  ...sizingFields(identity.compute.sizing),
  ...delayField(state.delay),
  awake_since: timeField(state.awakeSince),
  awake_seconds: mapBounds(ledger.awake, millisInSeconds),
  cu_seconds: mapBounds(ledger.cuTime, millisInSeconds),
  spend: { ...shownFields(ledger.spend, ledger.shown, inMoney), currency: identity.currency },
  idle_tail_seconds: millisInSeconds(ledger.idleTail),
  awake_extension_seconds: millisInSeconds(ledger.observerOverhead),
  wakes: ledger.counters.wakes,
  suspends: ledger.counters.suspends,
  restarts: ledger.counters.restarts,
  wakes_caused: ledger.counters.wakesCaused,
  // between the last two readings, 0–1; null when never read
  hit_ratio: reading.hitRatio ?? null,
  connections: connectionsOf(reading),
  max_connections: reading.maxConnections,
  reading_at: timeField(reading.at),
  reading_problem: reading.problem ?? null,
  why: awakeReasonText(state.reason),
  // longest first, as far as readings cover the time
  awake_by: ledger.awakeBy.map(({ cause, application, user, database, time, spend }) => ({
    because: cause,
    application,
    user,
    database,
    seconds: millisInSeconds(time),
    spend: inMoney(spend),
  })),
})

/** Null when never read. */
function connectionsOf({ connections }: ReadingView) {
  if (!connections) return null
  return connections.active + connections.idle + connections.idleInTransaction + connections.other
}
