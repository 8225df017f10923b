// The part of an awake slice that lies in given time. The three spans are cut apart, so that nothing is lost or counted twice.
import type { AwakeSlice } from '../../model/slice.ts'
import type { Interval } from '../../model/time.ts'
import { clipped } from '../spans.ts'

/** One piece for each of `intervals` that the slice may reach into. Its sums over adjacent intervals are those of the slice. */
export const clip = (slice: AwakeSlice, intervals: readonly Interval[]): readonly AwakeSlice[] =>
  intervals
    .filter(({ from, to }) => slice.high[0] < to && slice.high[1] > from)
    .map(({ from, to }) => ({
      ...slice,
      low: clipped(slice.low, [from, to]),
      likely: clipped(slice.likely, [from, to]),
      high: clipped(slice.high, [from, to]),
    }))
