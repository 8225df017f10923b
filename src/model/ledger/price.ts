import type { Instant, Micros } from '../units.ts'

/** Price of a CU-hour over time. */
export type Prices = {
  /** A label, such as `USD`. */
  readonly currency: string
  /** Ascending by `from`; the first holds for all time before it. Never empty. */
  readonly periods: readonly { readonly from: Instant; readonly perCuHour: Micros }[]
}
