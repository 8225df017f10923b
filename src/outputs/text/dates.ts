import { toIso } from '../../model/time.ts'
import type { Interval } from '../../model/units.ts'
import { dayNumber, parseDate, weekdayOf } from '../../calendar/local-time.ts'

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** `November` of `2026-11-20`. */
export const monthText = (date: string): string => MONTHS[Number(date.slice(5, 7)) - 1] ?? ''

/** `Mon 16 Nov` of `2026-11-16`. */
export const dayText = (date: string): string =>
  `${WEEKDAYS[weekdayOf(parseDate(date) ?? dayNumber(0))] ?? ''} ${shortText(date)}`

/** `16 November to 22 November 2026`. */
export const datesText = (first: string, last: string): string =>
  `${longText(first)} to ${longText(last)} ${last.slice(0, 4)}`

const shortText = (date: string) => `${Number(date.slice(8))} ${monthText(date).slice(0, 3)}`
const longText = (date: string) => `${Number(date.slice(8))} ${monthText(date)}`

/** `2026-11-22 08:00 UTC` of an instant in ISO 8601. */
export const instantText = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`

export const isoInterval = ({ from, to }: Interval) => ({ from: toIso(from), to: toIso(to) })
