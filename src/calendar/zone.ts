// Zones: the only translation between instants and local time. Offsets are read through Intl, which takes microseconds for each instant, in
// cached chunks of 64 days.
import { ok, type Result } from '../std/result.ts'
import { DAY, instant, type Instant, type Interval } from '../model/units.ts'
import type { DayNumber, LocalDateTime } from './local-time.ts'
import { dateText, dayNumberOf, addDays, localDateTime, localDateTimeOf } from './local-time.ts'
import { resolveZoneName, UTC } from './zone-name.ts'

/** Not always 24 h long, never empty. */
export type CalendarDay = Interval & {
  /** `2026-11-20`. */
  readonly date: string
  readonly number: DayNumber
}

/** Caches the offsets it has read: created once and passed around. */
export type Zone = Readonly<{
  name: string
  wallAt: (at: Instant) => LocalDateTime
  /** Instants at which the clock shows `wall`, ascending: one, none in a spring gap, two when clocks go back. */
  instantsAt: (wall: LocalDateTime) => readonly Instant[]
  /** The first of two instants; in a spring gap the first instant after it. */
  beginAt: (wall: LocalDateTime) => Instant
  /** The second of two instants; in a spring gap the first instant after it. */
  endAt: (wall: LocalDateTime) => Instant
  /**
   * Days tile time: each begins at the first instant whose clock shows its date or a later one. So a day without a midnight begins when the
   * clock jumps over it, a midnight shown twice counts the first time, and a skipped day (Apia, 2011-12-30) has no instant.
   */
  dayOf: (at: Instant) => CalendarDay
}>

/** @returns the zone, or what is wrong with `name` and which names were probably meant */
export function createZone(name: string): Result<Zone, string> {
  const checked = resolveZoneName(name)
  if (!checked.ok) return checked
  return ok(checked.value === UTC ? createUtc() : zoneOf(checked.value))
}

/** Without Intl, whose first use takes 20 ms: a daemon in UTC does without it. */
export const createUtc = (): Zone => zoneOf(UTC, UTC_OFFSETS)

function zoneOf(name: string, offsets = createUtcOffsets(name)): Zone {
  const wallAt = (at: Instant): LocalDateTime => localDateTime(at + offsets.at(at))
  const beginAt = (at: LocalDateTime): Instant => instantsAt(offsets, at)[0] ?? afterGap(offsets, at)
  let last: CalendarDay | undefined
  return {
    name,
    wallAt,
    instantsAt: (at) => instantsAt(offsets, at),
    beginAt,
    endAt: (at) => instantsAt(offsets, at).at(-1) ?? afterGap(offsets, at),
    dayOf(at) {
      // sums by day ask for instants of the same day repeatedly
      if (!last || at < last.from || at >= last.to) last = dayAround(at, dayNumberOf(wallAt(at)), beginAt)
      return last
    },
  }
}

function dayAround(at: Instant, displayed: DayNumber, beginAt: (wall: LocalDateTime) => Instant) {
  let day = displayed
  let to = beginAt(localDateTimeOf(addDays(day, 1)))
  // a clock that goes back over midnight shows the previous day once more
  while (to <= at) {
    day = addDays(day, 1)
    to = beginAt(localDateTimeOf(addDays(day, 1)))
  }
  return { date: dateText(day), number: day, from: beginAt(localDateTimeOf(day)), to }
}

/** In which the instants of a local time lie: more than any offset ever was (15 h 14 min). */
const MAX_OFFSET = DAY

const around = (offsets: UtcOffsets, at: LocalDateTime) =>
  offsets.between(instant(at - MAX_OFFSET), instant(at + MAX_OFFSET))

function instantsAt(offsets: UtcOffsets, at: LocalDateTime) {
  const spans = around(offsets, at)
  return spans.flatMap(({ from, offset }, index) => {
    const candidate = instant(at - offset)
    const until = spans[index + 1]?.from ?? Infinity
    return candidate >= from && candidate < until ? [candidate] : []
  })
}

/** When the clock jumps over `at`, which it never shows. */
function afterGap(offsets: UtcOffsets, at: LocalDateTime) {
  const jump = around(offsets, at).find(({ from, offset }) => from + offset > at)
  if (!jump) throw new Error(`the clock neither shows ${at} nor jumps over it`)
  return jump.from
}

/** Until the next span the wall clock is `offset` ms ahead of UTC. */
type OffsetSpan = Readonly<{ from: Instant; offset: number }>

type UtcOffsets = Readonly<{
  at: (at: Instant) => number
  /** Spans that touch `[from, to]`, ascending, never empty; the first begins at or before `from`. */
  between: (from: Instant, to: Instant) => readonly OffsetSpan[]
}>

/** Step of the search, two days: no zone ever kept an offset for less than 3.98 days (Freetown, 1939). */
const STEP = 2 * DAY
/** 64 days: reading a chunk asks Intl 32 times, about 0.2 ms. */
const CHUNK = 32 * STEP

/** Without Intl, whose formats take longer to make than applying a sweep takes. */
const UTC_OFFSETS: UtcOffsets = { at: () => 0, between: (from) => [{ from, offset: 0 }] }

function createUtcOffsets(zone: string): UtcOffsets {
  const offsetOf = createOffsetReader(zone)
  const chunks = new Map<number, readonly OffsetSpan[]>()
  const chunk = (index: number) => {
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

/** Spans of one offset in `[from, to)`; the first begins at `from`, whatever was before. */
function findSpans(from: Instant, to: Instant, offsetOf: (at: Instant) => number) {
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

/** The first instant of `(early, late]` with another offset, by bisection: `early` has `offset`, `late` has not. */
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

/** From the local time that Intl shows, to the second: some zones had offsets with seconds. */
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
