// Hazard of gaps: the probability that a gap ends in a bin, given that it reached the bin.
import { binOf, hiOf, loOf, priorHazard, stepsOf } from './bins.ts'

/** Gap as evidence of lengths, in seconds. */
export type GapLength = Readonly<{
  length: number
  /** Shorter gaps could not have been seen when this one was. */
  hiddenBelow: number
  /** Still in progress: `length` is its length so far. */
  isOpen?: boolean
}>

/** Probability by bin. */
export type Hazard = (bin: number) => number

/** Weight of the prior, in gaps: less than the fewest gaps that a delay is chosen from. */
const PRIOR_WEIGHT = 2

/**
 * Each gap counts in the bins it reached, and as a hit in the bin it ended in. A gap in progress counts in the bins it has passed. Bins
 * below `hiddenBelow` learn nothing, because a gap that ended there would not be in the list.
 */
export function gapHazard(gaps: readonly GapLength[], grid: number): Hazard {
  const bins = gaps.reduce((most, { length }) => Math.max(most, binOf(stepsOf(length, grid)) + 2), 0)
  const hits = new Float64Array(bins)
  // difference from one bin to the next
  const changes = new Float64Array(bins)
  for (const { length, hiddenBelow, isOpen } of gaps) {
    const first = hiddenBelow < grid ? 0 : binOf(Math.floor(hiddenBelow / grid)) + 1
    const end = isOpen ? binsPassed(length / grid) : binOf(stepsOf(length, grid)) + 1
    if (end <= first) continue
    changes[first] = (changes[first] ?? 0) + 1
    changes[end] = (changes[end] ?? 0) - 1
    if (!isOpen) hits[end - 1] = (hits[end - 1] ?? 0) + 1
  }
  let reachedNow = 0
  const reached = changes.map((change) => (reachedNow += change))
  return (bin) => ((hits[bin] ?? 0) + PRIOR_WEIGHT * priorHazard(bin)) / ((reached[bin] ?? 0) + PRIOR_WEIGHT)
}

/** Number of bins whose lengths are all at most `steps`. */
function binsPassed(steps: number): number {
  if (steps < 1) return 0
  const bin = binOf(Math.floor(steps))
  return hiOf(bin) <= steps ? bin + 1 : bin
}

/**
 * Expected cost of a gap under each delay, in steps: the awake time in the gap, and `wakeCost` if the gap is longer than the delay.
 * Inside a bin that the delay splits, lengths are spread evenly.
 *
 * @param delays steps, ascending
 */
export function expectedCosts(hazard: Hazard, delays: readonly number[], wakeCost: number): number[] {
  let [bin, survival, awake] = [0, 1, 0]
  return delays.map((delay) => {
    for (; hiOf(bin) <= delay; bin += 1) {
      const ends = hazard(bin)
      awake += (survival * ends * (loOf(bin) + hiOf(bin))) / 2
      survival *= 1 - ends
    }
    const covered = (delay - loOf(bin) + 1) / (hiOf(bin) - loOf(bin) + 1)
    if (covered <= 0) return awake + survival * (delay + wakeCost)
    const ends = 1 - (1 - hazard(bin)) ** covered
    return awake + survival * (ends * ((loOf(bin) + delay) / 2) + (1 - ends) * (delay + wakeCost))
  })
}
