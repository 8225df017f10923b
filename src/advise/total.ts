// Saving of several recommendations together. Each saves a share of what its compute costs now, so the next one saves its share of the
// rest: a shorter delay is worth less on a compute that was made smaller.
import { addBounds, eachBound, type Bounds } from '../model/ledger/quantities.ts'
import type { Proposal } from '../model/policy/recommendation.ts'
import { targetKey } from '../model/service/compute.ts'
import { micros, type Micros } from '../model/units.ts'

type Priced = Pick<Proposal, 'spend' | 'saving'>

export const NO_SAVING: Bounds<Micros> = eachBound(() => micros(0))

/** In 30 days, of recommendations for one compute or project: `C − C·Π(1 − s/C)`. */
export function computeSaving(recommendations: readonly Priced[]): Bounds<Micros> {
  const [first, ...others] = recommendations
  if (!first) return NO_SAVING
  return others.length === 0 ? first.saving : eachBound((bound) => combinedSaving(recommendations, bound))
}

function combinedSaving(recommendations: readonly Priced[], bound: keyof Bounds<Micros>) {
  // evaluated on different days, they know different costs
  const spend = Math.max(...recommendations.map((one) => one.spend[bound]))
  const savings = recommendations.map(({ saving }) => saving[bound])
  if (spend <= 0) return micros(savings.reduce((sum, saving) => sum + saving, 0))
  return micros(spend - savings.reduce((rest, saving) => rest * (1 - Math.min(1, saving / spend)), spend))
}

/** In 30 days, with all of them applied. */
export function totalSaving(recommendations: Iterable<Priced & Pick<Proposal, 'ref'>>): Bounds<Micros> {
  const byCompute = Map.groupBy(recommendations, ({ ref }) => targetKey(ref))
  return [...byCompute.values()].reduce((sum, same) => addBounds(sum, computeSaving(same), micros), NO_SAVING)
}
