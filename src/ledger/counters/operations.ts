// Counters of finished operations: by action and status, and wake latency by region. Each operation counts once, in the commit
// that stores its evidence.
import { MAX_REGIONS, type AccountCounters, type OperationCounter } from '../../model/ledger/counters.ts'
import { addDuration, EMPTY_DURATIONS, WAKE_LATENCY_BUCKETS } from '../../model/ledger/duration-histogram.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { Sweep } from '../../model/observation.ts'
import { computeKey } from '../../model/service/compute.ts'
import { awakeEffect, isOperationOpen, type Operation } from '../../model/service/operation.ts'
import { isRestart } from '../evidence/boundaries.ts'
import { SECOND } from '../../model/units.ts'

/** Pairs of action and status counted apart; the service has about 30. Further pairs count as `other`, which bounds the series. */
const MAX_OPERATION_SERIES = 100

type FinishedOperation = { readonly operation: Operation; readonly entry: ComputeEntry }

/** Adds the operations of a sweep with the entries of their computes; those from before first sight do not count. */
export type AddOperations = (
  counters: AccountCounters,
  entries: readonly ComputeEntry[],
  before: Ledger,
) => AccountCounters

export function createOperationCounter(sweep: Sweep): AddOperations {
  const finished = Map.groupBy(
    sweep.operations.filter((operation) => operation.endpointId !== undefined && !isOperationOpen(operation)),
    ({ projectId, endpointId = '' }) => computeKey({ account: sweep.account, projectId, endpointId }),
  )
  return (counters, entries, before) => {
    const uncounted = entries.flatMap((entry) => {
      const previous = before.computes.get(computeKey(entry.ref))
      const operations = previous
        ? uncountedOperations(previous, finished.get(computeKey(entry.ref)) ?? [])
        : []
      return operations.map((operation) => ({ operation, entry }))
    })
    if (uncounted.length === 0) return counters
    const operations = uncounted.reduce(
      (sum, { operation }) => addOperation(sum, operation),
      counters.operations,
    )
    const wakeLatency = uncounted.reduce(addWakeLatency, counters.wakeLatency)
    return { ...counters, operations, wakeLatency }
  }
}

/** Evidence holds the counted operations that are not settled yet; an operation from before the watermark was counted or came too late. */
function uncountedOperations({ evidence, settledUntil }: ComputeEntry, finished: readonly Operation[]) {
  const counted = new Set(
    evidence.operations
      .filter((operation) => !isOperationOpen(operation))
      .map(({ operationId }) => operationId),
  )
  const uncounted = finished.filter(
    ({ operationId, updatedAt }) => !counted.has(operationId) && updatedAt + SECOND > settledUntil,
  )
  return [...new Map(uncounted.map((operation) => [operation.operationId, operation])).values()]
}

function addOperation(counters: AccountCounters['operations'], { action, status, failuresCount }: Operation) {
  const hasSeries =
    counters.length < MAX_OPERATION_SERIES ||
    counters.some((counter) => counter.action === action && counter.status === status)
  const name = hasSeries ? { action, status } : { action: 'other', status: 'other' }
  const isNamed = (counter: OperationCounter): boolean =>
    counter.action === name.action && counter.status === name.status
  const before = counters.find(isNamed) ?? { ...name, count: 0, failures: 0 }
  const after = { ...before, count: before.count + 1, failures: before.failures + failuresCount }
  return [...counters.filter((counter) => !isNamed(counter)), after]
}

/** Adds a finished start to the wake latency of its region. No client waited for restarts and first starts, dated up to a second late. */
function addWakeLatency(
  regions: AccountCounters['wakeLatency'],
  { operation, entry: { compute, evidence } }: FinishedOperation,
): AccountCounters['wakeLatency'] {
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
