// Amounts as people read them: one wording for the command line, the pages, reports and audits.
import { largestCu, smallestCu, type Sizing } from '../../model/service/compute.ts'
import type { Seconds } from '../../model/units.ts'

const HOUR = 3_600_000

/** Thousands set apart: `1,234.50`. */
const grouped = (digits: string): string => digits.replaceAll(/(?<!\.\d*)\d(?=(?:\d{3})+(?!\d))/g, '$&,')

/** With one decimal where it tells something: `5`, `12.5`, `168`, `1,299`. */
export const shortNumber = (value: number): string =>
  grouped(String(Number(value.toFixed(Math.abs(value) < 100 ? 1 : 0))))

/** Of columns, which are compared: `3.4 h`; of less than a tenth of an hour, which would show as none, minutes or seconds. */
export function hoursText(milliseconds: number): string {
  if (milliseconds === 0) return '0 h'
  return milliseconds < HOUR / 10 ? spanText(milliseconds) : `${grouped((milliseconds / HOUR).toFixed(1))} h`
}

/** `42.1 s`, `12 min`, `3.4 h`. */
export function spanText(milliseconds: number): string {
  const span = milliseconds / 1000
  if (span < 120) return `${shortNumber(span)} s`
  // what would be 60 minutes is an hour
  return Math.round(span / 6) < 600 ? `${shortNumber(span / 60)} min` : `${shortNumber(span / 3600)} h`
}

const UNITS = [
  [172_800, 86_400, 'd'],
  [3600, 3600, 'h'],
  [60, 60, 'min'],
] as const

/** A length that somebody chose, exactly: `5 min`, `24 h`, `7 d`, `90 s`. */
export function exactDurationText(span: Seconds): string {
  const [, length, unit] = UNITS.find(([from, one]) => span >= from && span % one === 0) ?? [0, 1, 's']
  return `${span / length} ${unit}`
}

/** To follow `the last`: `minute`, `5 min`, `hour`. */
export function recentDurationText(span: Seconds): string {
  if (span === 60) return 'minute'
  return span === 3600 ? 'hour' : exactDurationText(span)
}

export const percentText = (share: number): string => `${(100 * share).toFixed(0)} %`

/** What is told of an amount has these decimals at most. */
const MOST_PLACES = 6

/** With `usual` decimals; where that would show nothing, with the first two digits there are. */
function fixed(value: number, usual: number): string {
  const size = Math.abs(value)
  const isUsual = size < 0.5 / 10 ** MOST_PLACES || size >= 0.995 / 10 ** usual
  return grouped(value.toFixed(isUsual ? usual : Math.min(MOST_PLACES, 1 - Math.floor(Math.log10(size)))))
}

/** `1,234.50 USD` of micros; `0.00034 USD` of less than a hundredth. */
export const moneyText = (micros: number, currency: string): string =>
  `${fixed(micros / 1_000_000, 2)} ${currency}`

/** How one amount compares with another, to be followed by what the other is: `14 % less than`. */
export function comparedText(now: number, before: number): string {
  const factor = now / before
  if (factor >= 2) return `${factor.toFixed(1)} times`
  const percents = Math.round(100 * Math.abs(factor - 1))
  if (percents === 0) return 'as much as'
  return `${percents} % ${factor > 1 ? 'more' : 'less'} than`
}

/** `59 s to 61 s`; nothing where both would be told the same. */
export function rangeText(
  { low, high }: { readonly low: number; readonly high: number },
  told: (value: number) => string,
): string | undefined {
  const [least, most] = [told(low), told(high)]
  return least === most ? undefined : `${least} to ${most}`
}

/** The same in brackets, to follow what is likely. */
export function inBrackets(range: string | undefined): string {
  return range === undefined ? '' : ` (${range})`
}

/** `1 compute`, `3 computes`. */
export const countWithNoun = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

/** `0.106 USD`, with all the digits there are. */
export const priceText = (micros: number, currency: string): string => `${micros / 1_000_000} ${currency}`

const HOURS_OF: Readonly<Record<string, string>> = { cu_hours: 'CU-hours', awake_hours: 'awake hours' }

/** Of a budget, in its unit: `200.00 USD`, `12.5 CU-hours`. */
export function budgetAmountText(value: number, unit: string): string {
  const hoursOf = HOURS_OF[unit]
  return hoursOf === undefined
    ? moneyText(value * 1_000_000, unit)
    : `${fixed(value, 1).replace(/\.0$/, '')} ${hoursOf}`
}

/** `0.25`, or `0.25–2` of a range. */
export function sizeRangeText(sizing: Sizing, dash: '–' | '-' = '–'): string {
  const [smallest, largest] = [smallestCu(sizing), largestCu(sizing)]
  return smallest === largest ? String(smallest) : `${smallest}${dash}${largest}`
}

/** `0.25-2 CU`, for terminals. */
export const sizingText = (sizing: Sizing): string => `${sizeRangeText(sizing, '-')} CU`
