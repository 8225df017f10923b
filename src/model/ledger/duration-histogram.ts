// How long many things took, as a histogram shows it.
import { millis, type Millis } from '../units.ts'

/** Plain data. Bounds that change later make no count wrong: what was counted up to a bound is no longer than any above it. */
export type DurationHistogram = {
  readonly count: number
  readonly sum: Millis
  /** Bound, ms, as text → those that are no longer, and longer than every shorter bound; without those beyond the last. */
  readonly upTo: Readonly<Record<string, number>>
}

export const EMPTY_DURATIONS: DurationHistogram = { count: 0, sum: millis(0), upTo: {} }

/** Upper bounds of the time that a start takes. Half of them doubled, a start of one second is no longer told from one of two. */
export const WAKE_LATENCY_BUCKETS: readonly Millis[] = [250, 500, 1000, 2000, 3000, 5000, 10_000, 30_000].map(
  millis,
)

export function addDuration(
  { count, sum, upTo }: DurationHistogram,
  duration: Millis,
  bounds: readonly Millis[],
): DurationHistogram {
  const bound = bounds.find((one) => duration <= one)
  return {
    count: count + 1,
    sum: millis(sum + duration),
    upTo: bound === undefined ? upTo : { ...upTo, [bound]: (upTo[bound] ?? 0) + 1 },
  }
}

/** Those no longer than `bound`. */
export const countUpTo = ({ upTo }: DurationHistogram, bound: Millis): number =>
  Object.entries(upTo).reduce((sum, [one, count]) => (Number(one) <= bound ? sum + count : sum), 0)
