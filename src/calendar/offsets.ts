// The offsets of one zone from UTC, found through Intl a stretch at a time and kept: Intl takes microseconds for each answer.
import { instant, type Instant } from '../model/units.ts'
import { DAY_MS } from './local-time.ts'

/** From `from` until the next one, the wall clock is `offset` milliseconds ahead of UTC. */
export type OffsetSpan = { readonly from: Instant; readonly offset: number }

export type UtcOffsets = {
  readonly at: (at: Instant) => number
  /** Those that touch `[from, to]`, ascending; never empty. The first begins at or before `from`. */
  readonly between: (from: Instant, to: Instant) => readonly OffsetSpan[]
}

/** The shortest time that any zone ever kept an offset is 3.98 days (Freetown, 1939). Doubled, it would be stepped over. */
const STEP = 2 * DAY_MS
/** One look-up in a new stretch asks Intl 32 times, about 0.2 ms. Doubled, the first look-up takes twice as long. */
const CHUNK = 32 * STEP

/** Of UTC from itself: without Intl, whose formats take longer to make than a fold of a sweep takes. */
export const UTC_OFFSETS: UtcOffsets = { at: () => 0, between: (from) => [{ from, offset: 0 }] }

export function createUtcOffsets(zone: string): UtcOffsets {
  const offsetOf = createAsking(zone)
  const chunks = new Map<number, readonly OffsetSpan[]>()
  const chunk = (index: number): readonly OffsetSpan[] => {
    const known = chunks.get(index)
    if (known) return known
    const found = explore(instant(index * CHUNK), instant((index + 1) * CHUNK), offsetOf)
    chunks.set(index, found)
    return found
  }
  return {
    at: (at) => chunk(Math.floor(at / CHUNK)).findLast(({ from }) => from <= at)?.offset ?? offsetOf(at),
    between(from, to) {
      const found: OffsetSpan[] = []
      for (let index = Math.floor(from / CHUNK); index <= Math.floor(to / CHUNK); index += 1)
        for (const stretch of chunk(index)) {
          if (stretch.from > to) break
          if (stretch.from <= from) found.length = 0
          if (found.at(-1)?.offset !== stretch.offset) found.push(stretch)
        }
      return found
    },
  }
}

/** The stretches of `[from, to)`; the first begins at `from`, whatever was before. */
function explore(from: Instant, to: Instant, offsetOf: (at: Instant) => number): readonly OffsetSpan[] {
  const found: OffsetSpan[] = [{ from, offset: offsetOf(from) }]
  let before = found[0]
  for (let next = from + STEP; before && next <= to; next += STEP) {
    const offset = offsetOf(instant(next))
    if (offset === before.offset) continue
    before = { from: firstWithout(before.offset, [next - STEP, next], offsetOf), offset }
    if (before.from < to) found.push(before)
  }
  return found
}

/** The first instant of `(early, late]` that has another offset; `early` still has it, `late` no more. */
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

/** Offsets by what Intl says that the clock shows, to the second: some zones had offsets with seconds. */
function createAsking(timeZone: string): (at: Instant) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const shown = (part: Intl.DateTimeFormatPartTypes): number => parts.get(part) ?? 0
    const wall = Date.UTC(
      shown('year'),
      shown('month') - 1,
      shown('day'),
      shown('hour'),
      shown('minute'),
      shown('second'),
    )
    return wall - Math.floor(at / 1000) * 1000
  }
}
