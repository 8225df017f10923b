// Amounts and dates as text.
import type { Shown } from '../../model/ledger/counted-past.ts'
import type { Bounds } from '../../model/ledger/quantities.ts'
import { toIso } from '../../model/time.ts'
import { dayNumber, parseDate, weekdayOf } from '../../calendar/local-time.ts'
import { largestCu, smallestCu, type Sizing } from '../../model/service/compute.ts'
import { HOUR, type Instant, type Interval, type Seconds } from '../../model/units.ts'

const grouped = (digits: string) => digits.replaceAll(/(?<!\.\d*)\d(?=(?:\d{3})+(?!\d))/g, '$&,')

/** Rounded to one decimal below 100, to none above: `5`, `12.5`, `168`, `1,299`. */
export const shortNumber = (value: number): string =>
  grouped(String(Number(value.toFixed(Math.abs(value) < 100 ? 1 : 0))))

/** For comparable values: `3.4 h`; below a tenth of an hour as `spanText`, since it would round to zero. */
export function hoursText(milliseconds: number): string {
  if (milliseconds === 0) return '0 h'
  return milliseconds < HOUR / 10 ? spanText(milliseconds) : `${grouped((milliseconds / HOUR).toFixed(1))} h`
}

/** `42.1 s`, `12 min`, `3.4 h`. */
export function spanText(milliseconds: number): string {
  const span = milliseconds / 1000
  if (span < 120) return `${shortNumber(span)} s`
  // 59.95 min and more would round to 60 min
  return Math.round(span / 6) < 600 ? `${shortNumber(span / 60)} min` : `${shortNumber(span / 3600)} h`
}

const UNITS = [
  [172_800, 86_400, 'd'],
  [3600, 3600, 'h'],
  [60, 60, 'min'],
] as const

/** Exact: `5 min`, `24 h`, `7 d`, `90 s`. */
export function exactDurationText(span: Seconds): string {
  const [, length, unit] = UNITS.find(([from, size]) => span >= from && span % size === 0) ?? [0, 1, 's']
  return `${span / length} ${unit}`
}

/** Completes `the last …`: `minute`, `5 min`, `hour`. */
export function recentDurationText(span: Seconds): string {
  if (span === 60) return 'minute'
  return span === 3600 ? 'hour' : exactDurationText(span)
}

/** `14 %`. A small part is not none, and nearly all is not all: `0.4 %`, `99.6 %`, `<0.1 %`, `>99.9 %`. */
export function percentText(share: number): string {
  const percent = 100 * share
  if (percent > 0 && percent < 0.5) return percent < 0.05 ? '<0.1 %' : `${percent.toFixed(1)} %`
  if (percent >= 99.5 && percent < 100) return percent >= 99.95 ? '>99.9 %' : `${percent.toFixed(1)} %`
  return `${percent.toFixed(0)} %`
}

/** Prices are in millionths. */
const MAX_DECIMALS = 6

/** An amount that would round to zero has two significant digits. */
function fixed(value: number, usual: number, most = MAX_DECIMALS) {
  const size = Math.abs(value)
  const isUsual = size < 0.5 / 10 ** most || size >= 0.995 / 10 ** usual
  return grouped(value.toFixed(isUsual ? usual : Math.min(most, 1 - Math.floor(Math.log10(size)))))
}

/** Hundredths of a currency, by their names; amounts in other currencies stay in the currency. */
const HUNDREDTHS: Readonly<Record<string, string>> = {
  AUD: 'cents',
  CAD: 'cents',
  CHF: 'centimes',
  EUR: 'cents',
  GBP: 'pence',
  NZD: 'cents',
  SGD: 'cents',
  USD: 'cents',
}

type MoneyUnit = Readonly<{ name: string; micros: number; decimals: number }>

/** The currency, or its hundredths for amounts that two decimals of it would round to nothing. */
function moneyUnit(micros: number, currency: string): MoneyUnit {
  const hundredths = HUNDREDTHS[currency]
  const isSmall = Math.abs(micros) >= 0.5 && Math.abs(micros) < 9950
  return hundredths === undefined || !isSmall
    ? { name: currency, micros: 1_000_000, decimals: MAX_DECIMALS }
    : { name: hundredths, micros: 10_000, decimals: MAX_DECIMALS - 2 }
}

/** `1,234.50 USD`; `0.34 cents` below a hundredth, `0.0034 XAU` of a currency whose hundredths have no name. */
export function moneyText(micros: number, currency: string): string {
  const unit = moneyUnit(micros, currency)
  return `${fixed(micros / unit.micros, 2, unit.decimals)} ${unit.name}`
}

export type Money = Readonly<{ micros: number; currency: string }>

/** As `moneyColumn`, of a column with several currencies. */
export function moneyColumns(amounts: readonly Money[]): (amount: Money) => string {
  const columns = new Map(
    [...Map.groupBy(amounts, ({ currency }) => currency)].map(([currency, same]) => [
      currency,
      moneyColumn(
        same.map(({ micros }) => micros),
        currency,
      ),
    ]),
  )
  return ({ micros, currency }) => columns.get(currency)?.(micros) ?? moneyText(micros, currency)
}

/** Text of each amount of a column, in one unit, that of the largest: `15.59 USD`, `<0.01 USD`. */
export function moneyColumn(amounts: readonly number[], currency: string): (micros: number) => string {
  const largest = Math.max(0, ...amounts.map(Math.abs))
  const unit = moneyUnit(largest, currency)
  if (largest >= 0.5 && largest < 0.00995 * unit.micros) return (micros) => moneyText(micros, currency)
  return (micros) => {
    const isHidden = micros !== 0 && Math.abs(micros) < 0.005 * unit.micros
    const digits = isHidden ? `${micros < 0 ? '>-' : '<'}0.01` : grouped((micros / unit.micros).toFixed(2))
    return `${digits} ${unit.name}`
  }
}

/** Completed by a name: `14 % less than`. */
export function comparedText(now: number, before: number): string {
  const factor = now / before
  if (factor >= 2) return `${factor.toFixed(1)} times`
  const percents = Math.round(100 * Math.abs(factor - 1))
  if (percents === 0) return 'as much as'
  return `${percents} % ${factor > 1 ? 'more' : 'less'} than`
}

/** `59 s to 61 s`; undefined where both have the same text. */
export function rangeText(
  { low, high }: Readonly<{ low: number; high: number }>,
  textOf: (value: number) => string,
): string | undefined {
  const [from, to] = [textOf(low), textOf(high)]
  return from === to ? undefined : `${from} to ${to}`
}

export const inBrackets = (range: string | undefined): string => (range === undefined ? '' : ` (${range})`)

/** `saves 12.30 USD in 30 days (9.10 USD to 14.00 USD)`. */
export function savingText(saving: Bounds<number>, currency: string): string {
  const textOf = (micros: number) => moneyText(micros, currency)
  const costsMore = saving.likely < 0
  const { low, likely, high } = costsMore ? negated(saving) : saving
  if (low === 0 && high === 0) return 'saves no money'
  if (low === 0 && likely === 0) return `saves at most ${textOf(high)} in 30 days`
  const range = inBrackets(rangeText({ low, high }, textOf))
  return costsMore
    ? `costs ${textOf(likely)} more in 30 days${range}`
    : `saves ${textOf(likely)} in 30 days${range}`
}

const negated = ({ low, likely, high }: Bounds<number>) => ({ low: -high, likely: -likely, high: -low })

/** `1 compute`, `3 computes`. */
export const countWithNoun = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** `0.106 USD`, with all its digits. */
export const priceText = (micros: number, currency: string): string => `${micros / 1_000_000} ${currency}`

const HOUR_UNITS: Readonly<Record<string, string>> = { cu_hours: 'CU-hours', awake_hours: 'awake hours' }

/** `200.00 USD`, `12.5 CU-hours`. */
export function budgetAmountText(value: number, unit: string): string {
  const hourUnit = HOUR_UNITS[unit]
  return hourUnit === undefined
    ? moneyText(value * 1_000_000, unit)
    : `${fixed(value, 1).replace(/\.0$/, '')} ${hourUnit}`
}

/** `0.25`, or `0.25–2` of a range. */
export function sizeRangeText(sizing: Sizing, dash: '–' | '-' = '–'): string {
  const [smallest, largest] = [smallestCu(sizing), largestCu(sizing)]
  return smallest === largest ? String(smallest) : `${smallest}${dash}${largest}`
}

/** `0.25-2 CU`, for terminals. */
export const sizingText = (sizing: Sizing): string => `${sizeRangeText(sizing, '-')} CU`

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

const PAST_TEXTS = {
  consumption: (day) => `use before ${day} by the service's own consumption`,
  counters: (day) => `use before ${day} by the CU-time that the service counts`,
  assumed: (day) => `sizes before ${day} as on that day`,
} satisfies Record<Shown['basis'], (day: string) => string>

/** Source of a narrowed amount: `sizes before 23 November as on that day`. */
export const shownBecauseText = ({ basis, untilDate }: Shown): string =>
  PAST_TEXTS[basis](longText(untilDate))

/** Sources of the amounts of several accounts since `from`; undefined where none is narrowed. */
export function shownSourcesText(shown: readonly (Shown | undefined)[], from: Instant): string | undefined {
  const texts = new Set(shown.flatMap((one) => (one && one.until > from ? shownBecauseText(one) : [])))
  return texts.size === 0 ? undefined : [...texts].join('; ')
}

/** `244 to 251 USD; sizes before 23 November as on that day`; without what narrows it where nothing does. */
export function shownRangeText(
  ledger: Readonly<{ low: number; high: number }>,
  shown: Shown | undefined,
  textOf: (value: number) => string,
): string | undefined {
  const range = rangeText(shown?.amount ?? ledger, textOf)
  if (!shown) return range
  return [...(range === undefined ? [] : [range]), shownBecauseText(shown)].join('; ')
}

const shortText = (date: string) => `${Number(date.slice(8))} ${monthText(date).slice(0, 3)}`
const longText = (date: string) => `${Number(date.slice(8))} ${monthText(date)}`

/** `2026-11-22 08:00 UTC` of an instant in ISO 8601. */
export const instantText = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`

/** ISO 8601 in UTC as people read it: without fractions of a second. */
export const toSecond = (iso: string): string => iso.replace(/\.\d+Z$/, 'Z')

export const isoInterval = ({ from, to }: Interval) => ({ from: toIso(from), to: toIso(to) })
