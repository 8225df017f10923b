// A stretch as it is kept.
import type { ComputeRef } from '../../model/service/compute.ts'
import type { CulpritShare, OpenRollup, Rollup } from '../../model/ledger/rollup.ts'
import { ratio, type Seconds } from '../../model/units.ts'

/** How many culprits are kept. */
const MOST_CULPRITS = 5

export const closeRollup = (
  { attribution, ...sums }: OpenRollup,
  { ref, length }: { readonly ref: ComputeRef; readonly length: Seconds },
): Rollup => ({ ...sums, ref, length, culprits: culpritsOf(attribution) })

function culpritsOf(held: OpenRollup['attribution']): readonly CulpritShare[] {
  const all = Object.entries(held)
  const sum = all.reduce((total, [, time]) => total + time, 0)
  return all
    .toSorted(([a, most], [b, less]) => less - most || (a < b ? -1 : 1))
    .slice(0, MOST_CULPRITS)
    .map(([culprit, time]) => ({ culprit, share: ratio(Math.round((time / sum) * 1000) / 1000) }))
}
