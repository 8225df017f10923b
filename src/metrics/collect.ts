// The snapshot as samples: what is not known has no sample, never a zero.
import { largest } from '../model/largest.ts'
import type { Backlog } from '../model/observation.ts'
import type { AccountView, ComputeView, ShownState, Snapshot } from '../model/snapshot.ts'
import type { Steps } from '../model/steps.ts'
import type { Instant } from '../model/units.ts'
import { putBudget } from './collect-budgets.ts'
import { CATALOGUE, type FamilyKey } from './catalogue.ts'

/** Label values in the order of the family's labels. */
export type Sample = { readonly labels: readonly string[]; readonly value: number }
export type Samples = ReadonlyMap<FamilyKey, readonly Sample[]>

export type Facts = {
  readonly version: string
  readonly nodeVersion: string
  readonly mode: string
  /** The most series that the snapshot may give. */
  readonly maxSeries: number
}

/** Computes of one step. Doubled, the event loop is held up for some 10 ms. */
const COMPUTES = 200

export function* collect(snapshot: Snapshot, facts: Facts): Steps<Samples> {
  const { shown, dropped } = shownComputes(snapshot.computes, facts.maxSeries)
  const samples = new Map<FamilyKey, Sample[]>()
  const put: Put = (key, labels, value) => {
    if (value === undefined) return
    const known = samples.get(key)
    if (known) known.push({ labels, value })
    else samples.set(key, [{ labels, value }])
  }
  put('buildInfo', [facts.version, facts.nodeVersion], 1)
  put('configInfo', [facts.mode], 1)
  put('loopLastTick', [], snapshot.takenAt / 1000 - snapshot.passSeconds)
  put('snapshotTimestamp', [], snapshot.takenAt / 1000)
  putProjects(shown, snapshot.accounts, put)
  for (const [index, view] of shown.entries()) {
    putFacts(view, put)
    putLedger(view, put)
    putReading(view, put)
    if (index % COMPUTES === COMPUTES - 1) yield
  }
  putFleet(snapshot, put)
  put('computesDropped', [], dropped)
  for (const account of snapshot.accounts) putAccount(account, { put, now: snapshot.takenAt })
  const others = [...samples.values()].reduce((sum, { length }) => sum + length, 0)
  put('series', [], others + 1)
  return inCatalogueOrder(samples)
}

/** Adds a sample; none where the value is not known. */
export type Put = (key: FamilyKey, labels: readonly string[], value: number | undefined) => void

const inCatalogueOrder = (samples: Samples): Samples =>
  new Map(
    (Object.keys(CATALOGUE) as FamilyKey[]).flatMap((key) => {
      const found = samples.get(key)
      return found ? [[key, found] as const] : []
    }),
  )

const flag = (value: boolean): number => (value ? 1 : 0)
const inSeconds = (at: number | undefined): number | undefined => (at === undefined ? undefined : at / 1000)

function putProjects(computes: readonly ComputeView[], accounts: readonly AccountView[], put: Put): void {
  const byProject = Map.groupBy(computes, ({ ref }) => ref.projectId)
  const caused = new Map(accounts.flatMap(({ wakesCaused }) => [...wakesCaused]))
  for (const projectId of new Set([...byProject.keys(), ...caused.keys()]))
    put('wakeupsCaused', [projectId, 'reading'], caused.get(projectId) ?? 0)
  for (const [projectId, views] of byProject) {
    const project = views[0]?.project
    if (project) {
      const { name, regionId, platformId, pgVersion, cpuUsedSeconds } = project
      put('projectInfo', [projectId, name, regionId, platformId, String(pgVersion)], 1)
      put('projectCpuUsed', [projectId], cpuUsedSeconds)
    }
    const sum = (pick: (view: ComputeView) => number): number =>
      views.reduce((all, one) => all + pick(one), 0)
    const likely = sum(({ spend }) => spend.likely)
    const width = sum(({ spend }) => spend.high - spend.low)
    put('spendUncertainty', [projectId], likely === 0 ? undefined : width / likely)
  }
}

const STATES: readonly ShownState[] = ['init', 'active', 'idle', 'unknown']

function putFacts({ ref, compute, state, delay, currentCu }: ComputeView, put: Put): void {
  const id = [ref.projectId, ref.endpointId]
  const { branchId, type, regionId, poolerEnabled, sizing } = compute
  put('computeInfo', [...id, branchId, type, regionId, String(poolerEnabled)], 1)
  for (const one of STATES) put('computeState', [...id, one], flag(one === state))
  put('computeStatePending', id, flag(compute.pendingState !== undefined))
  put('computeDisabled', id, flag(compute.disabled))
  put('computeCuMin', id, 'fixed' in sizing ? sizing.fixed : sizing.min)
  put('computeCuMax', id, 'fixed' in sizing ? sizing.fixed : sizing.max)
  if (currentCu) put('computeCu', [...id, currentCu.source], currentCu.cu)
  put('autosuspendEnabled', id, flag(delay !== 'never'))
  put('autosuspendDelay', id, delay === 'never' ? undefined : delay)
  put('created', id, inSeconds(compute.createdAt))
  put('lastActive', id, inSeconds(compute.lastActive))
  put('started', id, inSeconds(compute.startedAt))
}

function putLedger({ ref, awakeSince, counters, currency }: ComputeView, put: Put): void {
  const id = [ref.projectId, ref.endpointId]
  put('awakeSince', id, inSeconds(awakeSince))
  put('awakeSeconds', id, counters.awake / 1000)
  put('idleTailSeconds', id, counters.idleTail / 1000)
  put('cuSeconds', id, counters.cuTime / 1000)
  put('wakes', id, counters.wakes)
  put('suspends', id, counters.suspends)
  put('restarts', id, counters.restarts)
  put('computeSpend', [...id, currency], counters.spend / 1_000_000)
  put('awakeExtension', id, counters.extension / 1000)
}

function putReading(view: ComputeView, put: Put): void {
  const id = [view.ref.projectId, view.ref.endpointId]
  const { cache, connections, readingSucceeded } = view
  put('cacheHits', id, cache?.totalHits)
  put('cacheMisses', id, cache?.totalMisses)
  put('cacheWrites', id, cache?.totalWrites)
  put('cacheUsed', id, view.cacheUsed)
  put('cacheSize', id, view.cacheLimit)
  put('connections', [...id, 'active'], connections?.active)
  put('connections', [...id, 'idle'], connections?.idle)
  put('connections', [...id, 'idle_in_transaction'], connections?.idleInTransaction)
  put('connections', [...id, 'other'], connections?.other)
  put('maxConnections', id, view.maxConnections)
  put('reservedConnections', id, view.reservedConnections)
  put('readingSuccess', id, readingSucceeded === undefined ? undefined : flag(readingSucceeded))
  for (const { window, size } of view.workingSet) put('workingSet', [...id, String(window)], size)
  put('averageActive', id, view.averageActive)
  put('longestTransaction', id, view.longestTransaction)
  put('readingTimestamp', id, inSeconds(view.readingAt))
}

function putFleet({ computes, accounts }: Snapshot, put: Put): void {
  for (const state of STATES) put('computes', [state], computes.filter((view) => view.state === state).length)
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
  { account, lastRejectedAt, listedAt, backlog, activityLag, budgets }: AccountView,
  { put, now }: { readonly put: Put; readonly now: Instant },
): void {
  for (const budget of budgets) putBudget(budget, put)
  put('activityLag', [account], activityLag)
  put('apiLastRejected', [account], inSeconds(lastRejectedAt))
  put('listAge', [account], listedAt === undefined ? undefined : (now - listedAt) / 1000)
  for (const urgency of Object.keys(backlog) as (keyof Backlog)[])
    put('pollBacklog', [account, urgency], backlog[urgency])
}

/** Series that one compute and its share of a project have at most; a test counts them. Doubled, a cap is reached at half the computes. */
const SERIES_PER_COMPUTE = 50

/** All computes, or as many as the cap on series lets through: those that are awake first, then those that cost most. */
function shownComputes(
  computes: readonly ComputeView[],
  maxSeries: number,
): { readonly shown: readonly ComputeView[]; readonly dropped: number } {
  const most = Math.max(1, Math.floor(maxSeries / SERIES_PER_COMPUTE))
  if (computes.length <= most) return { shown: computes, dropped: 0 }
  const shown = largest(computes, most, rankOf)
  return { shown, dropped: computes.length - shown.length }
}

const rankOf = ({ state, counters }: ComputeView): number =>
  state === 'idle' ? counters.spend : Number.MAX_SAFE_INTEGER
