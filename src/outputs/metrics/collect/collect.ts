// The snapshot as samples. A value that is not known has no sample, never a zero.
import type {
  AccountView,
  ComputeView,
  DisplayedState,
  Snapshot,
  ReadingView,
} from '../../../model/output/snapshot.ts'
import { putAccount, putEndedOperations, putReadings, putWakeLatency, putWakes } from './accounts.ts'
import { putAges, putReading } from './readings.ts'
import { putSpend, putTeams } from './spend.ts'
import {
  computeLabels,
  createSampleMemory,
  appendLabel,
  createSampleCollector,
  inSeconds,
  type ComputeLabels,
  type AddSample,
  type Samples,
} from '../exposition/samples.ts'
import { selectSeries, type SeriesLimits, type Selection } from './selection.ts'

export type DaemonInfo = {
  readonly version: string
  readonly nodeVersion: string
  /** Version of the time zone data, such as 2026a. */
  readonly tzdata: string
  readonly mode: string
  /** Hash of the configuration. */
  readonly hash: string
} & SeriesLimits

export type CollectedSamples = {
  readonly samples: Samples
  /** What the cap left out; empty where it is not reached. */
  readonly dropped: Selection['dropped']
}

/** @param memory saves work when it has seen earlier snapshots; the samples are the same without it */
export function collectSamples(
  snapshot: Snapshot,
  info: DaemonInfo,
  memory = createSampleMemory(),
): CollectedSamples {
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

const flag = (value: boolean): number => (value ? 1 : 0)
function putProjects(
  computes: readonly ComputeView[],
  accounts: readonly AccountView[],
  put: AddSample,
): void {
  const byProject = Map.groupBy(computes, ({ identity: { ref } }) => ref.projectId)
  const caused = new Map(accounts.flatMap(({ wakesCaused }) => [...wakesCaused]))
  for (const projectId of new Set([...byProject.keys(), ...caused.keys()]))
    put('wakeups_caused_total', [projectId, 'reading'], caused.get(projectId) ?? 0)
  for (const [projectId, views] of byProject) putProject(projectId, views, put)
}

function putProject(projectId: string, views: readonly ComputeView[], put: AddSample): void {
  const [first] = views
  if (first?.identity.project) {
    const { name, regionId, platformId, pgVersion, cpuUsedSeconds } = first.identity.project
    const { team, tier } = first.identity.projectOwner
    put('project_info', [projectId, name, regionId, platformId, String(pgVersion), team, tier], 1)
    put('project_cpu_used_seconds', [projectId], cpuUsedSeconds)
  }
  if (views.some(({ state: { operations } }) => operations.length > 0)) putOperations(projectId, views, put)
  let [likely, width, cuTime, assumed] = [0, 0, 0, 0]
  for (const view of views) {
    likely += view.ledger.spend.likely
    width += view.ledger.spend.high - view.ledger.spend.low
    cuTime += view.ledger.cuTime.likely
    assumed += view.ledger.assumed ?? 0
  }
  const id = [projectId]
  put('spend_uncertainty_ratio', id, likely === 0 ? undefined : width / likely)
  put('ledger_assumed_ratio', id, cuTime === 0 ? undefined : assumed / cuTime)
  put('ledger_reconciliation_error_ratio', id, first?.ledger.reconciliation?.outside)
}

function putOperations(projectId: string, views: readonly ComputeView[], put: AddSample): void {
  const inProgress = views.flatMap(({ state: { operations } }) => operations)
  for (const [action, same] of Map.groupBy(inProgress, (operation) => operation.action)) {
    put('operations_in_progress', [projectId, action], same.length)
    put(
      'operation_oldest_in_progress_timestamp_seconds',
      [projectId, action],
      Math.min(...same.map(({ createdAt }) => createdAt)) / 1000,
    )
  }
}

const STATES: readonly DisplayedState[] = ['init', 'active', 'idle', 'unknown']

function putFacts(
  { identity: { compute, owner }, state: { shown: state, delay }, reading: { size: currentCu } }: ComputeView,
  labels: ComputeLabels,
  put: AddSample,
): void {
  const { id } = labels
  const { branchId, type, regionId, poolerEnabled, sizing } = compute
  put('compute_info', [...id, branchId, type, regionId, owner.team, owner.tier, String(poolerEnabled)], 1)
  for (const name of STATES) put('compute_state', appendLabel(labels, name), flag(name === state))
  put('compute_state_pending', id, flag(compute.pendingState !== undefined))
  put('compute_disabled', id, flag(compute.disabled))
  put('compute_cu_min', id, 'fixed' in sizing ? sizing.fixed : sizing.min)
  put('compute_cu_max', id, 'fixed' in sizing ? sizing.fixed : sizing.max)
  if (currentCu) put('compute_cu', appendLabel(labels, currentCu.source), currentCu.cu)
  put('compute_autosuspend_enabled', id, flag(delay !== 'never'))
  put('compute_autosuspend_delay_seconds', id, delay === 'never' ? undefined : delay)
  put('compute_created_timestamp_seconds', id, inSeconds(compute.createdAt))
  put('compute_last_active_timestamp_seconds', id, inSeconds(compute.lastActive))
  put('compute_started_timestamp_seconds', id, inSeconds(compute.startedAt))
}

function putLedger(
  { state: { awakeSince }, ledger: { counters } }: ComputeView,
  { id }: ComputeLabels,
  put: AddSample,
): void {
  put('compute_awake_since_timestamp_seconds', id, inSeconds(awakeSince))
  put('compute_awake_seconds_total', id, counters.awake / 1000)
  put('compute_idle_tail_seconds_total', id, counters.idleTail / 1000)
  put('compute_cu_seconds_total', id, counters.cuTime / 1000)
  put('compute_wakes_total', id, counters.wakes)
  put('compute_suspends_total', id, counters.suspends)
  put('compute_restarts_total', id, counters.restarts)
  put('compute_awake_extension_seconds_total', id, counters.observerOverhead / 1000)
}

function putStates({ computes, accounts }: Snapshot, put: AddSample): void {
  const counts = new Map<DisplayedState, number>()
  const unread = new Map<UnreadReason, number>()
  const byName = new Map(accounts.map((account) => [account.account, account]))
  for (const view of computes) {
    counts.set(view.state.shown, (counts.get(view.state.shown) ?? 0) + 1)
    if (view.reading.at !== undefined) continue
    const reason = unreadReason(view.reading, byName.get(view.identity.ref.account))
    unread.set(reason, (unread.get(reason) ?? 0) + 1)
  }
  for (const state of STATES) put('computes', [state], counts.get(state) ?? 0)
  for (const reason of UNREAD_REASONS) put('computes_unreadable', [reason], unread.get(reason) ?? 0)
}

const UNREAD_REASONS = ['mode_off', 'no_dsn', 'failing', 'not_yet'] as const
type UnreadReason = (typeof UNREAD_REASONS)[number]

function unreadReason(
  { succeeded: readingSucceeded }: ReadingView,
  account: AccountView | undefined,
): UnreadReason {
  if (account?.isRead === false) return 'mode_off'
  if (account?.unreadable !== undefined) return 'no_dsn'
  return readingSucceeded === false ? 'failing' : 'not_yet'
}
