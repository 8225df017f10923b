// Counters of an account, raised in the commit that stores what they count:
//
// 1. wakes by who caused them and unproductive spend by team, by what the counters of the entries grew;
// 2. finished operations by action and status, and wake latency by region: each operation counts once.
import {
  MAX_REGIONS,
  type AccountCounters,
  type OperationCounter,
  addDuration,
  EMPTY_DURATIONS,
  WAKE_LATENCY_BUCKETS,
  type Unproductive,
  type UnproductiveCause,
} from '../model/ledger/counters.ts'
import type { ComputeEntry, Ledger } from '../model/ledger/ledger.ts'
import type { ProjectEntry } from '../model/ledger/project-entry.ts'
import type { Sweep } from '../model/observation.ts'
import type { Owners } from '../model/policy/owner.ts'
import { selectorTargetOf } from '../model/policy/selector.ts'
import { computeKey } from '../model/service/compute.ts'
import { awakeEffect, isOperationOpen, type Operation } from '../model/service/operation.ts'
import { micros, SECOND, type Micros } from '../model/units.ts'
import { isRestart } from './evidence/boundaries.ts'
import { NO_PUBLISHED_COUNTERS } from './settle/totals.ts'

type TeamWasteContext = Readonly<{
  before: Ledger
  owners: Owners
  /** Entry of a listed project that is not stored yet. */
  listed: (projectId: string) => ProjectEntry | undefined
}>

/** Adds the growth of unproductive spend to the team that owns each compute now: a later change of owner moves nothing. */
export function addTeamWaste(
  counters: AccountCounters,
  entries: readonly ComputeEntry[],
  { before, owners, listed }: TeamWasteContext,
): AccountCounters {
  const teams = new Map(Object.entries(counters.teams))
  for (const entry of entries) {
    const growth = unproductiveGrowth(before.computes.get(computeKey(entry.ref)), entry)
    if (growth.length === 0) continue
    const { projectId } = entry.ref
    const project = before.projects.get(projectId) ?? listed(projectId)
    const { team } = owners.of(selectorTargetOf(entry.ref.account, entry.compute, project?.project))
    teams.set(team, addUnproductive(teams.get(team), growth))
  }
  const isSame = [...teams].every(([team, unproductive]) => counters.teams[team] === unproductive)
  return isSame ? counters : { ...counters, teams: Object.fromEntries(teams) }
}

function addUnproductive(before: Unproductive = {}, growth: Growth): Unproductive {
  const after: { [cause in UnproductiveCause]?: Micros } = { ...before }
  for (const [cause, spend] of growth) after[cause] = micros((after[cause] ?? 0) + spend)
  return after
}

type Growth = readonly (readonly [UnproductiveCause, number])[]

/** An entry that an earlier version stored without it has no growth: all its past would count as spent today. */
function unproductiveGrowth(before: ComputeEntry | undefined, after: ComputeEntry): Growth {
  if (before && !before.counters.unproductive) return []
  const previous = before?.counters.unproductive ?? {}
  const current = Object.entries(after.counters.unproductive ?? {}) as [UnproductiveCause, number][]
  return current.flatMap(([cause, spend]): Growth => {
    const growth = spend - (previous[cause] ?? 0)
    return growth > 0 ? [[cause, growth]] : []
  })
}

type Wakes = AccountCounters['wakes']

/** Adds the wakes since `before`. One first counted as unknown and later found to be ours counts for both: counters never fall. */
export function addWakes(
  counters: AccountCounters,
  entries: readonly ComputeEntry[],
  before: Ledger,
): AccountCounters {
  const wakes = entries.reduce<Wakes>(
    (sum, entry) => addWakesOf(sum, before.computes.get(computeKey(entry.ref)), entry),
    counters.wakes,
  )
  return wakes === counters.wakes ? counters : { ...counters, wakes }
}

function addWakesOf(sum: Wakes, before: ComputeEntry | undefined, { counters }: ComputeEntry): Wakes {
  const earlier = before?.counters ?? NO_PUBLISHED_COUNTERS
  const added = (name: 'wakes' | 'wakesCaused' | 'wakesByChange' | 'wakesByWarmUp') =>
    (counters[name] ?? 0) - (earlier[name] ?? 0)
  const [dormouse, change, warmUp] = [added('wakesCaused'), added('wakesByChange'), added('wakesByWarmUp')]
  const unknown = Math.max(0, added('wakes') - dormouse - change - warmUp)
  if (dormouse + change + warmUp + unknown === 0) return sum
  const [byChange, byWarmUp] = [(sum.change ?? 0) + change, (sum['warm-up'] ?? 0) + warmUp]
  return {
    dormouse: sum.dormouse + dormouse,
    unknown: sum.unknown + unknown,
    ...(byChange > 0 && { change: byChange }),
    ...(byWarmUp > 0 && { 'warm-up': byWarmUp }),
  }
}

/** Pairs of action and status counted apart, further ones as `other`; the service has about 30. */
const MAX_OPERATION_SERIES = 100

type FinishedOperation = Readonly<{ operation: Operation; entry: ComputeEntry }>

/** Adds the operations of a sweep with the entries of their computes; those from before first sight do not count. */
export function createOperationCounter(sweep: Sweep): typeof addWakes {
  const finished = Map.groupBy(
    sweep.operations.filter((operation) => operation.endpointId !== undefined && !isOperationOpen(operation)),
    ({ projectId, endpointId = '' }) => computeKey({ account: sweep.account, projectId, endpointId }),
  )
  return (counters, entries, before) => {
    const uncounted = entries.flatMap((entry) => {
      const key = computeKey(entry.ref)
      const previous = before.computes.get(key)
      const operations = previous ? uncountedOperations(previous, finished.get(key) ?? []) : []
      return operations.map((operation) => ({ operation, entry }))
    })
    if (uncounted.length === 0) return counters
    const operations = uncounted.reduce(addOperation, counters.operations)
    const wakeLatency = uncounted.reduce(addWakeLatency, counters.wakeLatency)
    return { ...counters, operations, wakeLatency }
  }
}

/** Evidence holds counted operations that are not settled; one from before the watermark was counted or came too late. */
function uncountedOperations({ evidence, settledUntil }: ComputeEntry, finished: readonly Operation[]) {
  const known = evidence.operations.filter((operation) => !isOperationOpen(operation))
  const counted = new Set(known.map(({ operationId }) => operationId))
  const uncounted = finished.filter(
    ({ operationId, updatedAt }) => !counted.has(operationId) && updatedAt + SECOND > settledUntil,
  )
  return [...new Map(uncounted.map((operation) => [operation.operationId, operation])).values()]
}

function addOperation(counters: AccountCounters['operations'], { operation }: FinishedOperation) {
  const { action, status, failuresCount } = operation
  const hasSeries =
    counters.length < MAX_OPERATION_SERIES ||
    counters.some((counter) => counter.action === action && counter.status === status)
  const name = hasSeries ? { action, status } : { action: 'other', status: 'other' }
  const isNamed = (counter: OperationCounter) =>
    counter.action === name.action && counter.status === name.status
  const before = counters.find(isNamed) ?? { ...name, count: 0, failures: 0 }
  const after = { ...before, count: before.count + 1, failures: before.failures + failuresCount }
  return [...counters.filter((counter) => !isNamed(counter)), after]
}

/** Finished starts by region. No client waited for restarts and first starts, dated up to a second late. */
function addWakeLatency(
  regions: AccountCounters['wakeLatency'],
  { operation, entry: { compute, evidence } }: FinishedOperation,
) {
  const { duration } = operation
  if (duration === undefined || awakeEffect(operation) !== 'starts') return regions
  const isFirst = operation.createdAt <= compute.createdAt + SECOND
  if (isFirst || isRestart(operation, evidence.operations)) return regions
  const hasSeries =
    regions.length < MAX_REGIONS || regions.some(({ regionId }) => regionId === compute.regionId)
  const region = hasSeries ? compute.regionId : 'other'
  const before = regions.find(({ regionId }) => regionId === region) ?? EMPTY_DURATIONS
  const after = { regionId: region, ...addDuration(before, duration, WAKE_LATENCY_BUCKETS) }
  return [...regions.filter(({ regionId }) => regionId !== region), after]
}
