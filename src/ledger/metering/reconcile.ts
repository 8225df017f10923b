// Our CU-time beside the service's own count of it.
import type { Reconciliation } from '../../model/ledger/metering.ts'
import { ratio, type Ratio } from '../../model/units.ts'

/** Doubled, a compute in fifty that is not counted goes unnoticed. Source: service-facts.md, "Consumption". */
const TOLERATED = ratio(0.02)

/** @param before the comparison before; undefined for the first */
export function reconcile(
  stretch: Pick<Reconciliation, 'from' | 'to' | 'metered' | 'low' | 'high'>,
  before: Reconciliation | undefined,
): Reconciliation {
  const { metered, low, high } = stretch
  const apart = metered < low ? metered - low : Math.max(0, metered - high)
  const outside = ratio(apart === 0 ? 0 : apart / Math.max(metered, low))
  return { ...stretch, outside, diverges: isFar(outside) && before !== undefined && isFar(before.outside) }
}

const isFar = (outside: Ratio): boolean => Math.abs(outside) > TOLERATED
