// Instants and what the clocks of a place show: the only translation between the two.
import { failed, ok, type Result } from '../std/result.ts'
import { instant, type Instant } from '../model/units.ts'
import { createUtcOffsets, UTC_OFFSETS, type UtcOffsets } from './offsets.ts'
import {
  DAY_MS,
  dateText,
  dayNumberOf,
  addDays,
  localDateTime,
  localDateTimeOf,
  type DayNumber,
  type LocalDateTime,
} from './local-time.ts'
import { resolveZoneName } from './zone-name.ts'

/** A calendar day as an interval of instants `[from, to)`; its length may be anything but the empty one. */
export type CalendarDay = {
  /** `2026-11-20`. */
  readonly date: string
  readonly number: DayNumber
  readonly from: Instant
  readonly to: Instant
}

/** A value to be passed around: it keeps what it learned of its zone. */
export type Zone = {
  readonly name: string
  readonly wallAt: (at: Instant) => LocalDateTime
  /** Every instant at which the clock shows `wall`, ascending: one, none inside a spring gap, two when clocks go back. */
  readonly instantsAt: (wall: LocalDateTime) => readonly Instant[]
  /** When something begins that begins at `wall`: the first pass; inside a gap the first instant after it. */
  readonly beginAt: (wall: LocalDateTime) => Instant
  /** When something ends that ends at `wall`: the second pass; inside a gap the first instant after it. */
  readonly endAt: (wall: LocalDateTime) => Instant
  /**
   * The day that `at` is in. Days tile time: each begins at the first instant whose clock shows its date or a later one.
   * A day without a midnight begins when the clock jumps over it, a midnight shown twice counts once, the first time,
   * and a day that a place left out (Apia, 2011-12-30) has no instant.
   */
  readonly dayOf: (at: Instant) => CalendarDay
}

/** @returns what is wrong with `name`, and which names were probably meant */
export function createZone(name: string): Result<Zone, string> {
  const checked = resolveZoneName(name)
  return checked.ok ? ok(zoneOf(checked.value)) : failed(checked.error)
}

/** Needs no checking and is what everything is in until told otherwise. */
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
      // what is counted by day asks for instants of the same day again and again
      if (!last || at < last.from || at >= last.to) last = dayAround(at, dayNumberOf(wallAt(at)), beginAt)
      return last
    },
  }
}

function dayAround(at: Instant, shown: DayNumber, beginAt: (wall: LocalDateTime) => Instant): CalendarDay {
  let day = shown
  let to = beginAt(localDateTimeOf(addDays(day, 1)))
  // clocks that go back over midnight show the day before once more, when this one has begun
  while (to <= at) {
    day = addDays(day, 1)
    to = beginAt(localDateTimeOf(addDays(day, 1)))
  }
  return { date: dateText(day), number: day, from: beginAt(localDateTimeOf(day)), to }
}

/** More than any offset ever was (15 h 14 min): what a wall clock shows is no further from UTC. */
const REACH = DAY_MS

const around = (offsets: UtcOffsets, at: LocalDateTime) =>
  offsets.between(instant(at - REACH), instant(at + REACH))

function instantsAt(offsets: UtcOffsets, at: LocalDateTime): readonly Instant[] {
  const stretches = around(offsets, at)
  return stretches.flatMap(({ from, offset }, index) => {
    const candidate = instant(at - offset)
    const until = stretches[index + 1]?.from ?? Infinity
    return candidate >= from && candidate < until ? [candidate] : []
  })
}

/** The clock never shows `at`: the instant at which it jumps over it. */
function afterGap(offsets: UtcOffsets, at: LocalDateTime): Instant {
  const jump = around(offsets, at).find(({ from, offset }) => from + offset > at)
  if (!jump) throw new Error(`the clock neither shows ${at} nor jumps over it`)
  return jump.from
}
