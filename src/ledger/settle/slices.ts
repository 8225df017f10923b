// Cuts awake time into slices in which one size and one price hold.
import type { ComputeRef } from '../../model/service/compute.ts'
import type { AwakeInterval, Evidence } from '../../model/ledger/evidence.ts'
import type { Prices } from '../../model/ledger/price.ts'
import type { AwakeSlice, Span } from '../../model/ledger/slice.ts'
import { instant, latest, micros, type Instant, type Micros } from '../../model/units.ts'
import { deriveContinuity } from '../evidence/continuity.ts'
import type { Timeline } from '../evidence/intervals.ts'
import { sizeChangePoints, sizeIn, type MeteredSizes, type SizeFacts } from './sizing.ts'
import { intersectSpans, spanLength } from '../interval-math.ts'

export type SliceContext = {
  readonly ref: ComputeRef
  readonly evidence: Evidence
  readonly prices: Prices
  readonly counted: MeteredSizes
  /** Ends an interval that is still open. */
  readonly now: Instant
}

/** Slices of all of `history` that lies inside `within`, those of intervals first. */
export function cutSlices(history: Timeline, within: Span, context: SliceContext): readonly AwakeSlice[] {
  const { intervals, sure, doubts } = history
  const { undisturbed } = deriveContinuity(context.evidence)
  const facts = { evidence: context.evidence, counted: context.counted, sure, quiet: undisturbed }
  const awake = intervals.flatMap((interval) => {
    const { low, likely, high } = spanBounds(interval, context.now)
    const time = {
      sure: sure.map((span) => intersectSpans(span, low)).filter((span) => spanLength(span) > 0),
      likely,
      high: intersectSpans(high, within),
      assumed: interval.from.source === 'assumed' || interval.to?.source === 'assumed',
    }
    return cut(time, { ...facts, interval }, context)
  })
  const doubtful = doubts.flatMap((doubt) => {
    const high = intersectSpans(doubt, within)
    const nothing: Span = [high[0], high[0]]
    return cut({ sure: [], likely: nothing, high, assumed: true }, { ...facts, interval: undefined }, context)
  })
  return [...awake, ...doubtful]
}

/** The shortest, the likely and the longest time the interval may cover; never negative. Inside the shortest it may have slept where that is not sure. */
export function spanBounds(
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

type Time = {
  readonly sure: readonly Span[]
  readonly likely: Span
  readonly high: Span
  readonly assumed: boolean
}

function cut({ sure, likely, high, assumed }: Time, facts: SizeFacts, context: SliceContext): AwakeSlice[] {
  const [from, to] = high
  const cuts = [
    ...sizeChangePoints(facts),
    ...context.prices.periods.map((period) => period.from),
    ...gapsOf(sure),
  ]
    .map((at) => instant(Math.round(at)))
    .filter((at) => at > from && at < to)
  const points = [from, ...new Set(cuts.toSorted((a, b) => a - b)), to]
  const pieces = points.slice(1).map((end, index): Span => [points[index] ?? from, end])
  const slices = pieces
    .filter((piece) => spanLength(piece) > 0)
    .map((piece): AwakeSlice => ({
      ref: context.ref,
      low: intersectSpans(
        sure.find((span) => spanLength(intersectSpans(span, piece)) > 0) ?? [piece[0], piece[0]],
        piece,
      ),
      likely: intersectSpans(likely, piece),
      high: piece,
      ...sizeIn(piece, facts),
      price: String(priceAt(context.prices, piece[0])),
      assumed,
    }))
  return slices.reduce<AwakeSlice[]>(joined, [])
}

/** Between two sure spans one slice ends, so that each has at most one of them. */
const gapsOf = (sure: readonly Span[]): readonly Instant[] => sure.slice(1).map(([from]) => from)

/** A cut that changed nothing is none. */
function joined(done: AwakeSlice[], next: AwakeSlice): AwakeSlice[] {
  const last = done.at(-1)
  if (!last || last.price !== next.price || textOf(last) !== textOf(next)) return [...done, next]
  const join = (pick: 'low' | 'likely' | 'high'): Span | undefined => {
    if (spanLength(next[pick]) === 0) return last[pick]
    if (spanLength(last[pick]) === 0) return next[pick]
    return last[pick][1] === next[pick][0] ? [last[pick][0], next[pick][1]] : undefined
  }
  const [low, likely, high] = [join('low'), join('likely'), join('high')]
  if (!low || !likely || !high) return [...done, next]
  return [...done.slice(0, -1), { ...last, low, likely, high }]
}

const textOf = ({ size: { low, likely, high }, moves }: AwakeSlice): string =>
  `${low} ${likely} ${high} ${moves}`

/** What a CU-hour costs at `at`. */
export function priceAt({ periods }: Prices, at: Instant): Micros {
  const period = periods.findLast(({ from }) => from <= at) ?? periods[0]
  return period?.perCuHour ?? micros(0)
}
