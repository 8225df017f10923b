// Whether a window of the configuration is ever open for long enough, whatever the time is now.
import { DAY, instant, type Interval, type Millis } from '../model/units.ts'
import type { DayNumber } from './local-time.ts'
import { createWindow, partsOutside, type Recurrence } from './window.ts'

/** 2028: a year with a 29 February, for what repeats. */
const SAMPLE_YEAR = { from: instant(Date.UTC(2028, 0, 1)), to: instant(Date.UTC(2029, 0, 1)) }

/** Whether a window with these recurrences is ever open for that long without a break. */
export function isEverOpenFor(length: Millis, rules: readonly Recurrence[]): boolean {
  // of several short recurrences one may begin where another ends
  return (
    rules.some((rule) => lengthOf(rule) >= length) ||
    createWindow(rules)
      .between(SAMPLE_YEAR.from, SAMPLE_YEAR.to)
      .some(({ from, to }) => to - from >= length)
  )
}

function lengthOf(rule: Recurrence): number {
  if (rule.kind === 'cron') return rule.duration
  return rule.kind === 'weekly' && rule.to < rule.from ? rule.to + DAY - rule.from : rule.to - rule.from
}

type Denied = Readonly<{
  denied: readonly Recurrence[]
  length: Millis
  /** Time before the window closes that does not count. */
  early: Millis
}>

/**
 * Whether a window is ever open for `length`, `early` before it closes at the latest, while another is closed. Looked at are:
 * 1. a year of both, without what the other denies once: that is over some day;
 * 2. each opening that comes once;
 * 3. the dates on which the other does not open.
 */
export function isEverOpenBeside(rules: readonly Recurrence[], { denied, ...needed }: Denied): boolean {
  const repeated = denied.filter(({ kind }) => kind !== 'once')
  const once = rules.flatMap((rule) => (rule.kind === 'once' ? [{ from: rule.from, to: rule.to }] : []))
  const dates = repeated.flatMap((rule) => (rule.kind === 'once' ? [] : [...rule.except].map(aroundDate)))
  return (
    hasRoom(rules, SAMPLE_YEAR, { denied: repeated, ...needed }) ||
    [...once, ...dates].some((span) => hasRoom(rules, span, { denied, ...needed }))
  )
}

/** In every time zone. */
const aroundDate = (day: DayNumber) => ({ from: instant((day - 1) * DAY), to: instant((day + 2) * DAY) })

function hasRoom(rules: readonly Recurrence[], { from, to }: Interval, { denied, length, early }: Denied) {
  const closing = createWindow(denied)
  return createWindow(rules)
    .between(from, to)
    .some((open) =>
      partsOutside(closing, open.from, instant(open.to - early)).some(
        (part) => part.to - part.from >= length,
      ),
    )
}
