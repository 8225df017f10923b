// The snapshot as samples: what is not known has no sample, never a zero.
import type { Backlog } from '../../../model/observation.ts'
import type { AccountView, ComputeView, DisplayedState, Snapshot } from '../../../model/output/snapshot.ts'
import { forEachYielding, type Cooperative } from '../../../std/cooperative.ts'
import type { Instant } from '../../../model/units.ts'
import { putBudget } from './budgets.ts'
import { putAges, putReading } from './readings.ts'
import { putSpend, putTeams } from './spend.ts'
import { putWakeLatency } from './wakes.ts'
import {
  computeLabels,
  createSampleMemory,
  appendLabel,
  createSampleCollector,
  type ComputeLabels,
  type AddSample,
  type Samples,
} from '../exposition/samples.ts'
import { selectSeries, type SeriesLimits, type Selection } from './selection.ts'

export type DaemonInfo = {
  readonly version: string
  readonly nodeVersion: string
  /** The time zones it knows, such as 2026a. */
  readonly tzdata: string
  readonly mode: string
  /** Of the configuration. */
  readonly hash: string
} & SeriesLimits

export type CollectedSamples = {
  readonly samples: Samples
  /** What the cap left out; empty where it is not reached. */
  readonly dropped: Selection['dropped']
}

/** Computes of one step. Doubled, the event loop is held up for some 10 ms. */
const COMPUTES = 200
/** Computes or projects of one step that tells little of each. Doubled, the event loop is held up for a few milliseconds more. */
const MANY = 1000

/** @param memory of the snapshots before; the samples are the same without it */
export function* collectSamples(
  snapshot: Snapshot,
  facts: DaemonInfo,
  memory = createSampleMemory(),
): Cooperative<CollectedSamples> {
  const { keys, computes: shown, dropped } = yield* selectSeries(snapshot.computes, facts, snapshot.takenAt)
  const { put, samples } = createSampleCollector(keys, memory)
  put('buildInfo', [facts.version, facts.nodeVersion, facts.tzdata], 1)
  put('configInfo', [facts.hash, facts.mode], 1)
  put('loopLastTick', [], snapshot.takenAt / 1000 - snapshot.passSeconds)
  put('snapshotTimestamp', [], snapshot.takenAt / 1000)
  for (const { name, lastSuccessAt, nextRunAt, deadlineAt } of snapshot.jobs) {
    put('jobSuccess', [name], inSeconds(lastSuccessAt))
    put('jobNext', [name], inSeconds(nextRunAt))
    put('jobDeadline', [name], inSeconds(deadlineAt))
  }
  yield* putProjects(shown, snapshot.accounts, put)
  yield* forEachYielding(shown, COMPUTES, (view) => {
    const labels = computeLabels(memory, view.ref)
    putFacts(view, labels, put)
    putLedger(view, labels, put)
    putSpend(view, labels, put)
    putReading(view, labels, put)
  })
  yield* putStates(snapshot, put)
  yield* putAges(snapshot, put)
  putWakes(snapshot.accounts, put)
  yield* putWakeLatency(snapshot, put)
  putEnded(snapshot.accounts, put)
  yield* putTeams(snapshot, put)
  putReadings(snapshot.accounts, put)
  put('computesDropped', [], snapshot.computes.length - shown.length)
  for (const account of snapshot.accounts) putAccount(account, { put, now: snapshot.takenAt })
  memory.computes.forgetRest()
  return { samples: samples(), dropped }
}

const flag = (value: boolean): number => (value ? 1 : 0)
const inSeconds = (at: number | undefined): number | undefined => (at === undefined ? undefined : at / 1000)

function* putProjects(
  computes: readonly ComputeView[],
  accounts: readonly AccountView[],
  put: AddSample,
): Cooperative<void> {
  const byProject = new Map<string, ComputeView[]>()
  yield* forEachYielding(computes, MANY, (view) => {
    const known = byProject.get(view.ref.projectId)
    if (known) known.push(view)
    else byProject.set(view.ref.projectId, [view])
  })
  const caused = new Map(accounts.flatMap(({ wakesCaused }) => [...wakesCaused]))
  yield* forEachYielding(new Set([...byProject.keys(), ...caused.keys()]), MANY, (projectId) =>
    put('wakeupsCaused', [projectId, 'reading'], caused.get(projectId) ?? 0),
  )
  yield* forEachYielding(byProject, MANY, ([projectId, views]) => {
    putProject(projectId, views[0], put)
    if (views.some(({ operations }) => operations.length > 0)) putOperations(projectId, views, put)
    let [likely, width, cuTime, unproven] = [0, 0, 0, 0]
    for (const view of views) {
      likely += view.spend.likely
      width += view.spend.high - view.spend.low
      cuTime += view.cuTime.likely
      unproven += view.assumed ?? 0
    }
    const id = [projectId]
    put('spendUncertainty', id, likely === 0 ? undefined : width / likely)
    put('assumed', id, cuTime === 0 ? undefined : unproven / cuTime)
    put('reconciliationError', id, views[0]?.checked?.outside)
  })
}

function putOperations(projectId: string, views: readonly ComputeView[], put: AddSample): void {
  const open = views.flatMap(({ operations }) => operations)
  for (const [action, all] of Map.groupBy(open, (one) => one.action)) {
    put('operationsInProgress', [projectId, action], all.length)
    put('operationOldest', [projectId, action], Math.min(...all.map(({ createdAt }) => createdAt)) / 1000)
  }
}

/** What the view of one of its computes says of a project. */
function putProject(projectId: string, view: ComputeView | undefined, put: AddSample): void {
  if (!view?.project) return
  const { name, regionId, platformId, pgVersion, cpuUsedSeconds } = view.project
  const { team, tier } = view.projectOwner
  put('projectInfo', [projectId, name, regionId, platformId, String(pgVersion), team, tier], 1)
  put('projectCpuUsed', [projectId], cpuUsedSeconds)
}

const STATES: readonly DisplayedState[] = ['init', 'active', 'idle', 'unknown']

function putFacts(
  { compute, owner, state, delay, currentCu }: ComputeView,
  labels: ComputeLabels,
  put: AddSample,
): void {
  const { id } = labels
  const { branchId, type, regionId, poolerEnabled, sizing } = compute
  put('computeInfo', [...id, branchId, type, regionId, owner.team, owner.tier, String(poolerEnabled)], 1)
  for (const one of STATES) put('computeState', appendLabel(labels, one), flag(one === state))
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

function putLedger({ awakeSince, counters }: ComputeView, { id }: ComputeLabels, put: AddSample): void {
  put('awakeSince', id, inSeconds(awakeSince))
  put('awakeSeconds', id, counters.awake / 1000)
  put('idleTailSeconds', id, counters.idleTail / 1000)
  put('cuSeconds', id, counters.cuTime / 1000)
  put('wakes', id, counters.wakes)
  put('suspends', id, counters.suspends)
  put('restarts', id, counters.restarts)
  put('awakeExtension', id, counters.extension / 1000)
}

function* putStates({ computes, accounts }: Snapshot, put: AddSample): Cooperative<void> {
  const counts = new Map<DisplayedState, number>()
  const unread = new Map<UnreadReason, number>()
  const byName = new Map(accounts.map((account) => [account.account, account]))
  yield* forEachYielding(computes, MANY, (view) => {
    counts.set(view.state, (counts.get(view.state) ?? 0) + 1)
    if (view.readingAt !== undefined) return
    const reason = unreadReason(view, byName.get(view.ref.account))
    unread.set(reason, (unread.get(reason) ?? 0) + 1)
  })
  for (const state of STATES) put('computes', [state], counts.get(state) ?? 0)
  for (const reason of UNREAD) put('computesUnreadable', [reason], unread.get(reason) ?? 0)
}

const UNREAD = ['mode_off', 'no_dsn', 'failing', 'not_yet'] as const
type UnreadReason = (typeof UNREAD)[number]

function unreadReason({ readingSucceeded }: ComputeView, account: AccountView | undefined): UnreadReason {
  if (account?.isRead === false) return 'mode_off'
  if (account?.unreadable !== undefined) return 'no_dsn'
  return readingSucceeded === false ? 'failing' : 'not_yet'
}

function putWakes(accounts: readonly AccountView[], put: AddSample): void {
  for (const initiator of ['dormouse', 'unknown'] as const)
    put(
      'wakesBy',
      [initiator],
      accounts.reduce((sum, { wakesBy }) => sum + wakesBy[initiator], 0),
    )
}

function putEnded(accounts: readonly AccountView[], put: AddSample): void {
  const all = accounts.flatMap(({ operations }) => operations)
  for (const [action, ended] of Map.groupBy(all, (one) => one.action)) {
    const failures = ended.reduce((sum, one) => sum + one.failures, 0)
    put('operationFailures', [action], failures)
    for (const [status, same] of Map.groupBy(ended, (one) => one.status)) {
      const count = same.reduce((sum, one) => sum + one.count, 0)
      put('operationsEnded', [action, status], count)
    }
  }
}

function putReadings(accounts: readonly AccountView[], put: AddSample): void {
  const results = accounts.map(({ readings }) => readings)
  for (const result of Object.keys(results[0] ?? {}) as (keyof AccountView['readings'])[]) {
    put(
      'readings',
      [result],
      results.reduce((sum, readings) => sum + readings[result], 0),
    )
  }
  for (const [currency, views] of Map.groupBy(accounts, (one) => one.currency)) {
    put(
      'observerSpend',
      [currency],
      views.reduce((sum, { totals }) => sum + totals.observerSpend, 0) / 1_000_000,
    )
  }
}

function putAccount(
  view: AccountView,
  { put, now }: { readonly put: AddSample; readonly now: Instant },
): void {
  const {
    account,
    lastSweepAt,
    lastRejectedAt,
    listedAt,
    backlog,
    operationsWaitSince,
    activityLag,
    budgets,
  } = view
  for (const budget of budgets) putBudget(budget, put)
  put('sweepProblems', [account], view.problems.length)
  put('activityLag', [account], activityLag)
  put('apiLastRejected', [account], inSeconds(lastRejectedAt))
  put('apiLastAccepted', [account], inSeconds(lastSweepAt))
  put('listAge', [account], listedAt === undefined ? undefined : (now - listedAt) / 1000)
  put('operationsWait', [account], (now - (operationsWaitSince ?? now)) / 1000)
  for (const urgency of Object.keys(backlog) as (keyof Backlog)[])
    put('pollBacklog', [account, urgency], backlog[urgency])
}
