// Of the time between what was seen: where a compute was surely awake, and where it may have been though nothing shows it.
import type { AwakeInterval } from '../../model/ledger/evidence.ts'
import type { Span } from '../../model/ledger/slice.ts'
import { earliest, instant, latest, type Instant } from '../../model/units.ts'
import { excludesTransition, type Continuity, type UndisturbedSpan } from './continuity.ts'
import { intersectSpans, unionSpans } from '../interval-math.ts'

/** The compute was in one state at some instant in `[from, to]`. */
export type StateSample = {
  readonly from: Instant
  readonly to: Instant
  /** It started then or was active: what its delay counts from. */
  readonly holds: boolean
  /** Since the point before, nobody was active until then. */
  readonly unusedUntil?: Instant | undefined
}

/**
 * Where a compute was surely awake in an interval: between two points that a closed span holds both, and from activity on as
 * long as the delay holds it, where nobody intervened. Anywhere else a short sleep may hide.
 */
export function certainlyAwake(
  interval: AwakeInterval,
  points: readonly StateSample[],
  { noTransition, undisturbed }: Continuity,
): readonly Span[] {
  const between = noTransition.flatMap((span): Span[] => {
    const held = points.filter((point) => meets(point, span))
    const [first, last] = [held[0], held.at(-1)]
    return first && last ? [[first.to, last.from]] : []
  })
  const held = undisturbed.flatMap((span) => heldIn(span, points, interval.to?.latest))
  const within: Span = [interval.from.latest, interval.to?.earliest ?? interval.knownUntil]
  return unionSpans([...between, ...held].map((span) => intersectSpans(span, within)))
}

const meets = ({ from, to }: StateSample, span: Span): boolean => to >= span[0] && from <= span[1]

/** What the delay makes sure of inside a quiet span: forward from activity and from the start, backward from the end. */
function heldIn(
  { span, holds }: UndisturbedSpan,
  points: readonly StateSample[],
  endsBy: Instant | undefined,
): readonly Span[] {
  const first = points.find((point) => meets(point, span))
  if (!first) return []
  const reach = holds === 'never' ? Number.POSITIVE_INFINITY : holds * 1000
  const forward = points
    .filter((point) => point.holds)
    // Who intervened before the span and left it awake at `first` started it later than this, so it is held for longer.
    .map(({ from, to }): Span => [
      to >= span[0] ? to : latest(to, first.to),
      earliest(instant(from + reach), span[1]),
    ])
  if (endsBy === undefined || holds === 'never' || endsBy > span[1]) return forward
  return [...forward, [latest(span[0], instant(endsBy - reach)), endsBy]]
}

/** Where a sleeping compute may have been awake: between two points that no fact closes, and since the last one. */
export function possiblyAwake(
  points: readonly StateSample[],
  continuity: Continuity,
  until: Instant | undefined,
): readonly Span[] {
  const between = points.slice(1).flatMap((point, index): Span[] => {
    const before = asleepUntil(points[index] ?? point, point, continuity)
    const longest = point.to - before.from
    return excludesTransition(continuity, [before.to, point.from], longest) ? [] : [[before.from, point.to]]
  })
  const last = points.at(-1)
  return last && until !== undefined ? [...between, [last.from, until]] : between
}

/** `point`, or the later instant until which nobody used the compute and nobody intervened, so that nothing woke it. */
function asleepUntil(point: StateSample, next: StateSample, { undisturbed }: Continuity): StateSample {
  const until = earliest(next.unusedUntil ?? point.to, next.from)
  const isLeft = undisturbed.some(({ span: [from, to] }) => from <= point.to && until <= to)
  return until > point.to && isLeft ? { from: until, to: until, holds: false } : point
}
