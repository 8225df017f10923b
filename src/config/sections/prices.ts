// The price file: what a CU-hour costs on which plan from which day on.
import { z } from 'zod'
import type { Prices } from '../../model/ledger/price.ts'
import { instant, type Instant, type Micros } from '../../model/units.ts'
import { moneySchema, parseDay } from '../units.ts'

const day = z.string().transform((text, context): Instant => {
  const at = parseDay(text)
  if (at !== undefined) return at
  context.addIssue('expected a day such as 2026-03-01')
  return z.NEVER
})

const period = z
  .strictObject({ from: day, cu_hour: moneySchema })
  .transform(({ from, cu_hour: perCuHour }) => ({ from, perCuHour }))

const periods = z
  .array(period)
  .min(1, 'expected at least one period')
  .transform((list) => list.toSorted((a, b) => a.from - b.from))

export const priceFileSchema = z.strictObject({
  currency: z.string().min(1),
  plans: z.record(z.string(), periods),
})
export type PriceFile = z.output<typeof priceFileSchema>

type Override = { readonly currency?: string | undefined; readonly cuHour?: Micros | undefined }

/** The prices of `plan`, with what `override` puts in their place. Undefined when the file does not have the plan. */
export function selectPrices(file: PriceFile, plan: string, override: Override): Prices | undefined {
  const listed = file.plans[plan]
  if (!listed) return undefined
  return {
    currency: override.currency ?? file.currency,
    periods: override.cuHour === undefined ? listed : [{ from: instant(0), perCuHour: override.cuHour }],
  }
}
