import { boolean, enum as oneOf, record, strictObject, type z } from 'zod'
import { planLimits, SERVICE_PLANS, type PlanLimits } from '../../model/policy/plan-limits.ts'
import type { PresetName } from '../../model/service/sizes.ts'
import { camelKeys, someText } from '../parts.ts'
import { durationSchema } from '../units.ts'
import { sizeSchema } from './policies.ts'

const delay = durationSchema({ min: '1s', max: '7d' })
const size = sizeSchema.exactOptional()

const limits = strictObject({
  like: oneOf(SERVICE_PLANS)
    .optional()
    .describe('The plan whose limits hold for keys that are left out; by default the plan of that name.'),
  delays: strictObject({
    from: delay.describe('The shortest.'),
    to: delay.describe('The longest; the same where the plan fixes the delay.'),
  })
    .refine(({ from, to }) => from <= to, { error: 'expected at most delays.to', path: ['from'] })
    .exactOptional()
    .describe('Allowed autosuspend delays.'),
  may_never: boolean().exactOptional().describe('Whether autosuspend may be off.'),
  largest_fixed: size.describe('The largest fixed size, in CU.'),
  largest_in_range: size.describe('The largest maximum of a range.'),
  widest_range: size.describe('The largest difference between maximum and minimum of a range.'),
  has_ranges: boolean().exactOptional().describe('Whether there are ranges at all.'),
  largest_suspending: size.describe('The largest size that suspends.'),
}).transform(({ like, ...given }) => ({ like, given: camelKeys(given) }))

export const planLimitsSchema = record(someText, limits)
type Entries = z.output<typeof planLimitsSchema>

/** Undefined where nobody says what the plan allows. */
export function limitsOfPlan(
  plan: string,
  preset: PresetName,
  entries: Entries = {},
): PlanLimits | undefined {
  const entry = entries[plan]
  const base = planLimits(preset, entry?.like ?? plan)
  return base && { ...base, ...entry?.given }
}

export const planLimitsProblems = (preset: PresetName, entries: Entries = {}): readonly string[] =>
  Object.keys(entries).flatMap((plan) =>
    limitsOfPlan(plan, preset, entries)
      ? []
      : [`service.plan_limits.${plan}.like: is missing: expected one of ${SERVICE_PLANS.join(', ')}`],
  )
