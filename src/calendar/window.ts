// A window: a union of rules, resolved level-triggered. What holds depends on the instant alone, so a missed tick loses nothing.
import type { Interval } from '../model/time.ts'
import { instant, latest, type Instant } from '../model/units.ts'
import { occurrencesOf, type Occurrence, type Recurrence } from './recurrence.ts'
import { DAY_MS } from './local-time.ts'

export type Window = {
  /**
   * The interval that `now` is in; undefined when the window is shut. Rules that overlap or touch make one interval; one that
   * goes on for more than a year is known that far.
   */
  readonly at: (now: Instant) => Interval | undefined
  /** The first interval that begins after `now`; undefined when none does within nine years. */
  readonly next: (now: Instant) => Interval | undefined
  /** The last interval that began at or before `now`; undefined when none did within nine years. */
  readonly previous: (now: Instant) => Interval | undefined
  /** Whole, in order, apart from each other: all that touch `[from, to)`. */
  readonly between: (from: Instant, to: Instant) => readonly Interval[]
  /** What does not occur in `[from, to)`, because the clocks skip the hour that it lies in. */
  readonly skippedBetween: (from: Instant, to: Instant) => readonly Occurrence[]
}

/** How far an interval is followed. The year is for patterns with hardly a gap; doubled, one that has none takes 10 ms a day. */
export const SEARCH_HORIZON = 366 * DAY_MS
const REACHES = [8 * DAY_MS, 32 * DAY_MS, SEARCH_HORIZON]
/** 29 February is eight years off around 2100. Doubled, it takes twice as long to see that a window is over for good: milliseconds. */
const HORIZON = 9 * 366 * DAY_MS

export function createWindow(rules: readonly Recurrence[]): Window {
  const raw = (from: number, to: number): readonly Occurrence[] =>
    rules.flatMap((rule) => occurrencesOf(rule, { from: instant(from), to: instant(to) }))
  const between = (from: number, to: number): readonly Interval[] => merged(raw(from, to))
  const at = createLook(between)
  return {
    at,
    next(now) {
      const start = at(now)?.to ?? instant(now + 1)
      for (const [near, far] of stretches()) {
        const found = between(start + near, start + far).find(({ from }) => from >= start)
        if (found) return { from: found.from, to: look(between, found.from).open?.to ?? found.to }
      }
      return undefined
    },
    previous(now) {
      const current = at(now)
      if (current) return current
      for (const [near, far] of stretches()) {
        const found = between(now - far, now - near).findLast(({ from }) => from <= now)
        if (found) return look(between, found.from).open
      }
      return undefined
    },
    between,
    skippedBetween: (from, to) =>
      raw(from, to).filter((one) => !occurs(one) && one.from >= from && one.from < to),
  }
}

/** What is known of the time around an instant: the interval that is open then, or that none is. */
type Look = Interval & { readonly at: Instant; readonly open: Interval | undefined }

/** Keeps what it saw last: a window is asked about the same stretch of time once per compute and pass. */
function createLook(between: (from: number, to: number) => readonly Interval[]) {
  let last: Look | undefined
  return (now: Instant): Interval | undefined => {
    // an open interval is looked at again each day, because a year from then may have become known
    if (!last || now < last.from || now >= last.to || Math.abs(now - last.at) > DAY_MS)
      last = look(between, now)
    return last.open
  }
}

function look(between: (from: number, to: number) => readonly Interval[], now: Instant): Look {
  let found: Look = { from: now, to: now, at: now, open: undefined }
  for (const reach of REACHES) {
    const [from, to] = [instant(now - reach), instant(now + reach)]
    const intervals = between(from, to)
    const open = intervals.find((one) => one.from <= now && now < one.to)
    if (!open) {
      const before = intervals.findLast((one) => one.to <= now)?.to ?? from
      return { from: before, to: intervals.find((one) => one.from > now)?.from ?? to, at: now, open }
    }
    found = { ...open, at: now, open }
    if (open.from > from && open.to < to) break
  }
  return found
}

/** `[0, 8 days]`, `[8, 16]`, `[16, 32]` … up to the horizon: what is near is found without looking far. */
function* stretches(): Generator<readonly [near: number, far: number]> {
  let [near, far] = [0, 8 * DAY_MS]
  while (near < HORIZON) {
    yield [near, far]
    ;[near, far] = [far, far * 2]
  }
}

const occurs = ({ from, to }: Interval): boolean => from < to

function merged(occurrences: readonly Occurrence[]): readonly Interval[] {
  const found: Interval[] = []
  for (const { from, to } of occurrences.filter(occurs).toSorted((a, b) => a.from - b.from)) {
    const last = found.at(-1)
    if (last && from <= last.to) found[found.length - 1] = { from: last.from, to: latest(last.to, to) }
    else found.push({ from, to })
  }
  return found
}
