import type { AttributedTime } from '../../model/ledger/evidence.ts'
import type { Totals } from '../../model/ledger/ledger.ts'
import { micros, millis, type Micros } from '../../model/units.ts'
import { parseCulpritKey } from './causes.ts'

/** Shown of one compute. Doubled, most of the rest is a second or two. */
const SHOWN = 5

/** Who held a compute awake, for how long and at what cost, the longest first; what no reading covers is not among them. */
export function topAwakeCauses({ attribution, awake }: Totals, spend: Micros): readonly AttributedTime[] {
  return Object.entries(attribution)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([key, time]) => ({
      ...parseCulpritKey(key),
      time: millis(time),
      spend: micros(awake.likely === 0 ? 0 : (spend * time) / awake.likely),
    }))
}
