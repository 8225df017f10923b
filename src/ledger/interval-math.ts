// Arithmetic of intervals `[from, to)`.
import { instant, latest, type Instant, type Interval } from '../model/units.ts'

export const emptyAt = (at: Instant): Interval => ({ from: at, to: at })

/** Milliseconds. */
export const duration = ({ from, to }: Interval): number => Math.max(0, to - from)

/** Whether all of `inner` lies in `outer`. An empty interval may lie on the edge. */
export const contains = (outer: Interval, inner: Interval): boolean =>
  outer.from <= inner.from && inner.to <= outer.to

/** Whether the two have time in common. */
export const overlaps = (a: Interval, b: Interval): boolean => a.from < b.to && b.from < a.to

/** The common part. Where there is none, an empty interval at an instant inside `within`. */
export function intersect({ from, to }: Interval, within: Interval): Interval {
  const begin = clamp(from, within)
  return { from: begin, to: latest(begin, clamp(to, within)) }
}

const clamp = (at: Instant, { from, to }: Interval) =>
  instant(Math.min(Math.max(at, from), Math.max(from, to)))

/** Milliseconds in common. */
export const overlap = (a: Interval, b: Interval): number =>
  Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from))
