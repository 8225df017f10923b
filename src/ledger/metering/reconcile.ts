// Our CU-time beside the service's own count of it.
import type { Reconciliation } from '../../model/ledger/metering.ts'
import { ratio, type Ratio } from '../../model/units.ts'

/** Doubled, a compute in fifty that is not counted goes unnoticed. Source: service-facts.md, "Consumption". */
const TOLERATED = ratio(0.02)

/** @param before the comparison before; undefined for the first */
export function reconcile(
  stretch: Pick<Reconciliation, 'from' | 'to' | 'counted' | 'low' | 'high'>,
  before: Reconciliation | undefined,
): Reconciliation {
  const { counted, low, high } = stretch
  const apart = counted < low ? counted - low : Math.max(0, counted - high)
  const outside = ratio(apart === 0 ? 0 : apart / Math.max(counted, low))
  return { ...stretch, outside, isOff: isFar(outside) && before !== undefined && isFar(before.outside) }
}

const isFar = (outside: Ratio): boolean => Math.abs(outside) > TOLERATED
