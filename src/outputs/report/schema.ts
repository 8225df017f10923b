// Every format is made from it; config/report.schema.json is generated from it.
import { z } from 'zod'

const instant = z.iso.datetime().describe('An instant, UTC.')
const interval = z.strictObject({ from: instant, to: instant })
const micros = z.int().describe('Millionths of the currency.')
const seconds = z.number().describe('Seconds, exact to the millisecond.')
const ratio = z.number().min(0).describe('A share, 0 to 1.')
const count = z.int().min(0)
const nameOrNull = z.string().nullable()

const bounds = z
  .strictObject({ low: z.int(), likely: z.int(), high: z.int() })
  .describe('Millionths of the currency: at least, likely, at most.')

const compute = z
  .strictObject({
    project_id: z.string(),
    endpoint_id: z.string(),
    project_name: nameOrNull.describe('Null when unknown or redacted; likewise name.'),
    name: nameOrNull,
  })
  .describe('Which compute.')

const computeWeek = compute.extend({
  branch_id: nameOrNull,
  team: nameOrNull,
  tier: nameOrNull,
  cost_centre: nameOrNull,
  spend_micros: bounds,
  spend_before_micros: micros.nullable().describe('In the week before; null where that is not known.'),
  awake_seconds: seconds,
  awake_share: ratio.describe('Share of the elapsed part of the week.'),
  cu_seconds: z.number().describe('Size times time awake.'),
  idle_tail_seconds: seconds.describe('Awake after the last activity, in awake intervals that ended.'),
  extension_seconds: seconds.describe('Awake time added because a reading restarted the autosuspend delay.'),
  wakes: count,
})

const forecast = z.strictObject({
  p10: z.number(),
  p50: z.number(),
  p90: z.number(),
  learning: z.boolean().describe('Made from under 60 days: a rough guess.'),
  days: count.describe('Days it was made from.'),
})

const budget = z.strictObject({
  budget: z.string(),
  scope: z.string(),
  team: nameOrNull,
  per: z.enum(['day', 'week', 'month', 'window']),
  period: interval,
  counted_from: instant,
  unit: z.string().describe('Unit of the amounts: a currency, cu_hours or awake_hours.'),
  limit: z.number(),
  spent: z.number(),
  share: z.number().describe('Spent by limit.'),
  reached: z.array(z.int()).describe('Rungs reached in this period, in percent of the limit.'),
  forecast: forecast.nullable().describe('How the period may end; null before a day is over.'),
  probability_over: ratio.nullable(),
})

const client = z.strictObject({
  cause: z.string(),
  application: nameOrNull,
  user: nameOrNull,
  database: nameOrNull,
  share: ratio.describe('Share of the awake time that readings saw.'),
})

export const reportSchema = z.strictObject({
  schema_version: z.literal(1),
  account: z.string(),
  slot: interval.extend({
    id: z.string().describe('The ISO week, such as 2026-W47.'),
    late: z.boolean(),
    hours: z.number().describe('167 or 169 where clocks change.'),
  }),
  zone: z.string().describe('Time zone in which days begin.'),
  currency: z.string(),
  made_at: instant,
  team: nameOrNull.describe('The team that the report is about; null: all teams.'),
  redacted: z.array(z.enum(['names', 'clients'])),
  known_from: instant.nullable().describe('Start of what is known; null when nothing is known.'),
  verdict: z.string().describe('The report in one or two sentences.'),
  spend: z.strictObject({
    week: bounds,
    before: micros.nullable().describe('The week before; null where that is not known.'),
    mean: z
      .strictObject({ weeks: count, micros })
      .nullable()
      .describe('Mean of up to four weeks before; null where none is known.'),
    month: interval
      .extend({ micros, known_from: instant })
      .describe('From the first of the month of the last day of the week to the end of the week.'),
    forecast: forecast
      .extend({ period: interval })
      .nullable()
      .describe('How that month may end, in millionths; null without a forecast.'),
    days: z.array(interval.extend({ date: z.iso.date(), micros, awake_seconds: seconds })),
  }),
  awake: z.strictObject({
    seconds: z.strictObject({ low: seconds, likely: seconds, high: seconds }),
    cu_seconds: z.number(),
    wakes: count,
    computes: count.describe('Computes that were awake, by the likely value.'),
  }),
  groups: z.strictObject({
    by: z.enum(['team', 'cost_centre', 'project', 'branch', 'tier']),
    rows: z.array(
      z.strictObject({
        name: nameOrNull.describe('Null: computes without one.'),
        computes: count,
        micros,
        before_micros: micros.nullable(),
        awake_seconds: seconds,
      }),
    ),
  }),
  movers: z
    .array(
      compute.extend({
        micros,
        before_micros: micros,
        by: z
          .strictObject({ awake: z.int(), size: z.int(), price: z.int() })
          .describe('Parts of the difference, in millionths; they add up to it.'),
      }),
    )
    .describe('The five largest differences to the week before; empty until the week is over.'),
  budgets: z.array(budget).nullable().describe('As they were when the report was made; null: not known.'),
  observer: z.strictObject({
    extension_seconds: seconds,
    micros,
    wakes_caused: count.describe('Since the ledger began.'),
  }),
  unproductive: z.strictObject({
    idle_tail: z.strictObject({ seconds, micros }),
    causes: z.array(z.strictObject({ cause: z.string(), computes: count, seconds, micros })),
    never_slept: z.array(
      compute.extend({
        awake_share: ratio,
        micros,
        month_micros: micros.describe('What 30 days of such weeks cost.'),
        autosuspend_off: z.boolean().nullable(),
        readings: count.describe('Readings in the week; without one the causes are unknown.'),
        held_by: z.array(client).describe('Clients and causes that kept it awake, longest first.'),
      }),
    ),
  }),
  not_analysed: z.array(
    z.strictObject({
      reason: z.enum(['uncertain', 'unread']),
      because: nameOrNull,
      computes: count,
      micros,
      examples: z.array(compute),
    }),
  ),
  events: z
    .strictObject({
      told: z.array(z.strictObject({ at: instant, kind: z.string(), what: z.string() })),
      left: count.describe('Further events that are not listed.'),
    })
    .nullable()
    .describe('Events of the week, in order; null in the report of one team.'),
  computes: z
    .array(computeWeek)
    .describe('Computes that were or may have been awake, the most expensive first.'),
  prices: z
    .array(
      z.strictObject({
        from: instant.nullable().describe('Null: for all time before the next.'),
        cu_hour_micros: micros,
      }),
    )
    .describe('Prices valid in the week, or in the week before where the report compares with it.'),
})

export type Report = z.output<typeof reportSchema>
export type ReportCompute = Report['computes'][number]
export type ReportBudget = z.output<typeof budget>

export const reportJsonSchema = (): unknown => ({
  title: 'Weekly report of Dormouse',
  ...z.toJSONSchema(reportSchema),
})
