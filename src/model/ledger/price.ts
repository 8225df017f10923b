import type { Instant, Micros } from '../units.ts'

/** Price of a CU-hour over time. */
export type Prices = Readonly<{
  /** A label, such as `USD`. */
  currency: string
  /** Ascending by `from`; the first holds for all time before it. Never empty. */
  periods: readonly { readonly from: Instant; readonly perCuHour: Micros }[]
}>
