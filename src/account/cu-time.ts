// CU-time of an awake interval: the integral of the size over its time, by price period, with both kinds of doubt.
import type { AwakeInterval, Bounds, CuTimeByPrice, SizeSighting } from '../model/ledger.ts'
import type { Prices } from '../model/price.ts'
import { cuMillis, latest, micros, type CuMillis, type Instant, type Micros } from '../model/units.ts'

/** A stretch in which one size and one price hold. */
type Slice = {
  readonly from: Instant
  readonly to: Instant
  readonly size: Bounds<number>
  readonly price: string
}

/**
 * Low: the surest part at the least size; high: the longest possible part at the largest. Likely: the size as it was
 * seen, inside a range its minimum, which a compute keeps while nothing needs more.
 *
 * @param now ends an interval that is still open
 */
export function cuTimeOf(
  interval: AwakeInterval,
  sizes: readonly SizeSighting[],
  { prices, now }: { readonly prices: Prices; readonly now: Instant },
): CuTimeByPrice {
  const { low, likely, high } = spansOf(interval, now)
  const slices = slicesBetween(high, { interval, sizes, prices })
  const byPrice: Record<string, Bounds<CuMillis>> = {}
  for (const { from, to, size, price } of slices) {
    const before = byPrice[price] ?? NOTHING
    byPrice[price] = {
      low: cuMillis(before.low + overlap(low, from, to) * size.low),
      likely: cuMillis(before.likely + overlap(likely, from, to) * size.likely),
      high: cuMillis(before.high + overlap(high, from, to) * size.high),
    }
  }
  return byPrice
}

export const NOTHING: Bounds<CuMillis> = { low: cuMillis(0), likely: cuMillis(0), high: cuMillis(0) }

type Span = readonly [from: Instant, to: Instant]

/** The shortest, the likely and the longest time the interval may cover; never negative. */
export function spansOf(
  { from, to, knownUntil }: AwakeInterval,
  now: Instant,
): { readonly low: Span; readonly likely: Span; readonly high: Span } {
  const ends = to ?? { earliest: knownUntil, likely: knownUntil, latest: latest(knownUntil, now) }
  return {
    low: [from.latest, latest(from.latest, ends.earliest)],
    likely: [from.likely, latest(from.likely, ends.likely)],
    high: [from.earliest, latest(from.earliest, ends.latest)],
  }
}

const overlap = ([from, to]: Span, a: Instant, b: Instant): number =>
  Math.round(Math.max(0, Math.min(to, b) - Math.max(from, a)))

function slicesBetween(
  [from, to]: Span,
  context: {
    readonly interval: AwakeInterval
    readonly sizes: readonly SizeSighting[]
    readonly prices: Prices
  },
): Slice[] {
  const { interval, sizes, prices } = context
  const cuts = [
    ...sizes.flatMap(({ firstSeenAt, lastSeenAt }) => [firstSeenAt, lastSeenAt]),
    ...prices.periods.map((period) => period.from),
  ].filter((at) => at > from && at < to)
  const points = [from, ...new Set(cuts.toSorted((a, b) => a - b)), to]
  return points.slice(1).map((end, index) => {
    const begin = points[index] ?? from
    return {
      from: begin,
      to: end,
      size: sizeIn(begin, end, { interval, sizes }),
      price: String(priceAt(prices, begin)),
    }
  })
}

/** What a CU-hour costs at `at`. */
export function priceAt({ periods }: Prices, at: Instant): Micros {
  const period = periods.findLast(({ from }) => from <= at) ?? periods[0]
  return period?.perCuHour ?? micros(0)
}

/** Between two sightings of different sizes either may hold; the later one holds from a start on that lies between them. */
function sizeIn(
  from: Instant,
  to: Instant,
  { interval, sizes }: { readonly interval: AwakeInterval; readonly sizes: readonly SizeSighting[] },
): Bounds<number> {
  const middle = (from + to) / 2
  const before = sizes.findLast(({ firstSeenAt }) => firstSeenAt <= middle)
  const next = sizes.find(({ firstSeenAt }) => firstSeenAt > middle)
  if (before && middle <= before.lastSeenAt) return { low: before.min, likely: before.min, high: before.max }
  const one = before ?? next
  const other = next ?? before
  if (!one || !other) return { low: 0, likely: 0, high: 0 }
  const changedByStart = before !== undefined && interval.from.likely > before.lastSeenAt
  return {
    low: Math.min(one.min, other.min),
    likely: changedByStart ? other.min : one.min,
    high: Math.max(one.max, other.max),
  }
}
