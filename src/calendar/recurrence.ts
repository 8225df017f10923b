// Recurrences: the rules that windows are made of, and the intervals that each names.
import type { Interval } from '../model/time.ts'
import { DAY, instant, type Millis } from '../model/units.ts'
import type { Cron } from './cron.ts'
import {
  dayNumberOf,
  addDays,
  localDateTimeOf,
  weekdayOf,
  type DayNumber,
  type LocalDateTime,
} from './local-time.ts'
import type { WeeklyOpening } from './window-text.ts'
import type { Zone } from './zone.ts'

type Repeated = {
  /** Dates on which no occurrence begins. */
  readonly except: DateSet
  readonly zone: Zone
}

export type DateSet = ReadonlySet<DayNumber>

type Weekly = Repeated & WeeklyOpening & { readonly kind: 'weekly' }
type ByCron = Repeated & { readonly kind: 'cron'; readonly cron: Cron; readonly duration: Millis }

export type Recurrence = Weekly | ByCron | ({ readonly kind: 'once' } & Interval)

/** Occurrences that touch `[from, to)`, ascending. One whose ends lie in one hour that the clocks skip does not take place. */
export function occurrencesOf(rule: Recurrence, span: Interval): readonly Interval[] {
  switch (rule.kind) {
    case 'weekly':
      return weekly(rule, span)
    case 'cron':
      return byCron(rule, span)
    case 'once':
      return touches(rule, span) ? [{ from: rule.from, to: rule.to }] : []
  }
}

const touches = ({ from, to }: Interval, span: Interval): boolean =>
  from < to && from < span.to && to > span.from

function weekly(rule: Weekly, span: Interval): readonly Interval[] {
  const { zone, except } = rule
  const overnight = rule.to > rule.from ? 0 : DAY
  const occurrences: Interval[] = []
  // an occurrence that began the day before yesterday may end today if the clock went back over midnight
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

function byCron({ cron, duration, zone, except }: ByCron, span: Interval): readonly Interval[] {
  const occurrences: Interval[] = []
  let time = cron.next(zone.wallAt(instant(span.from - duration)))
  while (time !== undefined) {
    const from = zone.beginAt(time)
    if (from >= span.to) break
    if (!except.has(dayNumberOf(time))) occurrences.push({ from, to: instant(from + duration) })
    time = cron.next(time)
  }
  return occurrences
}

/** A recurrence that takes place once, between two local times of a zone. */
export const oneOffRecurrence = (
  zone: Zone,
  { from, to }: Record<'from' | 'to', LocalDateTime>,
): Recurrence & Interval => ({ kind: 'once', from: zone.beginAt(from), to: zone.endAt(to) })
