// Who woke computes, as far as evidence tells: that a session of ours did shows, and of others nobody says who they are.
import { computeKey } from '../../model/service/compute.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { Batch } from '../../model/ports/store.ts'
import type { AccountCounters } from '../../model/ledger/counters.ts'

type Wakes = AccountCounters['wakes']

/** `batch` with the wakes of its computes since `before`; itself where there was none. A wake that turns out to be ours later is counted for both. */
export function addWakes(batch: Batch, before: Ledger): Batch {
  const { wakes: known } = before.counters
  const wakes = batch.computes.reduce<Wakes>(
    (sum, account) => withGrowth(sum, before.computes.get(computeKey(account.ref)), account),
    known,
  )
  return wakes === known ? batch : { ...batch, counters: { ...(batch.counters ?? before.counters), wakes } }
}

function withGrowth(sum: Wakes, before: ComputeEntry | undefined, { counters }: ComputeEntry): Wakes {
  const dormouse = counters.wakesCaused - (before?.counters.wakesCaused ?? 0)
  const unknown = Math.max(0, counters.wakes - (before?.counters.wakes ?? 0) - dormouse)
  if (dormouse + unknown === 0) return sum
  return { dormouse: sum.dormouse + dormouse, unknown: sum.unknown + unknown }
}
