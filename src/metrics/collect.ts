// The snapshot as samples: what is not known has no sample, never a zero.
import type { AccountView, ComputeView, ShownState, Snapshot } from '../model/snapshot.ts'
import { CATALOGUE, type FamilyKey } from './catalogue.ts'

/** Label values in the order of the family's labels. */
export type Sample = { readonly labels: readonly string[]; readonly value: number }
export type Samples = ReadonlyMap<FamilyKey, readonly Sample[]>

export type Facts = { readonly version: string; readonly nodeVersion: string; readonly mode: string }

export function collect(snapshot: Snapshot, facts: Facts): Samples {
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
  putProjects(snapshot, put)
  for (const view of snapshot.computes) {
    putFacts(view, put)
    putLedger(view, put)
    putReading(view, put)
  }
  putFleet(snapshot, put)
  for (const account of snapshot.accounts) putAccount(account, put)
  const others = [...samples.values()].reduce((sum, { length }) => sum + length, 0)
  put('series', [], others + 1)
  return inCatalogueOrder(samples)
}

type Put = (key: FamilyKey, labels: readonly string[], value: number | undefined) => void

const inCatalogueOrder = (samples: Samples): Samples =>
  new Map(
    (Object.keys(CATALOGUE) as FamilyKey[]).flatMap((key) => {
      const found = samples.get(key)
      return found ? [[key, found] as const] : []
    }),
  )

const flag = (value: boolean): number => (value ? 1 : 0)
const inSeconds = (at: number | undefined): number | undefined => (at === undefined ? undefined : at / 1000)

function putProjects({ computes }: Snapshot, put: Put): void {
  for (const [projectId, views] of Map.groupBy(computes, ({ ref }) => ref.projectId)) {
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

function putAccount({ account, lastRejectedAt, wakesCaused, activityLag }: AccountView, put: Put): void {
  put('activityLag', [account], activityLag)
  for (const [projectId, count] of wakesCaused) put('wakeupsCaused', [projectId, 'reading'], count)
  put('apiLastRejected', [account], inSeconds(lastRejectedAt))
}
