// Offsets of one zone from UTC, read through Intl in chunks of 64 days and cached: Intl takes microseconds for each instant.
import { DAY, instant, type Instant } from '../model/units.ts'

/** From `from` until the next span, the wall clock is `offset` milliseconds ahead of UTC. */
export type OffsetSpan = { readonly from: Instant; readonly offset: number }

export type UtcOffsets = {
  readonly at: (at: Instant) => number
  /** Spans that touch `[from, to]`, ascending, never empty; the first begins at or before `from`. */
  readonly between: (from: Instant, to: Instant) => readonly OffsetSpan[]
}

/** Step of the search, two days: the shortest time that any zone ever kept an offset is 3.98 days (Freetown, 1939). */
const STEP = 2 * DAY
/** Length of a chunk, 64 days: reading it asks Intl 32 times, about 0.2 ms. */
const CHUNK = 32 * STEP

/** UTC has offset 0. It does without Intl, whose formats take longer to make than applying a sweep takes. */
export const UTC_OFFSETS: UtcOffsets = { at: () => 0, between: (from) => [{ from, offset: 0 }] }

export function createUtcOffsets(zone: string): UtcOffsets {
  const offsetOf = createOffsetReader(zone)
  const chunks = new Map<number, readonly OffsetSpan[]>()
  const chunk = (index: number): readonly OffsetSpan[] => {
    const cached = chunks.get(index)
    if (cached) return cached
    const spans = findSpans(instant(index * CHUNK), instant((index + 1) * CHUNK), offsetOf)
    chunks.set(index, spans)
    return spans
  }
  return {
    at: (at) => chunk(Math.floor(at / CHUNK)).findLast(({ from }) => from <= at)?.offset ?? offsetOf(at),
    between(from, to) {
      const spans: OffsetSpan[] = []
      for (let index = Math.floor(from / CHUNK); index <= Math.floor(to / CHUNK); index += 1)
        for (const span of chunk(index)) {
          if (span.from > to) break
          if (span.from <= from) spans.length = 0
          if (spans.at(-1)?.offset !== span.offset) spans.push(span)
        }
      return spans
    },
  }
}

/** Spans of `[from, to)`; the first begins at `from`, whatever was before. */
function findSpans(from: Instant, to: Instant, offsetOf: (at: Instant) => number): readonly OffsetSpan[] {
  const spans: OffsetSpan[] = [{ from, offset: offsetOf(from) }]
  let before = spans[0]
  for (let next = from + STEP; before && next <= to; next += STEP) {
    const offset = offsetOf(instant(next))
    if (offset === before.offset) continue
    before = { from: firstWithout(before.offset, [next - STEP, next], offsetOf), offset }
    if (before.from < to) spans.push(before)
  }
  return spans
}

/** The first instant of `(early, late]` with another offset, by bisection: `early` has `offset`, `late` has another. */
function firstWithout(
  offset: number,
  [early, late]: readonly [number, number],
  offsetOf: (at: Instant) => number,
): Instant {
  if (late - early <= 1) return instant(late)
  const middle = Math.floor((early + late) / 2)
  const half = offsetOf(instant(middle)) === offset ? ([middle, late] as const) : ([early, middle] as const)
  return firstWithout(offset, half, offsetOf)
}

/** Reads the offset at an instant from the local time that Intl shows, to the second: some zones had offsets with seconds. */
function createOffsetReader(timeZone: string): (at: Instant) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    ...Object.fromEntries(WALL_FIELDS.map((field) => [field, 'numeric'])),
  })
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const [year = 0, month = 0, ...rest] = WALL_FIELDS.map((field) => parts.get(field) ?? 0)
    return Date.UTC(year, month - 1, ...rest) - Math.floor(at / 1000) * 1000
  }
}

const WALL_FIELDS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
