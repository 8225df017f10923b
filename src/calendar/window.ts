// Windows: unions of recurrences. Whether one is open depends on the instant alone, so a missed tick loses nothing.
import { union } from '../model/time.ts'
import { DAY, earliest, instant, latest, type Instant, type Millis, type Interval } from '../model/units.ts'
import type { Cron } from './cron.ts'
import type { DayNumber, LocalDateTime } from './local-time.ts'
import { addDays, dayNumberOf, localDateTimeOf, weekdayOf } from './local-time.ts'
import type { WeeklyOpening } from './window-text.ts'
import type { Zone } from './zone.ts'

type Repeated = Readonly<{
  /** On which no occurrence begins. */
  except: DateSet
  zone: Zone
}>

export type DateSet = ReadonlySet<DayNumber>
type Weekly = Repeated & WeeklyOpening & { readonly kind: 'weekly' }
type ByCron = Repeated & Readonly<{ kind: 'cron'; cron: Cron; duration: Millis }>

export type Recurrence = Weekly | ByCron | ({ readonly kind: 'once' } & Interval)

export type Window = Readonly<{
  /** The interval around `now`, followed for a year at most. Occurrences that overlap or touch make one. */
  at: (now: Instant) => Interval | undefined
  /** The first interval that begins after `now`, within eleven years. */
  next: (now: Instant) => Interval | undefined
  /** The last interval that began at or before `now`, within eleven years. */
  previous: (now: Instant) => Interval | undefined
  /** All intervals that touch `[from, to)`, whole and ascending, neither overlapping nor touching each other. */
  between: (from: Instant, to: Instant) => readonly Interval[]
}>

/** How far an open interval is followed to each side: a recurrence may repeat for long with hardly a gap. */
export const SEARCH_HORIZON = 366 * DAY
const REACHES = [8 * DAY, 32 * DAY, SEARCH_HORIZON]
/** Ranges `[near, far)` from now, searched in order: near ones are fast, the last reaches eleven years (29 February: eight). */
const SEARCH_RANGES = [0, 8, 16, 32, 64, 128, 256, 512, 1024, 2048].map(
  (days) => [days * DAY, Math.max(8, days * 2) * DAY] as const,
)

export function createWindow(rules: readonly Recurrence[]): Window {
  const between = (from: number, to: number) =>
    union(rules.flatMap((rule) => occurrencesOf(rule, { from: instant(from), to: instant(to) })))
  const at = createLookup(between)
  return {
    at,
    next: createNextLookup((now) => {
      const start = at(now)?.to ?? instant(now + 1)
      for (const [near, far] of SEARCH_RANGES) {
        const first = between(start + near, start + far).find(({ from }) => from >= start)
        if (first) return { from: first.from, to: lookAround(between, first.from).open?.to ?? first.to }
      }
      return undefined
    }),
    previous(now) {
      const current = at(now)
      if (current) return current
      for (const [near, far] of SEARCH_RANGES) {
        const last = between(now - far, now - near).findLast(({ from }) => from <= now)
        if (last) return lookAround(between, last.from).open
      }
      return undefined
    },
    between,
  }
}

/** Ends of an interval of `window`; undefined where the window goes on beyond what was searched. */
export const knownEnds = (
  { between }: Pick<Window, 'between'>,
  { from, to }: Interval,
): Readonly<Record<'from' | 'to', Instant | undefined>> => ({
  from: between(instant(from - 1), from).length === 0 ? from : undefined,
  to: between(to, instant(to + 1)).length === 0 ? to : undefined,
})

type IntervalsBetween = (from: number, to: number) => readonly Interval[]

/** The open interval, or the closed time, around an instant. */
type Surroundings = Interval & Readonly<{ at: Instant; open: Interval | undefined }>

/** Remembers the last result: each pass asks once per compute. */
function createLookup(between: IntervalsBetween) {
  let last: Surroundings | undefined
  return (now: Instant): Interval | undefined => {
    // a long interval is followed for a year from `last.at`: its end may be known a day later
    if (!last || now < last.from || now >= last.to || Math.abs(now - last.at) > DAY)
      last = lookAround(between, now)
    return last.open
  }
}

/** Remembers the last result: each look at a change that waits asks for each window, and nothing begins before that interval does. */
function createNextLookup(find: Window['next']): Window['next'] {
  let [askedAt, next]: [Instant, Interval | undefined] = [instant(0), undefined]
  return (now) => {
    if (!next || now < askedAt || now >= next.from) [askedAt, next] = [now, find(now)]
    return next
  }
}

function lookAround(between: IntervalsBetween, now: Instant) {
  let surroundings: Surroundings = { from: now, to: now, at: now, open: undefined }
  for (const reach of REACHES) {
    const [from, to] = [instant(now - reach), instant(now + reach)]
    const intervals = between(from, to)
    const open = intervals.find((interval) => interval.from <= now && now < interval.to)
    if (!open) {
      const closedSince = intervals.findLast((interval) => interval.to <= now)?.to ?? from
      const closedUntil = intervals.find((interval) => interval.from > now)?.from ?? to
      return { from: closedSince, to: closedUntil, at: now, open }
    }
    surroundings = { ...open, at: now, open }
    if (open.from > from && open.to < to) break
  }
  return surroundings
}

/** Parts of `[from, to)` in which the window is open, ascending and apart. */
export function partsInside(window: Window, from: Instant, to: Instant): readonly Interval[] {
  return window
    .between(from, to)
    .map((open) => ({ from: latest(open.from, from), to: earliest(open.to, to) }))
}

/** Parts of `[from, to)` in which the window is closed. */
export function partsOutside(window: Window, from: Instant, to: Instant): readonly Interval[] {
  const open = partsInside(window, from, to)
  const ends = [from, ...open.map((part) => part.to)]
  const begins = [...open.map((part) => part.from), to]
  return ends.flatMap((end, index) => {
    const begin = begins[index] ?? to
    return end < begin ? [{ from: end, to: begin }] : []
  })
}

/** Occurrences that touch `[from, to)`, ascending; not one whose ends lie in one hour that the clocks skip. */
function occurrencesOf(rule: Recurrence, span: Interval) {
  switch (rule.kind) {
    case 'weekly':
      return weekly(rule, span)
    case 'cron':
      return byCron(rule, span)
    case 'once':
      return touches(rule, span) ? [{ from: rule.from, to: rule.to }] : []
  }
}

const touches = ({ from, to }: Interval, span: Interval) => from < to && from < span.to && to > span.from

function weekly(rule: Weekly, span: Interval) {
  const { zone, except } = rule
  const overnight = rule.to > rule.from ? 0 : DAY
  const occurrences: Interval[] = []
  // what began the day before yesterday may end today if the clock went back over midnight
  let day = addDays(dayNumberOf(zone.wallAt(span.from)), -2)
  const last = addDays(dayNumberOf(zone.wallAt(span.to)), 1)
  for (; day <= last; day = addDays(day, 1)) {
    if (!rule.days.has(weekdayOf(day)) || except.has(day)) continue
    const from = zone.beginAt(localDateTimeOf(day, rule.from))
    const occurrence = { from, to: zone.endAt(localDateTimeOf(day, rule.to + overnight)) }
    if (touches(occurrence, span)) occurrences.push(occurrence)
  }
  return occurrences
}

function byCron({ cron, duration, zone, except }: ByCron, span: Interval) {
  const occurrences: Interval[] = []
  let time = cron.next(zone.wallAt(instant(span.from - duration)))
  while (time !== undefined) {
    const from = zone.beginAt(time)
    if (from >= span.to) break
    const occurrence = { from, to: instant(from + duration) }
    // in an hour that clocks show twice the search begins an hour early
    if (!except.has(dayNumberOf(time)) && touches(occurrence, span)) occurrences.push(occurrence)
    time = cron.next(time)
  }
  return occurrences
}

/** Between two local times of a zone. */
export const oneOffRecurrence = (
  zone: Zone,
  { from, to }: Record<'from' | 'to', LocalDateTime>,
): Recurrence & Interval => ({ kind: 'once', from: zone.beginAt(from), to: zone.endAt(to) })
