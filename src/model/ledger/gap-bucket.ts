/** The class of a gap between two activities of others: log2 of its seconds, rounded down, `longest` at the most. */
export const gapBucket = (gap: number, longest: number): number =>
  Math.min(longest, Math.floor(Math.log2(Math.max(1, gap))))
