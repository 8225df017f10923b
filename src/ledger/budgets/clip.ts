// The part of an awake slice that lies in given time. The three spans are cut apart, so that nothing is lost or counted twice.
import type { AwakeSlice } from '../../model/ledger/slice.ts'
import type { Interval } from '../../model/time.ts'
import { earliest, latest } from '../../model/units.ts'
import { intersectSpans } from '../interval-math.ts'

/** One piece for each of `intervals` that the slice may reach into. Its sums over adjacent intervals are those of the slice. */
export function clipSlice(slice: AwakeSlice, intervals: readonly Interval[]): readonly AwakeSlice[] {
  const whole = possibleInterval(slice)
  return intervals
    .filter(({ from, to }) => whole.from < to && whole.to > from)
    .map((interval) => (contains(interval, whole) ? slice : part(slice, interval)))
}

/** Whatever the slice may cover. Of what goes on since the last look, the likely time is not inside the longest. */
export const possibleInterval = ({ low, likely, high }: AwakeSlice): Interval => ({
  from: earliest(low[0], likely[0], high[0]),
  to: latest(low[1], likely[1], high[1]),
})

const contains = (interval: Interval, { from, to }: Interval): boolean =>
  interval.from <= from && to <= interval.to

const part = (slice: AwakeSlice, { from, to }: Interval): AwakeSlice => ({
  ...slice,
  low: intersectSpans(slice.low, [from, to]),
  likely: intersectSpans(slice.likely, [from, to]),
  high: intersectSpans(slice.high, [from, to]),
})
