// The file of prices: what a CU-hour costs, by plan and from which day on.
import { join } from 'node:path'
import { array, record, strictObject, string, type z } from 'zod'
import type { Prices } from '../model/ledger/quantities.ts'
import { instant } from '../model/units.ts'
import { failed, ok, type Result } from '../std/result.ts'
import type { AccountEntry } from './sections/account.ts'
import { parsedOr, someText } from './parts.ts'
import { parseWithSchema, type ConfigProblems } from './problems.ts'
import { moneySchema, parseDay } from './units.ts'
import { readYaml } from './yaml.ts'

const SHIPPED_PRICES = join(import.meta.dirname, '../../config/prices.yaml')

const period = strictObject({
  from: string().transform(parsedOr('expected a day such as 2026-03-01', parseDay)),
  cu_hour: moneySchema,
}).transform(({ from, cu_hour: perCuHour }) => ({ from, perCuHour }))

const periods = array(period)
  .min(1, 'expected at least one period')
  .superRefine(refuseRepeatedDays)
  .transform((list) => list.toSorted((a, b) => a.from - b.from))

/** Two periods from one day on would leave open which price holds. */
function refuseRepeatedDays(list: readonly z.output<typeof period>[], context: z.RefinementCtx): void {
  for (const [index, { from }] of list.entries()) {
    const first = list.findIndex((other) => other.from === from)
    const message = `expected a day on which no other period begins, got that of [${first}]`
    if (first !== index) context.addIssue({ code: 'custom', path: [index, 'from'], message })
  }
}

const priceFileSchema = strictObject({ currency: someText, plans: record(string(), periods) })
export type PriceFile = z.output<typeof priceFileSchema>

/** Reads the file of this package where no path is given. */
export function readPrices(path = SHIPPED_PRICES): Result<PriceFile, ConfigProblems> {
  const file = readYaml(path)
  return file.ok ? parseWithSchema(priceFileSchema, file.value.value, () => ({})) : file
}

/** Undefined when the file does not have the plan. */
export function selectPrices(
  file: PriceFile,
  { plan, currency = file.currency, cuHour }: Pick<AccountEntry, 'plan' | 'currency' | 'cuHour'>,
): Prices | undefined {
  const listed = Object.hasOwn(file.plans, plan) ? file.plans[plan] : undefined
  if (!listed) return undefined
  return { currency, periods: cuHour === undefined ? listed : [{ from: instant(0), perCuHour: cuHour }] }
}

export function shippedPrices(plan: string): Result<Prices, ConfigProblems> {
  const file = readPrices()
  if (!file.ok) return file
  const prices = selectPrices(file.value, { plan })
  return prices ? ok(prices) : failed([`plan: expected one of ${Object.keys(file.value.plans).join(', ')}`])
}
