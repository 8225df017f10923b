// The probability that a client comes within a time, by the hazard of gaps.
import { ratio, type Ratio, type Seconds } from '../../model/units.ts'
import { binOf, hiOf, loOf } from './bins.ts'
import type { Hazard } from './hazard.ts'

/**
 * Probability that a gap that has lasted `past` ends in the next `within`. Inside a bin the hazard is spread evenly.
 *
 * @param grid seconds of a step of the hazard
 */
export function arrivalWithin(
  hazard: Hazard,
  { past, within, grid }: Readonly<{ past: Seconds; within: Seconds; grid: Seconds }>,
): Ratio {
  const end = (past + within) / grid
  let [survival, at] = [1, past / grid]
  while (at < end) {
    // a bin holds the lengths above `lo - 1` up to `hi` steps
    const bin = binOf(Math.floor(at) + 1)
    const next = Math.min(end, hiOf(bin))
    survival *= (1 - hazard(bin)) ** ((next - at) / (hiOf(bin) - loOf(bin) + 1))
    at = next
  }
  return ratio(1 - survival)
}
