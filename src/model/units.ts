declare const unit: unique symbol
type Quantity<Unit extends string> = number & { readonly [unit]: Unit }

/** Compute Units: 1 CU is 1 vCPU and 4 GB of RAM. Source: service interface, "Compute size". */
export type Cu = Quantity<'CU'>
export type Seconds = Quantity<'s'>
/** Whole milliseconds: the ledger's unit, so that sums stay exact. */
export type Millis = Quantity<'ms'>
/** CU times milliseconds, whole numbers: sizes are multiples of 0.25. */
export type CuMillis = Quantity<'CU·ms'>
/** A point in time, milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = Quantity<'ms since epoch'>
/** `[from, to)`. */
export type Interval = Readonly<{ from: Instant; to: Instant }>
/** Millionths of one unit of `Prices.currency`, whole numbers: sums stay exact up to 9·10⁹ units. */
export type Micros = Quantity<'µ'>
/** A share between 0 and 1. Percent exists only at the edges. */
export type Ratio = Quantity<'ratio'>
export type Bytes = Quantity<'B'>

/** Milliseconds in a second, a minute, an hour, a day of 24 hours. */
export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const cu = (value: number): Cu => value as Cu
export const seconds = (value: number): Seconds => value as Seconds
export const millis = (value: number): Millis => Math.round(value) as Millis
export const cuMillis = (value: number): CuMillis => value as CuMillis
export const instant = (value: number): Instant => value as Instant
export const micros = (value: number): Micros => Math.round(value) as Micros
export const ratio = (value: number): Ratio => value as Ratio
export const bytes = (value: number): Bytes => value as Bytes

export const after = (start: Instant, span: Seconds): Instant => instant(start + span * 1000)

export const earliest = (...times: readonly Instant[]): Instant => instant(Math.min(...times))
export const latest = (...times: readonly Instant[]): Instant => instant(Math.max(...times))
