// Cuts awake time into slices of one size and one price.
import type { ComputeRef } from '../../model/service/compute.ts'
import type { AwakeInterval, Evidence } from '../../model/ledger/evidence.ts'
import { eachBound, type Prices, type AwakeSlice } from '../../model/ledger/quantities.ts'
import {
  earliest,
  instant,
  latest,
  micros,
  type Instant,
  type Micros,
  type Interval,
} from '../../model/units.ts'
import type { Timeline } from '../evidence/intervals.ts'
import { sizeChangePoints, sizeIn, type MeteredSizes, type SizeFacts } from './sizing.ts'
import { contains, duration, emptyAt, intersect, overlaps } from '../interval-math.ts'

export type SliceContext = Readonly<{
  ref: ComputeRef
  evidence: Evidence
  prices: Prices
  metered: MeteredSizes
  /** End of an interval in progress. */
  now: Instant
}>

/** Slices of `timeline` inside `range`, those of intervals first. */
export function cutSlices(timeline: Timeline, range: Interval, context: SliceContext): readonly AwakeSlice[] {
  const { intervals, certainlyAwake, possiblyAwake, undisturbed } = timeline
  const facts = { evidence: context.evidence, metered: context.metered, certainlyAwake, undisturbed }
  const awake = intervals.flatMap((interval) => {
    const { low, likely, high } = spanBounds(interval, context.now)
    const awakeTime = {
      certain: certainlyAwake.map((span) => intersect(span, low)).filter((span) => duration(span) > 0),
      likely,
      high: intersect(high, range),
      assumed: interval.from.source === 'assumed' || interval.to?.source === 'assumed',
    }
    return cutTime(awakeTime, { ...facts, interval }, context)
  })
  const uncertain = possiblyAwake.flatMap((span) => {
    const high = intersect(span, range)
    return cutTime(
      { certain: [], likely: emptyAt(high.from), high, assumed: true },
      { ...facts, interval: undefined },
      context,
    )
  })
  return [...awake, ...uncertain]
}

/** The compute may have slept inside the shortest extent where it was not certainly awake. */
export function spanBounds(
  { from, to, knownUntil }: AwakeInterval,
  now: Instant,
): Pick<AwakeSlice, 'low' | 'likely' | 'high'> {
  const ends = to ?? { earliest: knownUntil, likely: knownUntil, latest: latest(knownUntil, now) }
  return {
    low: { from: from.latest, to: latest(from.latest, ends.earliest) },
    likely: { from: from.likely, to: latest(from.likely, ends.likely) },
    high: { from: from.earliest, to: latest(from.earliest, ends.latest) },
  }
}

type SliceTime = Readonly<{
  certain: readonly Interval[]
  likely: Interval
  high: Interval
  assumed: boolean
}>

function cutTime({ certain, likely, high, assumed }: SliceTime, facts: SizeFacts, context: SliceContext) {
  const { from, to } = high
  const cuts = [
    ...sizeChangePoints(facts),
    ...context.prices.periods.map((period) => period.from),
    ...gapsOf(certain),
  ]
    .map((at) => instant(Math.round(at)))
    .filter((at) => at > from && at < to)
  const points = [from, ...new Set(cuts.toSorted((a, b) => a - b)), to]
  const parts = points.slice(1).map((end, index) => ({ from: points[index] ?? from, to: end }))
  const slices = parts
    .filter((part) => duration(part) > 0)
    .map((part): AwakeSlice => ({
      ref: context.ref,
      low: intersect(certain.find((span) => overlaps(span, part)) ?? emptyAt(part.from), part),
      likely: intersect(likely, part),
      high: part,
      ...sizeIn(part, facts),
      price: String(priceAt(context.prices, part.from)),
      assumed,
    }))
  return slices.reduce<AwakeSlice[]>(joinEqual, [])
}

/** Cuts there leave each slice at most one certain span. */
const gapsOf = (certain: readonly Interval[]): readonly Instant[] => certain.slice(1).map(({ from }) => from)

function joinEqual(joined: AwakeSlice[], next: AwakeSlice): AwakeSlice[] {
  const last = joined.at(-1)
  if (!last || last.price !== next.price || textOf(last) !== textOf(next)) return [...joined, next]
  const { low, likely, high } = eachBound((bound): Interval | undefined => {
    const [before, after] = [last[bound], next[bound]]
    if (duration(after) === 0) return before
    if (duration(before) === 0) return after
    return before.to === after.from ? { from: before.from, to: after.to } : undefined
  })
  if (!low || !likely || !high) return [...joined, next]
  return [...joined.slice(0, -1), { ...last, low, likely, high }]
}

const textOf = ({ size: { low, likely, high }, moves }: AwakeSlice) => `${low} ${likely} ${high} ${moves}`

/** Over adjacent intervals the parts add up to the slice. */
export function clipSlice(slice: AwakeSlice, intervals: readonly Interval[]): readonly AwakeSlice[] {
  const whole = possibleInterval(slice)
  // each span is cut by itself, so that no time is lost or counted twice
  const clipTo = (interval: Interval): AwakeSlice => ({
    ...slice,
    ...eachBound((bound) => intersect(slice[bound], interval)),
  })
  return intervals
    .filter((interval) => overlaps(whole, interval))
    .map((interval) => (contains(interval, whole) ? slice : clipTo(interval)))
}

/** The likely time of the accrual may reach beyond the longest. */
export const possibleInterval = ({ low, likely, high }: AwakeSlice): Interval => ({
  from: earliest(low.from, likely.from, high.from),
  to: latest(low.to, likely.to, high.to),
})

export function priceAt({ periods }: Prices, at: Instant): Micros {
  const period = periods.findLast(({ from }) => from <= at) ?? periods[0]
  return period?.perCuHour ?? micros(0)
}
