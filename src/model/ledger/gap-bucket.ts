/** Class of a gap between two client activities: log2 of its seconds, rounded down, at most `longest`. */
export const gapBucket = (gap: number, longest: number): number =>
  Math.min(longest, Math.floor(Math.log2(Math.max(1, gap))))
