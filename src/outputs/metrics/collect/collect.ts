// A value that is not known has no sample, never a zero.
import type {
  AccountView,
  ComputeView,
  DisplayedState,
  Snapshot,
  ReadingView,
} from '../../../model/output/snapshot.ts'
import { largestCu, smallestCu } from '../../../model/service/compute.ts'
import { putAccount, putEndedOperations, putReadings, putWakeLatency, putWakes } from './accounts.ts'
import { putAges, putReading } from './readings.ts'
import { putSpend, putTeams } from './spend.ts'
import {
  computeLabels,
  createSampleMemory,
  appendLabel,
  createSampleCollector,
  flag,
  inSeconds,
  type ComputeLabels,
  type AddSample,
} from '../exposition/samples.ts'
import { selectSeries, type SeriesLimits } from './selection.ts'

export type DaemonInfo = {
  readonly version: string
  readonly nodeVersion: string
  /** Such as 2026a. */
  readonly tzdata: string
  readonly mode: string
  /** Of the configuration. */
  readonly hash: string
} & SeriesLimits

/** `dropped`: what the cap left out. @param memory saves work when it has seen earlier snapshots; the samples are the same without it */
export function collectSamples(snapshot: Snapshot, info: DaemonInfo, memory = createSampleMemory()) {
  const { keys, computes, dropped } = selectSeries(snapshot.computes, info, snapshot.takenAt)
  const { put, samples } = createSampleCollector(keys, memory)
  put('build_info', [info.version, info.nodeVersion, info.tzdata], 1)
  put('config_info', [info.hash, info.mode], 1)
  put('loop_last_tick_timestamp_seconds', [], snapshot.takenAt / 1000 - snapshot.passSeconds)
  put('snapshot_timestamp_seconds', [], snapshot.takenAt / 1000)
  for (const { name, lastSuccessAt, nextRunAt, deadlineAt } of snapshot.jobs) {
    put('job_last_success_timestamp_seconds', [name], inSeconds(lastSuccessAt))
    put('job_next_run_timestamp_seconds', [name], inSeconds(nextRunAt))
    put('job_deadline_timestamp_seconds', [name], inSeconds(deadlineAt))
  }
  putProjects(computes, snapshot.accounts, put)
  for (const view of computes) {
    const labels = computeLabels(memory, view.identity.ref)
    putFacts(view, labels, put)
    putLedger(view, labels, put)
    putSpend(view, labels, put)
    putReading(view, labels, put)
  }
  putStates(snapshot, put)
  putAges(snapshot, put)
  putWakes(snapshot.accounts, put)
  putWakeLatency(snapshot, put)
  putEndedOperations(snapshot.accounts, put)
  putTeams(snapshot, put)
  putReadings(snapshot.accounts, put)
  put('computes_dropped', [], snapshot.computes.length - computes.length)
  for (const account of snapshot.accounts) putAccount(account, snapshot.takenAt, put)
  memory.computes.evictUnused()
  return { samples: samples(), dropped }
}

function putProjects(computes: readonly ComputeView[], accounts: readonly AccountView[], put: AddSample) {
  const byProject = Map.groupBy(computes, ({ identity: { ref } }) => ref.projectId)
  const caused = new Map(accounts.flatMap(({ wakesCaused }) => [...wakesCaused]))
  for (const projectId of new Set([...byProject.keys(), ...caused.keys()]))
    put('wakeups_caused_total', [projectId, 'reading'], caused.get(projectId) ?? 0)
  for (const [projectId, views] of byProject) putProject(projectId, views, put)
}

function putProject(projectId: string, views: readonly ComputeView[], put: AddSample) {
  const [first] = views
  if (first?.identity.project) {
    const { name, regionId, platformId, pgVersion, cpuUsedSeconds } = first.identity.project
    const { team, tier } = first.identity.projectOwner
    put('project_info', [projectId, name, regionId, platformId, String(pgVersion), team, tier], 1)
    put('project_cpu_used_seconds', [projectId], cpuUsedSeconds)
  }
  const inProgress = views.flatMap(({ state }) => state.operations)
  for (const [action, same] of Map.groupBy(inProgress, (operation) => operation.action)) {
    const oldest = Math.min(...same.map(({ createdAt }) => createdAt))
    put('operations_in_progress', [projectId, action], same.length)
    put('operation_oldest_in_progress_timestamp_seconds', [projectId, action], oldest / 1000)
  }
  let [likely, width, cuTime, assumed] = [0, 0, 0, 0]
  for (const { ledger } of views) {
    likely += ledger.spend.likely
    width += ledger.spend.high - ledger.spend.low
    cuTime += ledger.cuTime.likely
    assumed += ledger.assumed ?? 0
  }
  const id = [projectId]
  put('spend_uncertainty_ratio', id, likely === 0 ? undefined : width / likely)
  put('ledger_assumed_ratio', id, cuTime === 0 ? undefined : assumed / cuTime)
  put('ledger_reconciliation_error_ratio', id, first?.ledger.reconciliation?.outside)
}

const STATES: readonly DisplayedState[] = ['init', 'active', 'idle', 'unknown']

function putFacts({ identity, state, reading }: ComputeView, labels: ComputeLabels, put: AddSample) {
  const { id } = labels
  const { compute, owner } = identity
  const { branchId, type, regionId, poolerEnabled, sizing } = compute
  put('compute_info', [...id, branchId, type, regionId, owner.team, owner.tier, String(poolerEnabled)], 1)
  for (const name of STATES) put('compute_state', appendLabel(labels, name), flag(name === state.shown))
  put('compute_state_pending', id, flag(compute.pendingState !== undefined))
  put('compute_disabled', id, flag(compute.disabled))
  put('compute_cu_min', id, smallestCu(sizing))
  put('compute_cu_max', id, largestCu(sizing))
  if (reading.size) put('compute_cu', appendLabel(labels, reading.size.source), reading.size.cu)
  put('compute_autosuspend_enabled', id, flag(state.delay !== 'never'))
  put('compute_autosuspend_delay_seconds', id, state.delay === 'never' ? undefined : state.delay)
  put('compute_created_timestamp_seconds', id, inSeconds(compute.createdAt))
  put('compute_last_active_timestamp_seconds', id, inSeconds(compute.lastActive))
  put('compute_started_timestamp_seconds', id, inSeconds(compute.startedAt))
}

function putLedger({ state, ledger: { counters } }: ComputeView, { id }: ComputeLabels, put: AddSample) {
  put('compute_awake_since_timestamp_seconds', id, inSeconds(state.awakeSince))
  put('compute_awake_seconds_total', id, counters.awake / 1000)
  put('compute_idle_tail_seconds_total', id, counters.idleTail / 1000)
  put('compute_cu_seconds_total', id, counters.cuTime / 1000)
  put('compute_wakes_total', id, counters.wakes)
  put('compute_suspends_total', id, counters.suspends)
  put('compute_restarts_total', id, counters.restarts)
  put('compute_awake_extension_seconds_total', id, counters.observerOverhead / 1000)
}

function putStates({ computes, accounts }: Snapshot, put: AddSample) {
  const byState = Map.groupBy(computes, ({ state }) => state.shown)
  for (const state of STATES) put('computes', [state], byState.get(state)?.length ?? 0)
  const byName = new Map(accounts.map((account) => [account.account, account]))
  const unread = computes.filter(({ reading }) => reading.at === undefined)
  const byReason = Map.groupBy(unread, ({ identity: { ref }, reading }) =>
    unreadReason(reading, byName.get(ref.account)),
  )
  for (const reason of UNREAD_REASONS) put('computes_unreadable', [reason], byReason.get(reason)?.length ?? 0)
}

const UNREAD_REASONS = ['mode_off', 'no_dsn', 'failing', 'not_yet'] as const

function unreadReason({ succeeded }: ReadingView, account: AccountView | undefined) {
  if (account?.isRead === false) return 'mode_off'
  if (account?.unreadable !== undefined) return 'no_dsn'
  return succeeded === false ? 'failing' : 'not_yet'
}
