// Zones: the only translation between instants and local time.
import { failed, ok, type Result } from '../std/result.ts'
import type { Interval } from '../model/time.ts'
import { DAY, instant, type Instant } from '../model/units.ts'
import { createUtcOffsets, UTC_OFFSETS, type UtcOffsets } from './offsets.ts'
import type { DayNumber, LocalDateTime } from './local-time.ts'
import { dateText, dayNumberOf, addDays, localDateTime, localDateTimeOf } from './local-time.ts'
import { resolveZoneName } from './zone-name.ts'

/** A calendar day as an interval of instants `[from, to)`; not always 24 h long, never empty. */
export type CalendarDay = Interval & {
  /** `2026-11-20`. */
  readonly date: string
  readonly number: DayNumber
}

/** A zone. It caches the offsets it has read, so it is created once and passed around. */
export type Zone = {
  readonly name: string
  readonly wallAt: (at: Instant) => LocalDateTime
  /** Every instant at which the clock shows `wall`, ascending: one, none inside a spring gap, two when clocks go back. */
  readonly instantsAt: (wall: LocalDateTime) => readonly Instant[]
  /** Start of what begins at `wall`: the first of two instants; inside a spring gap the first instant after it. */
  readonly beginAt: (wall: LocalDateTime) => Instant
  /** End of what ends at `wall`: the second of two instants; inside a spring gap the first instant after it. */
  readonly endAt: (wall: LocalDateTime) => Instant
  /**
   * The day that `at` is in. Days tile time: each begins at the first instant whose clock shows its date or a later one. Hence a day without
   * a midnight begins when the clock jumps over it, a midnight shown twice counts the first time, and a skipped day (Apia, 2011-12-30) has
   * no instant.
   */
  readonly dayOf: (at: Instant) => CalendarDay
}

/** @returns the zone, or what is wrong with `name` and which names were probably meant */
export function createZone(name: string): Result<Zone, string> {
  const checked = resolveZoneName(name)
  return checked.ok ? ok(zoneOf(checked.value)) : failed(checked.error)
}

/** UTC, the default zone. */
export const createUtc = (): Zone => zoneOf('UTC', UTC_OFFSETS)

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
      // sums by day ask for instants of the same day again and again
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

/** Milliseconds around a local time in which its instants lie: more than any offset ever was (15 h 14 min). */
const MAX_OFFSET = DAY

const around = (offsets: UtcOffsets, at: LocalDateTime) =>
  offsets.between(instant(at - MAX_OFFSET), instant(at + MAX_OFFSET))

function instantsAt(offsets: UtcOffsets, at: LocalDateTime): readonly Instant[] {
  const spans = around(offsets, at)
  return spans.flatMap(({ from, offset }, index) => {
    const candidate = instant(at - offset)
    const until = spans[index + 1]?.from ?? Infinity
    return candidate >= from && candidate < until ? [candidate] : []
  })
}

/** Instant at which the clock jumps over `at`, which it never shows. */
function afterGap(offsets: UtcOffsets, at: LocalDateTime): Instant {
  const jump = around(offsets, at).find(({ from, offset }) => from + offset > at)
  if (!jump) throw new Error(`the clock neither shows ${at} nor jumps over it`)
  return jump.from
}
