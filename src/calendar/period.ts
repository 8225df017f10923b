// Periods of a budget tile time.
import type { Instant, Interval } from '../model/units.ts'
import type { DayNumber } from './local-time.ts'
import { addDays, dayNumber, dayNumberOf, firstDayOf, localDateTimeOf, monthOf } from './local-time.ts'
import { SEARCH_HORIZON, type Window } from './window.ts'
import type { Zone } from './zone.ts'

export type PeriodRule =
  | Readonly<{ per: 'day'; zone: Zone }>
  /** `anchor`: the weekday it begins on, 0 is Sunday. */
  | Readonly<{ per: 'week'; zone: Zone; anchor: number }>
  /** `anchor`: the day of the month it begins on, 1-31, or the last day of a shorter month. */
  | Readonly<{ per: 'month'; zone: Zone; anchor: number }>
  /** From one opening of the window to the next. */
  | Readonly<{ per: 'window'; window: Window }>

/** Undefined only for a window that did not open before `at`, does not open again, or is open for over a year. */
export function periodOf(rule: PeriodRule, at: Instant): Interval | undefined {
  if (rule.per === 'window') return windowPeriod(rule.window, at)
  const begin = (index: number) => rule.zone.beginAt(localDateTimeOf(firstDay(rule, index)))
  let index = indexOf(rule, dayNumberOf(rule.zone.wallAt(at)))
  // a clock that goes back over midnight shows the previous period once more
  while (begin(index + 1) <= at) index += 1
  return { from: begin(index), to: begin(index + 1) }
}

/** As `periodOf`. Remembers its last results: each pass asks several times for the same few periods. */
export function createPeriodLookup(rule: PeriodRule): (at: Instant) => Interval | undefined {
  let known: readonly Interval[] = []
  return (at) => {
    const found = known.find(({ from, to }) => from <= at && at < to)
    if (found) return found
    const period = periodOf(rule, at)
    // in a longer one the answer depends on the instant
    if (period && period.to - period.from < SEARCH_HORIZON)
      known = [period, ...known.slice(0, REMEMBERED_PERIODS - 1)]
    return period
  }
}

/** The current one, the one before and the next. */
const REMEMBERED_PERIODS = 3

type Dated = Exclude<PeriodRule, { per: 'window' }>

/** The period 0 is the one around 1970-01-01. */
function firstDay(rule: Dated, index: number) {
  switch (rule.per) {
    case 'day':
      return dayNumber(index)
    case 'week':
      return dayNumber(index * 7 + firstWeek(rule.anchor))
    case 'month':
      return dayOfMonth(index, rule.anchor)
  }
}

function indexOf(rule: Dated, day: DayNumber) {
  switch (rule.per) {
    case 'day':
      return day
    case 'week':
      return Math.floor((day - firstWeek(rule.anchor)) / 7)
    case 'month': {
      const month = monthOf(day)
      return dayOfMonth(month, rule.anchor) > day ? month - 1 : month
    }
  }
}

/** Day number of the first such weekday from 1970-01-01, a Thursday, on. */
const firstWeek = (weekday: number) => (weekday + 3) % 7

function dayOfMonth(month: number, anchor: number) {
  const last = addDays(firstDayOf(month + 1), -1)
  return dayNumber(Math.min(addDays(firstDayOf(month), anchor - 1), last))
}

function windowPeriod(window: Window, at: Instant) {
  const current = window.previous(at)
  const next = window.next(at)
  if (!current || !next) return undefined
  const openUntilNow = Math.min(at, current.to) - current.from
  const endless = openUntilNow >= SEARCH_HORIZON || current.to - at >= SEARCH_HORIZON
  return endless ? undefined : { from: current.from, to: next.from }
}
