// Classes of gap lengths, in steps of the grid of delays (60 s): 1…32 by 1, 33…64 by 2, 65…128 by 4, and so on, each doubling of the
// length in 16 bins. A bin holds the lengths `[lo, hi]`, whole numbers, and is named by its number from 0 on.

/** Bins with one length each, 32: short gaps decide the delay. */
const SINGLE_BINS = 32
/** Bins between a length and its double, above the single ones. */
const BINS_PER_OCTAVE = 16

/** @param length whole steps, at least 1 */
export function binOf(length: number): number {
  if (length <= SINGLE_BINS) return length - 1
  const octave = 31 - Math.clz32((length - 1) >> 5)
  return SINGLE_BINS + octave * BINS_PER_OCTAVE + ((length - 1 - (32 << octave)) >> (octave + 1))
}

/** Shortest length of a bin. */
export function loOf(bin: number): number {
  if (bin < SINGLE_BINS) return bin + 1
  const octave = (bin - SINGLE_BINS) >> 4
  return (32 << octave) + ((bin - SINGLE_BINS) & (BINS_PER_OCTAVE - 1)) * (2 << octave) + 1
}

/** Longest length of a bin. */
export const hiOf = (bin: number): number => loOf(bin + 1) - 1

/** Exponent of the universal tail of gap lengths. */
const TAIL = 0.4

/**
 * Probability that a gap of unknown kind ends in a bin that it reached: gap lengths have heavy tails on all workloads. The gaps of the
 * fleet are no prior, because most of them come from its busiest computes.
 */
export const priorHazard = (bin: number): number => 1 - ((loOf(bin) + 1) / (hiOf(bin) + 2)) ** TAIL

/** Whole steps of a length, at least 1. */
export const stepsOf = (length: number, grid: number): number => Math.max(1, Math.ceil(length / grid))
