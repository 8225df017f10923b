// Every format is made from it; config/report.schema.json is generated from it.
import { array, boolean, enum as oneOf, int, iso, literal, number, strictObject, string } from 'zod'
import { toJSONSchema, union, type z } from 'zod'
import { reportChangesSchema } from './changes-schema.ts'
import { noWakeSchema, recommendationSchema, withheldSchema } from '../text/recommendation-schema.ts'

const instant = iso.datetime().describe('An instant, UTC.')
const interval = strictObject({ from: instant, to: instant })
const micros = int().describe('Millionths of the currency.')
const seconds = number().describe('Seconds, exact to the millisecond.')
const ratio = number().min(0).describe('A share, 0 to 1.')
const count = int().min(0)
const nameOrNull = string().nullable()

const bounds = strictObject({ low: int(), likely: int(), high: int() }).describe(
  'Millionths of the currency: at least, likely, at most. Likely amounts are narrowed as `week_shown` is.',
)

const compute = strictObject({
  project_id: string(),
  endpoint_id: string(),
  project_name: nameOrNull.describe('Null when unknown or redacted; likewise name.'),
  name: nameOrNull,
}).describe('Which compute.')

/** Null as the endpoint: the project itself. */
const target = compute.extend({ endpoint_id: nameOrNull })

const computeWeek = compute.extend({
  branch_id: nameOrNull,
  team: nameOrNull,
  tier: nameOrNull,
  cost_centre: nameOrNull,
  spend_micros: bounds,
  spend_before_micros: micros.nullable().describe('In the week before; null where that is not known.'),
  awake_seconds: seconds,
  awake_share: ratio.describe('Share of the elapsed part of the week.'),
  cu_seconds: number().describe('Size times time awake.'),
  idle_tail_seconds: seconds.describe('Awake after the last activity, in awake intervals that ended.'),
  extension_seconds: seconds.describe('Awake time added because a reading restarted the autosuspend delay.'),
  wakes: count,
})

const forecast = strictObject({
  p10: number(),
  p50: number(),
  p90: number(),
  learning: boolean().describe('Made from under 60 days: a rough guess.'),
  days: count.describe('Days it was made from.'),
})

const budget = strictObject({
  budget: string(),
  scope: string(),
  team: nameOrNull,
  per: oneOf(['day', 'week', 'month', 'window']),
  period: interval,
  counted_from: instant,
  unit: string().describe('Unit of the amounts: a currency, cu_hours or awake_hours.'),
  limit: number(),
  spent: number(),
  spent_because: string()
    .optional()
    .describe('What narrowed it, in words; absent where it is what the ledger takes as likely.'),
  share: number().describe('Spent by limit.'),
  reached: array(int()).describe('Rungs reached in this period, in percent of the limit, by the ledger.'),
  forecast: forecast
    .nullable()
    .describe('How the period may end; null before a day is over, and after the end.'),
  probability_over: ratio.nullable(),
})

const client = strictObject({
  cause: string(),
  application: nameOrNull,
  user: nameOrNull,
  database: nameOrNull,
  share: ratio.describe('Share of the awake time that readings saw.'),
})

const recommendation = recommendationSchema.extend({
  no_wake: array(noWakeSchema).describe('Of a delay, for each window of the configuration.'),
})

const earlierRecommendation = recommendationSchema.pick({
  id: true,
  kind: true,
  state: true,
  project_id: true,
  project_name: true,
  endpoint_id: true,
  name: true,
  from: true,
  to: true,
  detail: true,
  saving_micros_per_30_days: true,
  opened_at: true,
  ended: true,
})

const advice = strictObject({
  saving_micros_per_30_days: recommendationSchema.shape.saving_micros_per_30_days.describe(
    'Of all open ones, applied together.',
  ),
  min_saving_micros: micros.describe('In 30 days; what saves less is counted, not listed.'),
  open: count,
  below: count.describe('Open ones that save less than the minimum.'),
  left: count.describe('Further open ones that are not listed.'),
  listed: array(recommendation).describe(
    'Open ones, at most 100: the largest saving first, then what costs more.',
  ),
  earlier: strictObject({
    opened: count.describe('In the week; likewise superseded and withdrawn.'),
    superseded: count,
    withdrawn: count,
    by_kind: array(
      strictObject({
        kind: recommendationSchema.shape.kind,
        count,
        likely_micros: micros,
        realised_micros: micros,
      }),
    ).describe('Savings in 30 days of those that were implemented and followed up to the end.'),
    listed: array(earlierRecommendation).describe(
      'Implemented and dismissed ones of the week and the 28 days before it, the last first; at most 50.',
    ),
    left: count,
  }),
  withheld: array(
    withheldSchema.pick({ kind: true, because: true }).extend({
      computes: count,
      until: instant.nullable().describe('When the first answer will be there; null: not by waiting.'),
      examples: array(target),
    }),
  ),
})

export const reportSchema = strictObject({
  schema_version: union([literal(1), literal(2)]).describe(
    'Since 2 a recommendation or change may be about the defaults of a project: then endpoint_id is null.',
  ),
  account: string(),
  slot: interval.extend({
    id: string().describe('The ISO week, such as 2026-W47.'),
    late: boolean(),
    hours: number().describe('167 or 169 where clocks change.'),
  }),
  zone: string().describe('Time zone in which days begin.'),
  currency: string(),
  made_at: instant,
  team: nameOrNull.describe('The team that the report is about; null: all teams.'),
  redacted: array(oneOf(['names', 'clients'])),
  known_from: instant.nullable().describe('Start of what is known; null when nothing is known.'),
  projects_partial: count
    .optional()
    .describe(
      'Projects that had not been looked at, or whose past had not been read: their spend is incomplete.',
    ),
  verdict: string().describe('The report in one or two sentences.'),
  recommendations: advice
    .nullable()
    .optional()
    .describe('As they were when the report was made; null: not known. Reports of earlier versions lack it.'),
  changes: reportChangesSchema
    .nullable()
    .optional()
    .describe(
      'Changes that people asked for or approved; null: not known. Reports of earlier versions lack it.',
    ),
  spend: strictObject({
    week: bounds,
    week_shown: strictObject({ low: int(), likely: int(), high: int(), because: string() })
      .optional()
      .describe('Narrower than `week`, for people, and in words what narrows it; absent where nothing does.'),
    before: micros.nullable().describe('The week before; null where that is not known.'),
    mean: strictObject({ weeks: count, micros })
      .nullable()
      .describe('Mean of up to four weeks before; null where none is known.'),
    month: interval
      .extend({ micros, known_from: instant })
      .describe('From the first of the month of the last day of the week to the end of the week.'),
    forecast: forecast
      .extend({ period: interval })
      .nullable()
      .describe('How that month may end, in millionths; null without a forecast.'),
    days: array(interval.extend({ date: iso.date(), micros, awake_seconds: seconds })),
  }),
  awake: strictObject({
    seconds: strictObject({ low: seconds, likely: seconds, high: seconds }),
    cu_seconds: number(),
    wakes: count,
    computes: count.describe('Computes that were awake, by the likely value.'),
  }),
  groups: strictObject({
    by: oneOf(['team', 'cost_centre', 'project', 'branch', 'tier']),
    rows: array(
      strictObject({
        name: nameOrNull.describe('Null: computes without one.'),
        computes: count,
        micros,
        before_micros: micros.nullable(),
        awake_seconds: seconds,
      }),
    ),
  }),
  movers: array(
    compute.extend({
      micros,
      before_micros: micros,
      by: strictObject({ awake: int(), size: int(), price: int() }).describe(
        'Parts of the difference, in millionths; they add up to it.',
      ),
    }),
  ).describe('The five largest differences to the week before; empty until the week is over.'),
  budgets: array(budget)
    .nullable()
    .describe(
      'In the periods that hold the end of the week, as counted when the report was made; null: not known.',
    ),
  observer: strictObject({
    extension_seconds: seconds,
    micros,
    wakes_caused: count.describe('Since the ledger began.'),
  }),
  unproductive: strictObject({
    idle_tail: strictObject({ seconds, micros }),
    causes: array(strictObject({ cause: string(), computes: count, seconds, micros })),
    never_slept: array(
      compute.extend({
        awake_share: ratio,
        micros,
        month_micros: micros.describe('What 30 days of such weeks cost.'),
        autosuspend_off: boolean().nullable(),
        readings: count.describe('Readings in the week; without one the causes are unknown.'),
        held_by: array(client).describe('Clients and causes that kept it awake, longest first.'),
      }),
    ),
  }),
  not_analysed: array(
    strictObject({
      reason: oneOf(['uncertain', 'unread']),
      because: nameOrNull,
      computes: count,
      micros,
      examples: array(compute),
    }),
  ),
  events: strictObject({
    told: array(strictObject({ at: instant, kind: string(), what: string() })),
    left: count.describe('Further events that are not listed.'),
  })
    .nullable()
    .describe('Events of the week, in order; null in the report of one team.'),
  computes: array(computeWeek).describe(
    'Computes that were or may have been awake, the most expensive first.',
  ),
  prices: array(
    strictObject({
      from: instant.nullable().describe('Null: for all time before the next.'),
      cu_hour_micros: micros,
    }),
  ).describe('Prices valid in the week, or in the week before where the report compares with it.'),
})

export type Report = z.output<typeof reportSchema>
export type ReportAdvice = z.output<typeof advice>
export type ReportRecommendation = z.output<typeof recommendation>
export type ReportCompute = Report['computes'][number]
export type ReportBudget = z.output<typeof budget>

export const reportJsonSchema = (): unknown => ({
  title: 'Weekly report of Dormouse',
  ...toJSONSchema(reportSchema),
})
