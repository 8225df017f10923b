// The parts of a stretch of time in which something counts: inside a window, or outside one.
import type { Interval } from '../model/time.ts'
import { earliest, latest, type Instant } from '../model/units.ts'
import type { Window } from './window.ts'

/** In order, apart from each other, cut to `[from, to)`. */
export function partsInside(window: Window, from: Instant, to: Instant): readonly Interval[] {
  return window
    .between(from, to)
    .map((open) => ({ from: latest(open.from, from), to: earliest(open.to, to) }))
}

/** What `inside` leaves. */
export function partsOutside(window: Window, from: Instant, to: Instant): readonly Interval[] {
  const open = partsInside(window, from, to)
  const ends = [from, ...open.map((one) => one.to)]
  const begins = [...open.map((one) => one.from), to]
  return ends.flatMap((end, index) => {
    const begin = begins[index] ?? to
    return end < begin ? [{ from: end, to: begin }] : []
  })
}
