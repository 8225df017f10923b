// Clips awake slices to intervals. Each of the three spans is cut by itself, so that no time is lost or counted twice.
import type { AwakeSlice } from '../../model/ledger/slice.ts'
import type { Interval } from '../../model/time.ts'
import { earliest, latest } from '../../model/units.ts'
import { intersectSpans } from '../interval-math.ts'

/** The parts of a slice in each of `intervals`. Over adjacent intervals they add up to the slice. */
export function clipSlice(slice: AwakeSlice, intervals: readonly Interval[]): readonly AwakeSlice[] {
  const whole = possibleInterval(slice)
  return intervals
    .filter(({ from, to }) => whole.from < to && whole.to > from)
    .map((interval) => (contains(interval, whole) ? slice : clipTo(slice, interval)))
}

/** All time that the slice may cover. The likely time of the accrual may reach beyond the longest. */
export const possibleInterval = ({ low, likely, high }: AwakeSlice): Interval => ({
  from: earliest(low[0], likely[0], high[0]),
  to: latest(low[1], likely[1], high[1]),
})

const contains = (interval: Interval, { from, to }: Interval): boolean =>
  interval.from <= from && to <= interval.to

const clipTo = (slice: AwakeSlice, { from, to }: Interval): AwakeSlice => ({
  ...slice,
  low: intersectSpans(slice.low, [from, to]),
  likely: intersectSpans(slice.likely, [from, to]),
  high: intersectSpans(slice.high, [from, to]),
})
