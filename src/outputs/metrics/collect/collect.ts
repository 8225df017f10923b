// A value that is not known has no sample, never a zero.
import type { AccountView, ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import {
  putAccount,
  putEndedOperations,
  putReadings,
  putTeams,
  putWakeLatency,
  putWakes,
} from './accounts.ts'
import { putChanges, putComputeChanges, putPendingChanges, putSaved, putWarmUps } from './changes.ts'
import { DISPLAYED_STATES, putCompute } from './computes.ts'
import { putAdvice, putFollowUps, putRecommendations } from './recommendations.ts'
import {
  computeLabels,
  createSampleMemory,
  createSampleCollector,
  projectLabels,
} from '../exposition/samples.ts'
import { inSeconds, type AddSample } from '../exposition/samples.ts'
import { selectSeries, type SeriesLimits } from './selection.ts'

export type DaemonInfo = {
  readonly version: string
  readonly nodeVersion: string
  /** Version of the zones, such as 2026a. */
  readonly tzdata: string
  readonly mode: string
  readonly hash: string
} & SeriesLimits

/** `dropped`: what the cap left out. @param memory saves work when it has seen earlier snapshots; the samples are the same without it */
export function collectSamples(snapshot: Snapshot, info: DaemonInfo, memory = createSampleMemory()) {
  const { keys, computes, dropped } = selectSeries(snapshot.computes, info, snapshot.takenAt)
  const { put, samples } = createSampleCollector(keys, memory)
  put('build_info', [info.version, info.nodeVersion, info.tzdata], 1)
  put('config_info', [info.hash, info.mode], 1)
  for (const setting of snapshot.insecure) put('config_insecure', [setting], 1)
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
    putCompute(view, labels, put)
    putRecommendations(view, { labels, currency: view.identity.currency }, put)
    putComputeChanges(view, labels, put)
  }
  putStates(snapshot, put)
  putAges(snapshot, put)
  putWakes(snapshot.accounts, put)
  putWakeLatency(snapshot, put)
  putEndedOperations(snapshot.accounts, put)
  putTeams(snapshot, put)
  putReadings(snapshot.accounts, put)
  put('computes_dropped', [], snapshot.computes.length - computes.length)
  for (const account of snapshot.accounts) {
    putAccount(account, snapshot.takenAt, put)
    putAdvice(account, put)
    for (const view of account.projects ?? []) {
      const labels = projectLabels(view.ref)
      putRecommendations(view, { labels, currency: account.currency }, put)
      putPendingChanges(view, labels, put)
      if (view.changes || view.changeTallies) putSaved({ ...view, currency: account.currency }, labels, put)
    }
  }
  putFollowUps(snapshot.accounts, put)
  putChanges(snapshot, put)
  putWarmUps(snapshot.accounts, put)
  memory.computes.evictUnused()
  return { samples: samples(), dropped }
}

function putProjects(computes: readonly ComputeView[], accounts: readonly AccountView[], put: AddSample) {
  const byProject = Map.groupBy(computes, ({ identity: { ref } }) => ref.projectId)
  const caused = new Map(accounts.flatMap(({ wakesCaused }) => [...wakesCaused]))
  for (const projectId of new Set([...byProject.keys(), ...caused.keys()]))
    put('wakeups_caused_total', [projectId, 'reading'], caused.get(projectId) ?? 0)
  for (const { wakesByChange, wakesByWarmUp } of accounts) {
    for (const [projectId, wakes] of wakesByChange ?? [])
      put('wakeups_caused_total', [projectId, 'change'], wakes)
    for (const [projectId, wakes] of wakesByWarmUp ?? [])
      put('wakeups_caused_total', [projectId, 'warm'], wakes)
  }
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

function putStates({ computes, accounts }: Snapshot, put: AddSample) {
  const byState = Map.groupBy(computes, ({ state }) => state.shown)
  for (const state of DISPLAYED_STATES) put('computes', [state], byState.get(state)?.length ?? 0)
  const byName = new Map(accounts.map((account) => [account.account, account]))
  const unread = computes.filter(({ reading }) => reading.at === undefined)
  const byReason = Map.groupBy(unread, (view) => unreadReason(view, byName.get(view.identity.ref.account)))
  for (const reason of UNREAD_REASONS) put('computes_unreadable', [reason], byReason.get(reason)?.length ?? 0)
}

const UNREAD_REASONS = ['mode_off', 'no_dsn', 'host_not_allowed', 'failing', 'not_yet'] as const

function unreadReason({ identity, reading }: ComputeView, account: AccountView | undefined) {
  if (account?.isRead === false) return 'mode_off'
  if (account?.unreadable !== undefined) return 'no_dsn'
  if (!identity.isHostAllowed) return 'host_not_allowed'
  return reading.succeeded === false ? 'failing' : 'not_yet'
}

export function putAges({ computes, takenAt }: Snapshot, put: AddSample): void {
  const active = computes.filter(({ state }) => state.shown === 'active')
  // a typed array sorts as numbers: a hundred thousand within milliseconds
  const sorted = Float64Array.from(active, ({ state }) => (takenAt - state.observedAt) / 1000).toSorted()
  put('record_age_seconds', ['50'], sorted[Math.floor((sorted.length - 1) / 2)])
  put('record_age_seconds', ['100'], sorted.at(-1))
}
