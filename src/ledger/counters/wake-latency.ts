// How long starts take, as the service itself says, by region.
import { isRestart } from '../evidence/boundaries.ts'
import { EMPTY_DURATIONS, WAKE_LATENCY_BUCKETS, addDuration } from '../../model/ledger/duration-histogram.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import { awakeEffect, type Operation } from '../../model/service/operation.ts'
import { MAX_REGIONS, type AccountCounters } from '../../model/ledger/counters.ts'

type Ended = { readonly operation: Operation; readonly account: ComputeEntry }
type Known = AccountCounters['wakeLatency']

/** Instants of the interface are in whole seconds: a start that is asked for together with its compute may be dated one later. */
const SECOND = 1000

/** With one operation more that has ended. Of a restart, which waits in the service's queue until the compute has stopped, and of the first start nobody is woken. */
export function addWakeLatency(known: Known, { operation, account: { compute, evidence } }: Ended): Known {
  const { duration } = operation
  if (duration === undefined || awakeEffect(operation) !== 'starts') return known
  const isFirst = operation.createdAt <= compute.createdAt + SECOND
  if (isFirst || isRestart(operation, evidence.operations)) return known
  const isRoom = known.length < MAX_REGIONS || known.some(({ regionId }) => regionId === compute.regionId)
  const region = isRoom ? compute.regionId : 'other'
  const before = known.find(({ regionId }) => regionId === region) ?? EMPTY_DURATIONS
  const after = { regionId: region, ...addDuration(before, duration, WAKE_LATENCY_BUCKETS) }
  return [...known.filter(({ regionId }) => regionId !== region), after]
}
