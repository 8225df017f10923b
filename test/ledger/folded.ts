// One compute, applied from sweeps.
import { computeKey } from '../../src/model/service/compute.ts'
import type { ComputeEntry, Ledger } from '../../src/model/ledger/ledger.ts'
import type { Sweep } from '../../src/model/observation.ts'
import type { Instant } from '../../src/model/units.ts'
import { accounted } from '../support/accounted.ts'
import { at, ledger, prices } from '../support/build.ts'

export const KEY = computeKey({ account: 'main', projectId: 'project-one', endpointId: 'ep-one' })
export const context = (now: number): { prices: typeof prices; overhead: number; now: Instant } => ({
  prices,
  overhead: 0.01,
  now: at(now),
})

export const after = (sweeps: readonly Sweep[], before: Ledger = ledger()): Ledger =>
  sweeps.reduce((known, one) => {
    const now = (one.endedAt - at(0)) / 1000
    return accounted(known, one, context(now)).ledger
  }, before)

export const one = (known: Ledger): ComputeEntry => {
  const found = known.computes.get(KEY)
  if (!found) throw new Error('the compute has no account')
  return found
}

export const awake = { state: 'active', startedAt: at(10) } as const
export const asleep = { state: 'idle', startedAt: at(10), suspendedAt: at(370), lastActive: at(69) } as const
