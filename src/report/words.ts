// Amounts as people read them: one wording for report, audit and explanation.
import type { Seconds } from '../model/units.ts'

const HOUR = 3_600_000

/** `3.4 h`; of less than a tenth of an hour, which would show as none, minutes or seconds. */
export const hours = (milliseconds: number): string =>
  milliseconds > 0 && milliseconds < HOUR / 10
    ? spanText(milliseconds)
    : `${(milliseconds / HOUR).toFixed(1)} h`

/** `42.1 s`, `12.0 min`, `3.4 h`. */
export function spanText(milliseconds: number): string {
  const span = milliseconds / 1000
  if (span < 120) return `${span.toFixed(1)} s`
  return span < 7200 ? `${(span / 60).toFixed(1)} min` : hours(milliseconds)
}

const UNITS = [
  [172_800, 86_400, 'd'],
  [3600, 3600, 'h'],
  [60, 60, 'min'],
] as const

/** A length that somebody chose, exactly: `5 min`, `24 h`, `7 d`, `90 s`. */
export function chosenText(span: Seconds): string {
  const [, length, unit] = UNITS.find(([from, one]) => span >= from && span % one === 0) ?? [0, 1, 's']
  return `${span / length} ${unit}`
}

export const percent = (share: number): string => `${(100 * share).toFixed(0)} %`

/** A hundredth of a unit, in micros: less than that is shown to the last micro. */
const CENT = 10_000

/** `1234.50 USD` of micros; `0.000342 USD` of less than a hundredth. */
export const money = (micros: number, currency: string): string =>
  `${(micros / 1_000_000).toFixed(micros !== 0 && Math.abs(micros) < CENT ? 6 : 2)} ${currency}`

/** How one amount compares with another, to be followed by what the other is: `14 % less than`. */
export function comparedText(now: number, before: number): string {
  const factor = now / before
  if (factor >= 2) return `${factor.toFixed(1)} times`
  const percents = Math.round(100 * Math.abs(factor - 1))
  if (percents === 0) return 'as much as'
  return `${percents} % ${factor > 1 ? 'more' : 'less'} than`
}

/** `1 compute`, `3 computes`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** `0.106 USD`, with all the digits there are. */
export const priceText = (micros: number, currency: string): string => `${micros / 1_000_000} ${currency}`

/** Of a budget, in its unit: `200.00 USD`, `12.5 CU hours`. */
export function amount(value: number, unit: string): string {
  if (unit === 'cu_hours') return `${value.toFixed(1)} CU hours`
  return unit === 'awake_hours' ? `${value.toFixed(1)} awake hours` : money(value * 1_000_000, unit)
}
