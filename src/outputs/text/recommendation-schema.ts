// Every output of recommendations is made from it; config/recommendations.schema.json is generated from it.
import { array, boolean, enum as oneOf, int, iso, literal, number, record, strictObject, string } from 'zod'
import { toJSONSchema, tuple, union, unknown, type z } from 'zod'
import { RECOMMENDATION_KINDS } from '../../model/policy/recommendation.ts'

const instant = iso.datetime().describe('An instant, UTC.')
const ratio = number().min(0).max(1)
const nameOrNull = string().nullable()

export const savingSchema = strictObject({ low: int(), likely: int(), high: int() }).describe(
  'Millionths of the currency in 30 days: at least, likely, at most. Negative: it costs more.',
)

const settingSchema = strictObject({
  delay_seconds: union([int().min(1), literal('never')]).optional(),
  min_cu: number().positive().optional(),
  max_cu: number().positive().optional().describe('Equal to min_cu: a fixed size.'),
  pooler_enabled: boolean().optional(),
}).describe('The settings that the recommendation is about.')

const effectSchema = strictObject({
  wakes_per_day: strictObject({ before: number().min(0), after: number().min(0) }).nullable(),
  sessions_cut: number().min(0).nullable().describe('Idle client sessions that each suspension ends.'),
  connections: strictObject({ peak: number().min(0), limit: number().min(0) })
    .nullable()
    .describe('Most that were seen, and how many the recommended setting allows to clients.'),
  throttled_share: number()
    .min(0)
    .max(1)
    .nullable()
    .describe('Share of the awake time in which the load needs more than the recommended size gives it.'),
}).describe('Null: nothing is known about it.')

const kindSchema = oneOf(RECOMMENDATION_KINDS)

const because = [
  'history-short',
  'not-followed',
  'plan-unknown',
  'plan-fixed',
  'no-readings',
  'saving-small',
  'unsure',
  'dismissed',
  'follow-up',
  'policy',
  'not-listed',
  'fits',
] as const

const becauseSchema = oneOf(because)

const detailSchema = union([
  strictObject({
    kind: literal('awake-for-nothing'),
    cause: string(),
    application: string(),
    user: string(),
    database: string(),
    period_seconds: number().nullable().describe('Time between its activities; null: irregular.'),
    fix: oneOf(['session-pooler', 'idle-timeout', 'move-job', 'drop-slot', 'end-transaction']),
  }),
  strictObject({
    kind: literal('unused'),
    what: oneOf(['no-clients', 'replica', 'disabled']),
    since: instant.nullable(),
  }),
  strictObject({
    kind: literal('refresh'),
    started_at: instant.nullable(),
    rides_with: kindSchema
      .nullable()
      .describe('Recommendation that brings the start; null: a restart of its own.'),
  }),
  strictObject({ kind: literal('budget'), name: string() }).describe(
    'A budget asks for the smaller maximum: its limit is spent, or forecast to be.',
  ),
  strictObject({ kind: literal('cache'), hit_ratio: ratio, target: ratio }).describe(
    'The file cache is full and under its target.',
  ),
  strictObject({ kind: literal('pooler') }).describe('The pooler is on, but clients connect directly.'),
  strictObject({
    kind: literal('defaults'),
    lives: int().min(0).describe('Deleted computes, which lived short, that it rests on.'),
    at_once: int()
      .min(0)
      .describe(
        'Existing computes without a delay of their own: another default delay changes them at once, another default size none.',
      ),
    keeps: strictObject({ delay: becauseSchema.nullable(), sizing: becauseSchema.nullable() }).describe(
      'Why the default delay or the default size stays as it is; null: another one is recommended.',
    ),
  }),
])

const identity = {
  project_id: string(),
  project_name: nameOrNull,
  endpoint_id: nameOrNull.describe('Null: it is about the defaults of the project.'),
  name: nameOrNull.describe('Name of the compute.'),
}

export const recommendationSchema = strictObject({
  id: string(),
  hash: string().describe('Of compute, kind, from and to.'),
  kind: kindSchema,
  state: oneOf(['open', 'implemented', 'superseded', 'withdrawn', 'dismissed']),
  ...identity,
  from: settingSchema,
  to: settingSchema,
  restarts: boolean().describe('Applying it restarts the compute.'),
  request: strictObject({ method: string(), path: string(), body: record(string(), unknown()).nullable() })
    .nullable()
    .describe('To the service, below its base URL; null: no setting changes.'),
  curl: nameOrNull.describe('The request as a command line; the API key is a variable.'),
  patch: nameOrNull.describe(
    'Text for whoever manages the compute or project by `managed_by` of its policy, such as Terraform; null: nobody else, or no setting changes.',
  ),
  spend_micros_per_30_days: savingSchema.describe('With the settings now.'),
  saving_micros_per_30_days: savingSchema,
  effect: effectSchema.extend({
    wake_latency_seconds: number().min(0).nullable().describe('Median of the wakes of its region.'),
  }),
  confidence: oneOf(['low', 'medium', 'high']),
  grounds: strictObject({
    from: instant,
    to: instant,
    days: number().min(0).describe('Days with observations.'),
    followed_share: ratio.describe('Share of the time in which activity was followed.'),
    cu: strictObject({ low: number(), likely: number(), high: number() }).describe('Size while awake.'),
    price_micros_per_cu_hour: int(),
    gaps: array(tuple([number(), number(), number()])).describe(
      'Gaps between activities by length: at least and at most this many seconds on average, and their number. Each length that observations leave a gap is as likely: one that may be shorter or longer than a delay counts in parts.',
    ),
  }).describe('What it rests on.'),
  alternatives: array(
    strictObject({
      to: settingSchema,
      saving_micros_per_30_days: savingSchema,
      effect: effectSchema,
      because: oneOf(['dearer', 'wakes-more', 'unsure', 'restarts', 'hardly-better']).describe(
        'Why it lost.',
      ),
    }),
  ),
  detail: detailSchema.nullable().describe('What the settings do not say.'),
  opened_at: instant,
  confirmed_at: instant,
  ended: strictObject({
    at: instant,
    because: nameOrNull.describe('Why it was dismissed or withdrawn; the id that superseded it.'),
    by: nameOrNull.describe('Name of the token that dismissed it.'),
    until: instant.nullable().describe('When a dismissal ends.'),
    promised_micros_per_30_days: savingSchema
      .nullable()
      .describe(
        'Its saving beside other settings that took effect meanwhile: what came is compared with this. Null before its follow-up has ended, and where there were none.',
      ),
    realised_micros_per_30_days: savingSchema
      .nullable()
      .describe('Saving that came of an implemented one; null before its follow-up has ended.'),
  })
    .nullable()
    .describe('Null while it is open.'),
  dismissed_before: strictObject({
    id: string(),
    at: instant,
    until: instant.nullable(),
    by: string().describe('Name of the token.'),
    because: string().describe('The reason that was given.'),
    to: settingSchema,
    saving_micros_per_30_days: savingSchema,
  })
    .nullable()
    .describe('Last one of its kind that was dismissed, as it was then; null: none was.'),
})

export type RecommendationJson = z.output<typeof recommendationSchema>
export type SettingJson = RecommendationJson['to']

export const withheldSchema = strictObject({
  ...identity,
  kind: kindSchema,
  because: becauseSchema.describe(
    '`fits`: nothing to change. All others: why there is no answer, or none to act on.',
  ),
  have: number(),
  needs: number(),
  until: instant.nullable().describe('When the answer will be there; null: waiting alone changes nothing.'),
  sizing: becauseSchema
    .nullable()
    .describe('Of kind defaults: why the default size stays as it is; null: `because` says so.'),
  always_on_micros_per_30_days: int()
    .nullable()
    .describe('Of kind delay: what a compute costs whose autosuspend is off; null: it is on.'),
})

export const noWakeSchema = strictObject({
  window: string(),
  micros: int().describe('What staying awake inside the window costs more in 30 days, in millionths.'),
  wakes_per_day: number().min(0).describe('Wakes inside it that this saves.'),
})

/** Prices of no wake, one for each window, by id of the recommendation. */
export type NoWakeCosts = ReadonlyMap<string, readonly z.output<typeof noWakeSchema>[]>

export type WithheldJson = z.output<typeof withheldSchema>

export const recommendationsSchema = strictObject({
  schema_version: literal(2),
  account: string(),
  currency: string(),
  saving_micros_per_30_days: savingSchema.describe('Of all open ones, applied together.'),
  recommendations: array(recommendationSchema),
  withheld: array(withheldSchema).describe('Kinds without a recommendation, and why.'),
})

export type RecommendationsJson = z.output<typeof recommendationsSchema>

/** Recommendations of one compute, and why there are no others. */
export type TargetAdviceJson = Readonly<{
  currency: string
  /** By the time they were opened, without those that were replaced. */
  recommendations: readonly RecommendationJson[]
  withheld: readonly WithheldJson[]
  /** Open delays only; empty without windows. */
  noWakeCosts: NoWakeCosts
}>

export const recommendationsJsonSchema = (): unknown => ({
  title: 'Recommendations of Dormouse',
  ...toJSONSchema(recommendationsSchema),
})
