// Clips awake slices to intervals. Each of the three spans is cut by itself, so that no time is lost or counted twice.
import type { AwakeSlice } from '../../model/ledger/slice.ts'
import type { Interval } from '../../model/time.ts'
import { earliest, latest } from '../../model/units.ts'
import { contains, intersect, overlaps } from '../interval-math.ts'

/** The parts of a slice in each of `intervals`. Over adjacent intervals they add up to the slice. */
export function clipSlice(slice: AwakeSlice, intervals: readonly Interval[]): readonly AwakeSlice[] {
  const whole = possibleInterval(slice)
  return intervals
    .filter((interval) => overlaps(whole, interval))
    .map((interval) => (contains(interval, whole) ? slice : clipTo(slice, interval)))
}

/** All time that the slice may cover. The likely time of the accrual may reach beyond the longest. */
export const possibleInterval = ({ low, likely, high }: AwakeSlice): Interval => ({
  from: earliest(low.from, likely.from, high.from),
  to: latest(low.to, likely.to, high.to),
})

const clipTo = (slice: AwakeSlice, interval: Interval): AwakeSlice => ({
  ...slice,
  low: intersect(slice.low, interval),
  likely: intersect(slice.likely, interval),
  high: intersect(slice.high, interval),
})
