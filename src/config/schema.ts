// `config/default.yaml` and `config/schema.json` are generated from this schema.
import { array, boolean, enum as oneOf, number, strictObject, string, type z } from 'zod'
import { isHostName } from '../model/service/allowed-hosts.ts'
import { accountSchema } from './sections/account.ts'
import { brakesSchema } from './sections/brakes.ts'
import { budgetsSchema } from './sections/budgets.ts'
import { notificationsSchema } from './sections/notifications.ts'
import { ownersSchema } from './sections/owners.ts'
import { planLimitsSchema } from './sections/plan-limits.ts'
import { adviceSchema, policiesSchema } from './sections/policies.ts'
import { reportConfigSchema } from './sections/report.ts'
import { camelKeys, example, optionalText, someText, wholeNumberSchema, zoneSchema } from './parts.ts'
import { durationSchema, moneySchema } from './units.ts'
import { serverSchema } from './sections/server.ts'
import { calendarsSchema, windowsSchema } from './sections/windows.ts'

const NO_HOST = 'expected a list of host names or IP addresses'
const overhead = 'expected a share from 0 to 0.2'

const poll = strictObject({
  interval: durationSchema({ min: '1s', max: '1d' })
    .prefault('60s')
    .describe('From the start of one pass to the start of the next.'),
  max_age: durationSchema({ min: '1s', max: '7d' })
    .prefault('15m')
    .describe('The greatest age of a look at a compute.'),
  history: durationSchema({ min: '1d', max: '400d' })
    .prefault('60d')
    .describe('How far back the operations of a compute are read when it is seen for the first time.'),
}).transform(camelKeys)

const reading = strictObject({
  mode: oneOf(['off', 'light', 'full'])
    .prefault('full')
    .describe(
      'off: never connect to a compute. light: read connections and causes. full: read the file cache, too.',
    ),
  overhead: number(overhead)
    .min(0, overhead)
    .max(0.2, overhead)
    .prefault(0.01)
    .describe('The share of the awake time of a compute that readings may add to it.'),
  min_interval: durationSchema({ max: '7d' })
    .prefault('5m')
    .describe('The least time between two readings of one compute.'),
  activity_lag: durationSchema({ max: '1h' })
    .prefault('60s')
    .describe('How late the service shows the last activity, until it has been measured.'),
  database: optionalText
    .meta(example('app'))
    .describe('The database to connect to for full readings, with the extension that shows the file cache.'),
  role: someText
    .prefault('dormouse')
    .describe('The role whose connection strings are requested, with service.use_connection_uri.'),
  hosts: array(string().refine(isHostName, NO_HOST), NO_HOST)
    .min(1, NO_HOST)
    .optional()
    .meta(example(['example.com', 'db.internal']))
    .describe(
      'Hosts of computes that may be read: a name and all names below it, or an IP address; localhost also means 127.x.x.x. ' +
        "Default: the last two labels of the host of the account's base_url. A compute with another host is not read, because the service names it.",
    ),
  authentication: array(oneOf(['scram-sha-256', 'md5', 'password']))
    .prefault(['scram-sha-256'])
    .describe(
      'How the password may be sent to Postgres, if it asks for one. md5 and password (clear text) give it to whoever answers: only for proxies that know nothing else, with verified TLS.',
    ),
  sslmode: oneOf(['verify-full', 'no-verify', 'disable'])
    .prefault('verify-full')
    .describe('TLS to computes, with service.use_connection_uri; a dsn has its own.'),
  sslrootcert: optionalText
    .meta(example('/etc/dormouse/authority.pem'))
    .describe('File with the authority of their certificates, with service.use_connection_uri.'),
  service_users: array(string())
    .prefault(['cloud_admin'])
    .describe("The service's own users: their sessions do not count as client activity."),
  deadline: durationSchema({ min: '100ms', max: '1m' })
    .prefault('5s')
    .describe('The longest a reading may take.'),
  max_concurrent: wholeNumberSchema(1, 256).prefault(16).describe('Readings at the same time.'),
}).transform(camelKeys)

const service = strictObject({
  preset: oneOf(['interface', '2026-03'])
    .prefault('2026-03')
    .describe(
      'Memory and connections of each size, where the service does not report them, and what each plan allows: as its interface text says, or as its documents of 2026-03.',
    ),
  requests_per_minute: wholeNumberSchema(1, 100_000)
    .prefault(350)
    .describe(
      'Requests a minute to one account; the service allows about 700, and people need some of them.',
    ),
  use_connection_uri: boolean()
    .prefault(false)
    .describe(
      'Whether Dormouse may ask the service for connection strings, which hold passwords, where an account has no dsn.',
    ),
  settle: durationSchema({ min: '1s', max: '1h' })
    .prefault('120s')
    .describe(
      'How long after an unanswered request to change a compute that request may still take effect. Nothing is sent again before; a shorter time than 120s risks that a change is made twice.',
    ),
  plan_limits: planLimitsSchema
    .optional()
    .meta(example({ launch: { delays: { from: '60s', to: '7d' } }, negotiated: { like: 'scale' } }))
    .describe(
      'What a plan allows, by its name in accounts[].plan, in place of the limits of the preset. Recommendations keep to it; of a plan that is neither here nor free, launch or scale nothing is known, and what depends on it is not recommended.',
    ),
}).transform(camelKeys)

const FREEZE = 'expected a list of names of windows'

const changes = strictObject({
  freeze: array(string(FREEZE), FREEZE)
    .prefault([])
    .meta(example(['year-end']))
    .describe(
      'Windows, by their names, in which nothing is changed, whoever asked for it; nothing begins that would still be under way when one opens.',
    ),
  kill_switch_file: optionalText
    .meta(example('/etc/dormouse/kill'))
    .describe(
      'While a file is there, nothing is changed: it is looked for before each request. Relative to this file. The variable DORMOUSE_KILL_SWITCH=1 does the same from the start on.',
    ),
}).transform(camelKeys)

const prices = strictObject({
  file: optionalText
    .meta(example('./prices.yaml'))
    .describe('Price file; without it the one that comes with Dormouse.'),
  currency: optionalText
    .meta(example('USD'))
    .describe('The label of the currency, in place of the one in the price file.'),
  cu_hour: moneySchema
    .optional()
    .describe('Price of a CU-hour on every plan and at all times, in place of the price file.'),
}).transform(camelKeys)

const metrics = strictObject({
  detail: oneOf(['basic', 'full'])
    .prefault('basic')
    .describe('basic: the series of each compute that alerts and the fleet board need. full: all series.'),
  per_compute: oneOf(['all', 'recent', 'none'])
    .prefault('all')
    .describe(
      'Computes with series of their own; recent: awake within a week, with an operation in progress, or with an open change. All computes are counted by state.',
    ),
  stale_after: wholeNumberSchema(1, 1000)
    .prefault(3)
    .describe('Polls without an answer after which a state is exported as unknown.'),
  max_series: wholeNumberSchema(1000, 10_000_000)
    .prefault(100_000)
    .describe(
      'The most series of projects and computes. Above it, series that are not basic are left out first, then computes that were not awake within a week, then the cheapest computes.',
    ),
}).transform(camelKeys)

export const configSchema = strictObject({
  mode: oneOf(['off', 'observe', 'suggest', 'approve', 'apply'])
    .prefault('suggest')
    .describe(
      'How far Dormouse may go. off and observe: it reads, recommends nothing and refuses changes. suggest: it recommends, and makes the changes that people ask for or approve. approve: recommendations that a policy has levers for become changes that wait for a person. apply: they are made without one.',
    ),
  accounts: array(accountSchema, 'expected a list with at least one account')
    .min(1, 'expected a list with at least one account')
    .describe('The accounts of the service to look after.'),
  timezone: zoneSchema
    .prefault('UTC')
    .describe('The time zone of days, windows and schedules, by its IANA name: Europe/Berlin, not CET.'),
  calendars: calendarsSchema
    .optional()
    .meta(example({ holidays: { dates: ['2026-12-25', '2026-12-26'] } }))
    .describe('Lists of dates by name, which windows can leave out.'),
  windows: windowsSchema
    .optional()
    .meta(
      example({
        office: 'Mon-Fri 08:00-19:00',
        night: { days: 'Mon-Fri', from: '22:00', to: '06:00', except: ['holidays'] },
        maintenance: [{ cron: '0 3 * * WED#2', duration: '2h', zone: 'America/New_York' }],
      }),
    )
    .describe(
      'Recurring times by name: each is a text, one of three forms, or a list of these that adds up.',
    ),
  budgets: budgetsSchema
    .optional()
    .meta(example([{ name: 'previews', scope: { project: 'preview-*' }, limit: '200 USD', per: 'month' }]))
    .describe('Spending limits: which computes, how much, in which period.'),
  owners: ownersSchema
    .prefault([])
    .meta(
      example([
        { match: { project: 'shop-*' }, team: 'payments', tier: 'prod', channel: '#payments' },
        { match: { project: 'preview-*' }, team: 'web', tier: 'dev' },
      ]),
    )
    .describe(
      'Teams and the computes they answer for. The most specific entry that fits wins, then the first.',
    ),
  policies: policiesSchema
    .prefault([])
    .meta(
      example([
        { match: { project: 'shop-*' }, autosuspend: { floor: '10m', wake_cost: '15m' } },
        { match: { compute: 'ep-loader-*' }, sizing: { min: 2, never_down: true }, recommend: ['sizing'] },
        { match: { project: 'sandbox' }, recommend: 'off' },
        {
          match: { project: 'dev-*' },
          mode: 'apply',
          levers: ['delay', 'sizing'],
          restart: { when: ['window'], windows: ['night'], deny: ['office'] },
        },
      ]),
    )
    .describe(
      'How recommendations are made for which computes, and which of them become changes without a request. Each group of settings (autosuspend, sizing, recommend, advice, mode, levers, restart, warm, on_foreign_change, managed_by) is that of the most specific entry that fits and has it, then of the first; keys that a group leaves out have their defaults.',
    ),
  advice: adviceSchema.prefault({}).describe('The evidence that recommendations need.'),
  notifications: notificationsSchema
    .prefault([])
    .meta(
      example([
        { name: 'ops', type: 'slack', url_file: '/run/secrets/slack-url' },
        { name: 'payments', type: 'webhook', url_env: 'PAYMENTS_URL', team: 'payments' },
      ]),
    )
    .describe('Receivers of events, such as a budget that is used up.'),
  poll: poll.prefault({}).describe('How often Dormouse asks the service.'),
  reading: reading.prefault({}).describe('Readings inside the Postgres of awake computes.'),
  service: service.prefault({}).describe('The service itself.'),
  changes: changes.prefault({}).describe('Changes, whoever asked for them.'),
  brakes: brakesSchema
    .prefault({})
    .describe(
      'Limits of the restarts that policies make by themselves. A change that a person asks for passes them.',
    ),
  verify: strictObject({
    warm_up: durationSchema({ min: '1s', max: '1d' })
      .prefault('60m')
      .describe('The time after a start of a compute in which its file cache counts as cold.'),
  })
    .transform(camelKeys)
    .prefault({})
    .describe('How the changes of size that policies make are judged after they took effect.'),
  prices: prices.prefault({}).describe('What awake computes cost.'),
  server: serverSchema.prefault({}).describe('Where Dormouse listens.'),
  store: strictObject({
    folder: someText
      .prefault('./dormouse-data')
      .describe(
        'The folder of the ledger and everything else that must survive a restart; relative to this file. Refused if another user owns it or can write to it.',
      ),
  })
    .prefault({})
    .describe('Where Dormouse stores its data.'),
  metrics: metrics.prefault({}).describe('What /metrics exports.'),
  report: reportConfigSchema.prefault({}).describe('The weekly report.'),
  log: strictObject({
    level: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
      .prefault('info')
      .describe('The least severe lines that are written.'),
  })
    .prefault({})
    .describe('The log, JSON lines on standard output.'),
})

/** With defaults; `load.ts` turns it into `Config`. */
export type ConfigEntry = z.output<typeof configSchema>
