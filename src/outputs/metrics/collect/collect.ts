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
  put('buildInfo', [info.version, info.nodeVersion, info.tzdata], 1)
  put('configInfo', [info.hash, info.mode], 1)
  put('loopLastTick', [], snapshot.takenAt / 1000 - snapshot.passSeconds)
  put('snapshotTimestamp', [], snapshot.takenAt / 1000)
  for (const { name, lastSuccessAt, nextRunAt, deadlineAt } of snapshot.jobs) {
    put('jobSuccess', [name], inSeconds(lastSuccessAt))
    put('jobNext', [name], inSeconds(nextRunAt))
    put('jobDeadline', [name], inSeconds(deadlineAt))
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
  put('computesDropped', [], snapshot.computes.length - computes.length)
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
    put('wakeupsCaused', [projectId, 'reading'], caused.get(projectId) ?? 0)
  for (const [projectId, views] of byProject) putProject(projectId, views, put)
}

function putProject(projectId: string, views: readonly ComputeView[], put: AddSample): void {
  const [first] = views
  if (first?.identity.project) {
    const { name, regionId, platformId, pgVersion, cpuUsedSeconds } = first.identity.project
    const { team, tier } = first.identity.projectOwner
    put('projectInfo', [projectId, name, regionId, platformId, String(pgVersion), team, tier], 1)
    put('projectCpuUsed', [projectId], cpuUsedSeconds)
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
  put('spendUncertainty', id, likely === 0 ? undefined : width / likely)
  put('assumed', id, cuTime === 0 ? undefined : assumed / cuTime)
  put('reconciliationError', id, first?.ledger.reconciliation?.outside)
}

function putOperations(projectId: string, views: readonly ComputeView[], put: AddSample): void {
  const inProgress = views.flatMap(({ state: { operations } }) => operations)
  for (const [action, same] of Map.groupBy(inProgress, (operation) => operation.action)) {
    put('operationsInProgress', [projectId, action], same.length)
    put('operationOldest', [projectId, action], Math.min(...same.map(({ createdAt }) => createdAt)) / 1000)
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
  put('computeInfo', [...id, branchId, type, regionId, owner.team, owner.tier, String(poolerEnabled)], 1)
  for (const name of STATES) put('computeState', appendLabel(labels, name), flag(name === state))
  put('computeStatePending', id, flag(compute.pendingState !== undefined))
  put('computeDisabled', id, flag(compute.disabled))
  put('computeCuMin', id, 'fixed' in sizing ? sizing.fixed : sizing.min)
  put('computeCuMax', id, 'fixed' in sizing ? sizing.fixed : sizing.max)
  if (currentCu) put('computeCu', appendLabel(labels, currentCu.source), currentCu.cu)
  put('autosuspendEnabled', id, flag(delay !== 'never'))
  put('autosuspendDelay', id, delay === 'never' ? undefined : delay)
  put('created', id, inSeconds(compute.createdAt))
  put('lastActive', id, inSeconds(compute.lastActive))
  put('started', id, inSeconds(compute.startedAt))
}

function putLedger(
  { state: { awakeSince }, ledger: { counters } }: ComputeView,
  { id }: ComputeLabels,
  put: AddSample,
): void {
  put('awakeSince', id, inSeconds(awakeSince))
  put('awakeSeconds', id, counters.awake / 1000)
  put('idleTailSeconds', id, counters.idleTail / 1000)
  put('cuSeconds', id, counters.cuTime / 1000)
  put('wakes', id, counters.wakes)
  put('suspends', id, counters.suspends)
  put('restarts', id, counters.restarts)
  put('awakeExtension', id, counters.observerOverhead / 1000)
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
  for (const reason of UNREAD_REASONS) put('computesUnreadable', [reason], unread.get(reason) ?? 0)
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
