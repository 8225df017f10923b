// Changes in a report: what ended in its week, what waits, and what held changes back.
import { array, int, strictObject, string, type z } from 'zod'
import { changeSchema } from '../text/change-schema.ts'
import { freezeSchema, placedHoldSchema } from '../text/hold-schema.ts'
import { recommendationSchema } from '../text/recommendation-schema.ts'

const count = int().min(0)

const changeFields = {
  id: true,
  kind: true,
  state: true,
  project_id: true,
  project_name: true,
  endpoint_id: true,
  name: true,
  from: true,
  to: true,
  when: true,
  restarts: true,
  recommendation_id: true,
  promised_micros_per_30_days: true,
  asked_by: true,
  approved_by: true,
  reason: true,
  created_at: true,
} as const

const endedChange = changeSchema.pick({ ...changeFields, sent_at: true, sessions: true, ended: true })
const waitingChange = changeSchema.pick({ ...changeFields, deadline: true, hold: true })

const reportedHold = placedHoldSchema
  .pick({ id: true, by: true, reason: true, placed_at: true, until: true, ended: true })
  .extend({ what: string().nullable().describe('The computes, in words; null where names are left out.') })

/** What became of changes in the week, and what held them back. */
export const reportChangesSchema = strictObject({
  ended: array(strictObject({ state: changeSchema.shape.state, count })).describe(
    'In the week, by what became of them; most first.',
  ),
  sessions_interrupted: count.describe('By the requests of those that ended, as far as they were counted.'),
  sessions_uncounted: count.describe('Requests whose sessions nobody counted.'),
  promised_micros_per_30_days: recommendationSchema.shape.saving_micros_per_30_days.describe(
    'Saving of those that are done, by their recommendations.',
  ),
  saved_micros: count
    .optional()
    .describe(
      'What changes that are done saved in the week, as it was counted: for 28 days after each the setting before replayed over what came, less what was spent. Reports of earlier versions lack it.',
    ),
  extra_spend_micros: count
    .optional()
    .describe(
      'Spent in the week beyond what the settings before changes would have cost. Reports of earlier versions lack it.',
    ),
  listed: array(endedChange).describe('Of those that ended in the week the last 50, the last first.'),
  waiting: array(waitingChange)
    .nullable()
    .describe('Open when the report was made, the oldest first, at most 50; null: not known.'),
  waiting_left: count.describe('Further open ones that are not listed.'),
  reverted: array(endedChange)
    .optional()
    .describe(
      'Of those that ended in the week, the last 50 that were taken back, the last first. Reports of earlier versions lack it.',
    ),
  holds: array(reportedHold)
    .optional()
    .describe(
      'Holds of people that stood in the week, the last 50, the oldest first; of a team those that fit one of its computes. Reports of earlier versions lack it.',
    ),
  freezes: array(freezeSchema)
    .optional()
    .describe(
      'Windows in which nothing is changed that were open in the week, the first 50, by the configuration of when the report was made. Reports of earlier versions lack it.',
    ),
})

export type ReportChanges = z.output<typeof reportChangesSchema>
