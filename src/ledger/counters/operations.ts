// What the service did, counted when it is done: each operation once, in the commit that stores the evidence of it.
import { computeKey } from '../../model/service/compute.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { Sweep } from '../../model/observation.ts'
import { isOperationOpen, type Operation } from '../../model/service/operation.ts'
import type { Batch } from '../../model/ports/store.ts'
import type { OperationCounter, AccountCounters } from '../../model/ledger/counters.ts'
import { addWakeLatency } from './wake-latency.ts'

/** Words of the service that are counted apart; its own are some thirty. Doubled, one that makes up words has twice as many series. */
const WORDS = 100
/** Instants of the interface are in whole seconds. */
const SECOND = 1000

/** @returns a function that adds to a batch what ended of its computes in `sweep`; what was before they were first seen does not count */
export function createOperationCounter(sweep: Sweep): (batch: Batch, before: Ledger) => Batch {
  const ended = Map.groupBy(
    sweep.operations.filter((one) => one.endpointId !== undefined && !isOperationOpen(one)),
    ({ projectId, endpointId = '' }) => computeKey({ account: sweep.account, projectId, endpointId }),
  )
  return (batch, before) => {
    const fresh = batch.computes.flatMap((account) => {
      const known = before.computes.get(computeKey(account.ref))
      const operations = known ? newOf(known, ended.get(computeKey(account.ref)) ?? []) : []
      return operations.map((operation) => ({ operation, account }))
    })
    if (fresh.length === 0) return batch
    const tallies = batch.counters ?? before.counters
    const operations = fresh.reduce((sum, { operation }) => withOperation(sum, operation), tallies.operations)
    const wakeLatency = fresh.reduce(addWakeLatency, tallies.wakeLatency)
    return { ...batch, counters: { ...tallies, operations, wakeLatency } }
  }
}

/** Evidence has those that were counted, until they lie before what is settled: one that is listed again, or so late, is none. */
function newOf({ evidence, settledUntil }: ComputeEntry, ended: readonly Operation[]): readonly Operation[] {
  const counted = new Set(
    evidence.operations.filter((one) => !isOperationOpen(one)).map((one) => one.operationId),
  )
  const fresh = ended.filter(
    ({ operationId, updatedAt }) => !counted.has(operationId) && updatedAt + SECOND > settledUntil,
  )
  return [...new Map(fresh.map((one) => [one.operationId, one])).values()]
}

function withOperation(
  known: AccountCounters['operations'],
  operation: Operation,
): AccountCounters['operations'] {
  const { action, status, failuresCount } = operation
  const isRoom = known.length < WORDS || known.some((one) => one.action === action && one.status === status)
  const name = isRoom ? { action, status } : { action: 'other', status: 'other' }
  const isIt = (one: OperationCounter): boolean => one.action === name.action && one.status === name.status
  const before = known.find(isIt) ?? { ...name, count: 0, failures: 0 }
  const after = { ...before, count: before.count + 1, failures: before.failures + failuresCount }
  return [...known.filter((one) => !isIt(one)), after]
}
