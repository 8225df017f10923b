// Every output of changes is made from it; config/changes.schema.json is generated from it.
import { array, boolean, enum as oneOf, int, iso, literal, number, record, strictObject, string } from 'zod'
import { toJSONSchema, union, unknown, type z } from 'zod'
import { RUNGS } from '../../model/policy/budget.ts'
import { CHANGE_KINDS, ENDED_STATES, OPEN_STATES } from '../../model/policy/change.ts'
import { brakeAnswerSchema, brakesJsonSchema, holdAnswerSchema, holdsSchema } from './hold-schema.ts'
import { savingSchema } from './recommendation-schema.ts'

const instant = iso.datetime().describe('An instant, UTC.')
const nameOrNull = string().nullable()

const settingSchema = strictObject({
  delay_seconds: union([int().min(1), literal(['never', 'default'])]).optional(),
  min_cu: number().positive().optional(),
  max_cu: number().positive().optional().describe('Equal to min_cu: a fixed size.'),
}).describe('The settings that the change sets; none for a restart.')

const identity = {
  account: string(),
  project_id: string(),
  project_name: nameOrNull,
  endpoint_id: nameOrNull.describe('Null: it is about the defaults of the project.'),
  name: nameOrNull.describe('Name of the compute.'),
  currency: string(),
}

const holdSchema = strictObject({
  because: string(),
  text: string().describe('The same in words.'),
  since: instant.nullable().describe('When it was seen first; null: it has not begun.'),
  until: instant.nullable().describe('Null: it has no known end.'),
})

const whatSchema = {
  kind: oneOf(CHANGE_KINDS),
  from: settingSchema,
  to: settingSchema,
  when: oneOf(['idle', 'now', 'policy']).describe(
    'idle: while the compute is suspended. now: at once, its sessions are interrupted. policy: when the policy of the compute allows it.',
  ),
  restarts: boolean().describe('The service restarts the compute for it.'),
  request: strictObject({
    method: string(),
    path: string(),
    body: record(string(), unknown()).nullable(),
  }).describe('To the service, below its base URL.'),
  plan_hash: string().describe('An approval names it.'),
  recommendation_id: nameOrNull.describe('The recommendation that it implements.'),
  promised_micros_per_30_days: savingSchema.nullable().describe('Saving of that recommendation.'),
  deadline: instant.describe('Nothing is sent after it.'),
}

const slotSchema = strictObject({ from: instant, to: instant })
  .nullable()
  .describe(
    'When windows, freezes, holds and brakes let it be sent, as known now, if it begins within seven days; null: not by then, nobody can say, or it waits for nothing more.',
  )

export const changeSchema = strictObject({
  id: string(),
  ...identity,
  state: oneOf([...OPEN_STATES, ...ENDED_STATES]),
  ...whatSchema,
  asked_by: string().describe(
    'Name of the token; where nobody asked, the policy that decided, such as policies[0], or the budget or schedule, such as budget previews.',
  ),
  approved_by: nameOrNull.describe('Name of the token; null: no approval was needed, or none was given.'),
  reason: string(),
  created_at: instant,
  hold: holdSchema
    .nullable()
    .describe('Why it is not sent now; null: it is sent, has ended, or nobody looked yet.'),
  slot: slotSchema,
  forced: strictObject({ by: string().describe('Name of the token.'), reason: string(), until: instant })
    .nullable()
    .describe('A person lets it go although no window allows it, until then; null: nobody does now.'),
  sent_at: instant.nullable().describe('When its last request was sent; null: none is known to be.'),
  sessions: union([int().min(0), literal('unknown')])
    .nullable()
    .describe(
      'Client sessions that it interrupted, counted right before the request, without those of the pooler; unknown: nobody counted them. Null: nothing was sent.',
    ),
  saved: strictObject({
    saved_micros: int().min(0),
    extra_spend_micros: int().min(0).describe('Spent beyond what the setting before would have cost.'),
    counted_until: instant,
  })
    .nullable()
    .describe(
      'What it saved since it was done, for 28 days or as long as its value stands: the setting before replayed over what came, less what was spent. Null: nothing was counted.',
    ),
  ended: strictObject({ at: instant, because: string() }).nullable().describe('Null while it is open.'),
})

export type ChangeJson = z.output<typeof changeSchema>
export type ChangeSettingJson = ChangeJson['from']
export type HoldJson = NonNullable<ChangeJson['hold']>

export const changesSchema = strictObject({
  schema_version: literal(2),
  account: string(),
  changes: array(changeSchema).describe('Newest first.'),
})

export type ChangesJson = z.output<typeof changesSchema>

export const changeHistorySchema = strictObject({
  schema_version: literal(2),
  change: changeSchema,
  history: array(
    strictObject({
      version: int().min(1),
      at: instant,
      state: changeSchema.shape.state,
      because: nameOrNull,
    }),
  ).describe('Its states, oldest first.'),
})

export type ChangeHistoryJson = z.output<typeof changeHistorySchema>

/** Changes of one compute, the newest first. */
export type TargetChangesJson = Readonly<{
  open: readonly ChangeJson[]
  /** The last ones. */
  ended: readonly ChangeHistoryJson[]
}>

export const changeAnswerSchema = strictObject({
  schema_version: literal(2),
  change: changeSchema,
  note: nameOrNull.describe('What was so already; null: the command changed something.'),
})

export type ChangeAnswerJson = z.output<typeof changeAnswerSchema>

export const planSchema = strictObject({
  ...identity,
  change_id: nameOrNull.describe('Null: no change was made of it yet.'),
  ...whatSchema,
  waits_for: holdSchema.nullable().describe('What it waits for now; null: nothing is known.'),
  slot: slotSchema,
  likely_in_time: oneOf(['yes', 'no', 'unknown']).describe(
    'Whether it is likely to be sent before the deadline; unknown also where a person must do something first.',
  ),
  changes_at_once: array(strictObject({ endpoint_id: string(), name: nameOrNull })).describe(
    'Of a change of defaults: existing computes without a delay of their own, which change at once.',
  ),
})

export type PlanJson = z.output<typeof planSchema>

export const plansSchema = strictObject({
  schema_version: literal(2),
  mode: string(),
  kill_switch: array(string()).describe('What engages it; empty: it is off.'),
  plans: array(planSchema),
  schedules: array(
    strictObject({
      window: string(),
      from: instant,
      to: instant,
      delay_seconds: union([int().min(1), literal('never')]),
      computes: int().min(1),
    }),
  ).describe(
    'Openings within seven days that set delays by the schedules of policies, in order of time; empty where something is named.',
  ),
  put_backs: array(
    strictObject({ budget: string(), at: instant, kind: oneOf(['delay', 'sizing']), computes: int().min(1) }),
  ).describe(
    'Settings that budgets set, and that are put back when their periods end within seven days, where they still hold; in order of time; empty where something is named.',
  ),
})

export type PlansJson = z.output<typeof plansSchema>

export const killSwitchSchema = strictObject({
  schema_version: literal(1),
  engaged: boolean(),
  engaged_by: array(string()),
})

export type KillSwitchJson = z.output<typeof killSwitchSchema>

const amountSchema = strictObject({ low: int(), likely: int(), high: int() }).describe(
  'Millionths of the currency of the account from now until the end of the period: at least, likely, at most.',
)

const stepSchema = strictObject({
  plan: planSchema,
  state: oneOf(['scheduled', 'proposed'])
    .nullable()
    .describe('Of the change that the rung makes; proposed: a person approves it. Null: none is made.'),
  because: string().nullable().describe('Why none is made; null where one is.'),
  saving_micros: amountSchema.nullable().describe('Null: nothing was recorded that tells.'),
})

const rungSchema = strictObject({
  rung: literal(RUNGS).describe('Percent of the limit.'),
  reached: boolean().describe('In this period.'),
  does: string(),
  steps: array(stepSchema).describe('Settings that the rung still changes.'),
  made: array(
    strictObject({
      change_id: string(),
      endpoint_id: string(),
      state: oneOf([...OPEN_STATES, ...ENDED_STATES]),
    }),
  ).describe('Changes that the rung made in this period.'),
  saving_micros: amountSchema
    .nullable()
    .describe('Of the steps of which changes are made, as far as it is known.'),
})

export const budgetPlanSchema = strictObject({
  schema_version: literal(1),
  mode: string(),
  kill_switch: array(string()).describe('What engages it; empty: it is off.'),
  account: string(),
  budget: string(),
  currency: string(),
  period: strictObject({ from: iso.datetime(), to: iso.datetime() }),
  share: number().describe('Likely spend by the limit.'),
  acting: string().describe(
    'acts: it changes settings. tells: it only notifies. held: too much of the spend is assumed.',
  ),
  rungs: array(rungSchema),
})

export type BudgetPlanJson = z.output<typeof budgetPlanSchema>
export type RungPlanJson = BudgetPlanJson['rungs'][number]

/** Schema of the answers of `GET /api/v1/changes`, `/changes/{id}`, `/plan`, `/budgets/{name}/plan`, and of the commands. */
export const changesJsonSchema = (): unknown => ({
  title: 'Changes of Dormouse',
  ...toJSONSchema(
    union([
      changesSchema,
      changeHistorySchema,
      changeAnswerSchema,
      plansSchema,
      budgetPlanSchema,
      killSwitchSchema,
      holdsSchema,
      holdAnswerSchema,
      brakesJsonSchema,
      brakeAnswerSchema,
    ]),
  ),
})
