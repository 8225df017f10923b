// Fields of several records: times, numbers, sizes and delays.
import { z } from 'zod'
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import { fromIso } from '../../model/time.ts'
import { cu, instant, seconds, type Instant } from '../../model/units.ts'
import { textSchema } from './lenient.ts'

/** Characters: a time with nanoseconds and an offset has 35. */
const MAX_TIMESTAMP_LENGTH = 40
/** 2000-01-01, years before the service existed: an older date is wrong, and a history since then would have no end. */
const EARLIEST = instant(946_684_800_000)

/** A fraction of a second is accepted. Source: service interface, "Resources and their fields". */
export const timestampSchema = z
  .string()
  .max(MAX_TIMESTAMP_LENGTH)
  .transform((text, context): Instant => {
    const at = fromIso(text)
    if (at !== undefined && at >= EARLIEST) return at
    context.addIssue(at === undefined ? 'expected an ISO 8601 UTC timestamp' : 'expected a time since 2000')
    return z.NEVER
  })

/** Greatest number of any field, 2^53 − 1: beyond it sums are not exact, and products may be infinite. */
export const numberSchema = z.number().max(Number.MAX_SAFE_INTEGER)

export const optionalTextSchema = textSchema.nullish().transform((text) => text || undefined)
export const optionalTimeSchema = timestampSchema.nullish().transform((at) => at ?? undefined)

/** Largest delay, seconds, a year: the service allows a week. */
const MAX_DELAY = 31_536_000
/** Largest size, CU, well above any of the service. */
const MAX_SIZE = 10_000

export const delaySchema = z.number().min(-1).max(MAX_DELAY).nullish()
export const cuSchema = z.number().positive().max(MAX_SIZE).transform(cu)

/** 0 and absent: the default one level up; −1: never. Not in the interface text; service-facts.md, "Compute record". */
export function toDelay(value: z.infer<typeof delaySchema>): AutosuspendDelay | undefined {
  if (!value) return undefined
  return value < 0 ? 'never' : seconds(value)
}
