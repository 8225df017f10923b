// Recurrences: the rules that windows are made of, and the intervals that each names.
import type { Interval } from '../model/time.ts'
import { DAY, instant, type Millis } from '../model/units.ts'
import type { Cron } from './cron.ts'
import {
  dateText,
  dayNumberOf,
  addDays,
  localDateTimeOf,
  weekdayOf,
  type DayNumber,
  type LocalDateTime,
} from './local-time.ts'
import type { Zone } from './zone.ts'

export type Recurrence =
  | {
      readonly kind: 'weekly'
      /** 0 is Sunday. */
      readonly days: ReadonlySet<number>
      /** Milliseconds after midnight, below 24 h. */
      readonly from: number
      /** Milliseconds after midnight, at most 24 h, never equal to `from`; on the next day when before it. */
      readonly to: number
      readonly except: DateSet
      readonly zone: Zone
    }
  | {
      readonly kind: 'cron'
      readonly cron: Cron
      readonly duration: Millis
      readonly except: DateSet
      readonly zone: Zone
    }
  | ({ readonly kind: 'once'; readonly date: string } & Interval)

/** Dates on which no occurrence begins. */
export type DateSet = ReadonlySet<DayNumber>

/** An occurrence with the date it begins on; empty (`from` = `to`) when both ends lie in an hour that the clocks skip, so that it does not take place. */
export type Occurrence = Interval & { readonly date: string }

/** Occurrences that touch `[from, to)`, ascending. */
export function occurrencesOf(rule: Recurrence, { from, to }: Interval): readonly Occurrence[] {
  switch (rule.kind) {
    case 'weekly':
      return weekly(rule, { from, to })
    case 'cron':
      return byCron(rule, { from, to })
    case 'once':
      return touches(rule, { from, to }) ? [rule] : []
  }
}

const touches = (occurrence: Interval, { from, to }: Interval): boolean =>
  occurrence.from < to &&
  (occurrence.to > from || (occurrence.to === occurrence.from && occurrence.from >= from))

function weekly(rule: Extract<Recurrence, { kind: 'weekly' }>, span: Interval): readonly Occurrence[] {
  const { zone, except } = rule
  const overnight = rule.to > rule.from ? 0 : DAY
  const occurrences: Occurrence[] = []
  // an occurrence that began the day before yesterday may end today if the clock went back over midnight
  let day = addDays(dayNumberOf(zone.wallAt(span.from)), -2)
  const last = addDays(dayNumberOf(zone.wallAt(span.to)), 1)
  for (; day <= last; day = addDays(day, 1)) {
    if (!rule.days.has(weekdayOf(day)) || except.has(day)) continue
    const from = zone.beginAt(localDateTimeOf(day, rule.from))
    const to = zone.endAt(localDateTimeOf(day, rule.to + overnight))
    const occurrence = { from, to, date: dateText(day) }
    if (touches(occurrence, span)) occurrences.push(occurrence)
  }
  return occurrences
}

function byCron(rule: Extract<Recurrence, { kind: 'cron' }>, span: Interval): readonly Occurrence[] {
  const { cron, duration, zone, except } = rule
  const occurrences: Occurrence[] = []
  let time = cron.next(zone.wallAt(instant(span.from - duration)))
  while (time !== undefined) {
    const from = zone.beginAt(time)
    if (from >= span.to) break
    const day = dayNumberOf(time)
    if (!except.has(day)) occurrences.push({ from, to: instant(from + duration), date: dateText(day) })
    time = cron.next(time)
  }
  return occurrences
}

/** A recurrence that takes place once, between two local times of a zone. */
export function oneOffRecurrence(
  zone: Zone,
  times: { readonly from: LocalDateTime; readonly to: LocalDateTime },
): Recurrence & Interval {
  const date = dateText(dayNumberOf(times.from))
  return { kind: 'once', from: zone.beginAt(times.from), to: zone.endAt(times.to), date }
}
