// Every key of the configuration file, its default and its meaning. `config/default.yaml` and `config/schema.json` are made from it.
import { z } from 'zod'
import { accountSchema } from './sections/account.ts'
import { budgetsSchema } from './sections/budgets.ts'
import { metricsSchema } from './sections/metrics.ts'
import { notificationsSchema } from './sections/notifications.ts'
import { ownersSchema } from './sections/owners.ts'
import { reportConfigSchema } from './sections/report.ts'
import { durationSchema, moneySchema, wholeNumberSchema } from './units.ts'
import { serverSchema } from './sections/server.ts'
import { calendarsSchema, windowsSchema } from './sections/windows.ts'
import { zoneSchema } from './sections/zone.ts'

const overhead = 'expected a share from 0 to 0.2'

const poll = z
  .strictObject({
    interval: durationSchema({ min: '1s', max: '1d' })
      .prefault('60s')
      .describe('From the start of one pass to the start of the next.'),
    max_age: durationSchema({ min: '1s', max: '7d' })
      .prefault('15m')
      .describe('The oldest a look at a compute may become.'),
    history: durationSchema({ min: '1d', max: '400d' })
      .prefault('60d')
      .describe('How far back the operations of a compute are read when it is seen for the first time.'),
  })
  .transform(({ max_age: maxAge, ...rest }) => ({ ...rest, maxAge }))

const reading = z
  .strictObject({
    mode: z
      .enum(['off', 'light', 'full'])
      .prefault('full')
      .describe('off: never connect to a compute. light: connections and causes. full: the file cache, too.'),
    overhead: z
      .number(overhead)
      .min(0, overhead)
      .max(0.2, overhead)
      .prefault(0.01)
      .describe('The share of its awake time that readings may add to a compute.'),
    min_interval: durationSchema({ max: '7d' })
      .prefault('5m')
      .describe('The least time between two readings of one compute.'),
    activity_lag: durationSchema({ max: '1h' })
      .prefault('60s')
      .describe('How late the service shows the last activity, until it has been measured.'),
    database: z
      .string()
      .min(1)
      .optional()
      .meta({ examples: ['app'] })
      .describe(
        'The database to connect to for full readings, with the extension that shows the file cache.',
      ),
    role: z
      .string()
      .min(1)
      .prefault('dormouse')
      .describe('The role whose connection strings are asked for, with service.use_connection_uri.'),
    service_users: z
      .array(z.string())
      .prefault(['cloud_admin'])
      .describe("The service's own users: their sessions are nobody's activity."),
    deadline: durationSchema({ min: '100ms', max: '1m' })
      .prefault('5s')
      .describe('The longest a reading may take.'),
    max_concurrent: wholeNumberSchema(1, 256).prefault(16).describe('Readings at the same time.'),
  })
  .transform(
    ({
      min_interval: minInterval,
      activity_lag: activityLag,
      service_users: serviceUsers,
      max_concurrent: maxConcurrent,
      ...rest
    }) => ({ ...rest, minInterval, activityLag, serviceUsers, maxConcurrent }),
  )

const service = z
  .strictObject({
    preset: z
      .enum(['interface', '2026-03'])
      .prefault('2026-03')
      .describe(
        'What a size gives where the service does not say: its interface text, or its documents of 2026-03.',
      ),
    requests_per_minute: wholeNumberSchema(1, 100_000)
      .prefault(350)
      .describe('Requests to one account; the service allows about 700 and people want some of them.'),
    use_connection_uri: z
      .boolean()
      .prefault(false)
      .describe(
        'Whether the service may be asked for connection strings, which hold passwords, where an account has no dsn.',
      ),
  })
  .transform(({ preset, requests_per_minute: requestsPerMinute, use_connection_uri: useConnectionUri }) => ({
    preset,
    requestsPerMinute,
    useConnectionUri,
  }))

const prices = z
  .strictObject({
    file: z
      .string()
      .min(1)
      .optional()
      .meta({ examples: ['./prices.yaml'] })
      .describe('Price file; the one that comes with Dormouse when absent.'),
    currency: z
      .string()
      .min(1)
      .optional()
      .meta({ examples: ['USD'] })
      .describe('The label of the money, in place of the price file.'),
    cu_hour: moneySchema
      .optional()
      .describe('What a CU-hour costs on every plan and at all times, in place of the price file.'),
  })
  .transform(({ cu_hour: cuHour, ...rest }) => ({ ...rest, cuHour }))

export const configSchema = z.strictObject({
  mode: z
    .enum(['off', 'observe', 'suggest', 'approve', 'apply'])
    .prefault('suggest')
    .describe('How far Dormouse may go. So far it only reads, in every mode.'),
  accounts: z
    .array(accountSchema, 'expected a list with at least one account')
    .min(1, 'expected a list with at least one account')
    .describe('The accounts of the service to look after.'),
  timezone: zoneSchema
    .prefault('UTC')
    .describe('Where days begin and clocks hang, by its IANA name: Europe/Berlin, not CET.'),
  calendars: calendarsSchema
    .optional()
    .meta({ examples: [{ holidays: { dates: ['2026-12-25', '2026-12-26'] } }] })
    .describe('Days by name, for windows to leave out.'),
  windows: windowsSchema
    .optional()
    .meta({
      examples: [
        {
          office: 'Mon-Fri 08:00-19:00',
          night: { days: 'Mon-Fri', from: '22:00', to: '06:00', except: ['holidays'] },
          maintenance: [{ cron: '0 3 * * WED#2', duration: '2h', zone: 'America/New_York' }],
        },
      ],
    })
    .describe('Times by name: each a text, one of three forms, or a list of these that adds up.'),
  budgets: budgetsSchema
    .optional()
    .meta({
      examples: [[{ name: 'previews', scope: { project: 'preview-*' }, limit: '200 USD', per: 'month' }]],
    })
    .describe('What may be spent: by whom, how much, in which period.'),
  owners: ownersSchema
    .prefault([])
    .meta({
      examples: [
        [
          { match: { project: 'shop-*' }, team: 'payments', tier: 'prod', channel: '#payments' },
          { match: { project: 'preview-*' }, team: 'web', tier: 'dev' },
        ],
      ],
    })
    .describe('Who answers for which computes: the most specific entry that fits, then the first.'),
  notifications: notificationsSchema
    .prefault([])
    .meta({
      examples: [
        [
          { name: 'ops', type: 'slack', url_file: '/run/secrets/slack-url' },
          { name: 'payments', type: 'webhook', url_env: 'PAYMENTS_URL', team: 'payments' },
        ],
      ],
    })
    .describe('Who is told of events, such as a budget that is used up.'),
  poll: poll.prefault({}).describe('How often the service is asked.'),
  reading: reading.prefault({}).describe('Looking into the computes that are awake.'),
  service: service.prefault({}).describe('The service itself.'),
  prices: prices.prefault({}).describe('What awake computes cost.'),
  server: serverSchema.prefault({}).describe('Where Dormouse listens.'),
  store: z
    .strictObject({
      folder: z
        .string()
        .min(1)
        .prefault('./dormouse-data')
        .describe('The folder for what must survive; relative to this file.'),
    })
    .prefault({})
    .describe('Where Dormouse keeps its ledger.'),
  metrics: metricsSchema.prefault({}).describe('What /metrics shows.'),
  report: reportConfigSchema.prefault({}).describe('The weekly report.'),
  log: z
    .strictObject({
      level: z
        .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
        .prefault('info')
        .describe('The least severe lines that are written.'),
    })
    .prefault({})
    .describe('The log, JSON lines on standard output.'),
})

/** What the file says, with defaults; `load.ts` makes the `Config` of it. */
export type ConfigEntry = z.output<typeof configSchema>
