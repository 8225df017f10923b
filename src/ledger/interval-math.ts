// Arithmetic of intervals `[from, to)`.
import type { Span } from '../model/ledger/slice.ts'
import { instant, type Instant } from '../model/units.ts'

/** The common part. Where there is none, an empty interval at an instant inside `within`. */
export function intersectSpans([from, to]: Span, within: Span): Span {
  const begin = inside(from, within)
  return [begin, instant(Math.max(begin, inside(to, within)))]
}

const inside = (at: Instant, [from, to]: Span): Instant =>
  instant(Math.min(Math.max(at, from), Math.max(from, to)))

export const spanLength = ([from, to]: Span): number => Math.max(0, to - from)

/** Union, in ascending order without overlaps. */
export function unionSpans(spans: readonly Span[]): readonly Span[] {
  const union: Span[] = []
  for (const [from, to] of spans.filter((span) => spanLength(span) > 0).toSorted((a, b) => a[0] - b[0])) {
    const last = union.at(-1)
    if (last && from <= last[1]) union[union.length - 1] = [last[0], instant(Math.max(last[1], to))]
    else union.push([from, to])
  }
  return union
}
