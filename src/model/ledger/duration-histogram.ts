// Histogram of durations.
import { millis, type Millis } from '../units.ts'

/** Plain data. Counts stay correct when the bounds change: a duration within a bound is within every larger one. */
export type DurationHistogram = Readonly<{
  count: number
  sum: Millis
  /** Bound in ms, as text → durations within it and above the next smaller bound. Durations above the largest are in `count` alone. */
  upTo: Readonly<Record<string, number>>
}>

export const EMPTY_DURATIONS: DurationHistogram = { count: 0, sum: millis(0), upTo: {} }

/** Upper bounds of wake latencies: dense around one second, where most starts end. */
export const WAKE_LATENCY_BUCKETS: readonly Millis[] = [250, 500, 1000, 2000, 3000, 5000, 10_000, 30_000].map(
  millis,
)

export function addDuration(
  { count, sum, upTo }: DurationHistogram,
  duration: Millis,
  bounds: readonly Millis[],
): DurationHistogram {
  const bound = bounds.find((limit) => duration <= limit)
  return {
    count: count + 1,
    sum: millis(sum + duration),
    upTo: bound === undefined ? upTo : { ...upTo, [bound]: (upTo[bound] ?? 0) + 1 },
  }
}

/** Number of durations within `bound`. */
export const countUpTo = ({ upTo }: DurationHistogram, bound: Millis): number =>
  Object.entries(upTo).reduce((sum, [limit, count]) => (Number(limit) <= bound ? sum + count : sum), 0)
