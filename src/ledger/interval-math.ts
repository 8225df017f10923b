// Arithmetic of spans of time, `[from, to)` each.
import type { Span } from '../model/ledger/slice.ts'
import { instant, type Instant } from '../model/units.ts'

/** What both have; empty where they do not meet: then it begins and ends at the same instant inside `within`. */
export function intersectSpans([from, to]: Span, within: Span): Span {
  const begin = inside(from, within)
  return [begin, instant(Math.max(begin, inside(to, within)))]
}

const inside = (at: Instant, [from, to]: Span): Instant =>
  instant(Math.min(Math.max(at, from), Math.max(from, to)))

export const spanLength = ([from, to]: Span): number => Math.max(0, to - from)

/** The same time in ascending spans that do not meet. */
export function unionSpans(spans: readonly Span[]): readonly Span[] {
  const done: Span[] = []
  for (const [from, to] of spans.filter((span) => spanLength(span) > 0).toSorted((a, b) => a[0] - b[0])) {
    const last = done.at(-1)
    if (last && from <= last[1]) done[done.length - 1] = [last[0], instant(Math.max(last[1], to))]
    else done.push([from, to])
  }
  return done
}
