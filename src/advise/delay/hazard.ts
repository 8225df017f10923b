// Hazard of gaps: the probability that a gap ends in a bin, given that it reached the bin.
import { shareWithin } from '../backtest.ts'
import { binOf, hiOf, loOf, priorHazard, stepsOf } from './bins.ts'

/** Gap as evidence of lengths, in seconds: each in `[low, high]` is as likely. */
export type GapLength = Readonly<{
  low: number
  high: number
  /** Shorter gaps could not have been seen when this one was. */
  hiddenBelow: number
  /** Still in progress: `high` is its length so far. */
  isOpen?: boolean
}>

/** Probability by bin. */
export type Hazard = (bin: number) => number

/** Weight of the prior, in gaps: less than the fewest gaps that a delay is chosen from. */
const PRIOR_WEIGHT = 2

/**
 * Each gap counts in the bins it reached, and as a hit in the bin it ended in; where its bounds allow several, with the probability of each.
 * A gap in progress counts in the bins it has passed. Bins below `hiddenBelow` learn nothing, because a gap that ended there would not be in
 * the list.
 */
export function gapHazard(gaps: readonly GapLength[], grid: number): Hazard {
  const bins = gaps.reduce((most, { high }) => Math.max(most, binOf(stepsOf(high, grid)) + 2), 0)
  const hits = new Float64Array(bins)
  // difference from one bin to the next
  const changes = new Float64Array(bins)
  for (const gap of gaps) {
    const first = gap.hiddenBelow < grid ? 0 : binOf(Math.floor(gap.hiddenBelow / grid)) + 1
    if (gap.isOpen) addPassed(changes, first, binsPassed(gap.high / grid))
    else addEnded({ hits, changes }, gap, { first, grid })
  }
  let reachedNow = 0
  const reached = changes.map((change) => (reachedNow += change))
  return (bin) => ((hits[bin] ?? 0) + PRIOR_WEIGHT * priorHazard(bin)) / ((reached[bin] ?? 0) + PRIOR_WEIGHT)
}

function addPassed(changes: Float64Array, first: number, passed: number) {
  if (passed <= first) return
  add(changes, first, 1)
  add(changes, passed, -1)
}

function addEnded(
  { hits, changes }: Readonly<{ hits: Float64Array; changes: Float64Array }>,
  { low, high }: GapLength,
  { first, grid }: Readonly<{ first: number; grid: number }>,
) {
  for (let bin = Math.max(first, binOf(stepsOf(low, grid))); bin <= binOf(stepsOf(high, grid)); bin += 1) {
    const ends = shareWithin({ low, high }, { from: (loOf(bin) - 1) * grid, to: hiOf(bin) * grid })
    add(changes, first, ends)
    add(changes, bin + 1, -ends)
    add(hits, bin, ends)
  }
}

function add(values: Float64Array, bin: number, value: number) {
  values[bin] = (values[bin] ?? 0) + value
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
