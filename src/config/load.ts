// Loads the configuration: the only reader of the file and of the environment.
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import type { Window } from '../calendar/window.ts'
import type { Budget } from '../model/policy/budget.ts'
import { createOwners, type Owners } from '../model/policy/owner.ts'
import type { Prices } from '../model/ledger/price.ts'
import { instant, type Instant, type Micros } from '../model/units.ts'
import { failed, ok, type Result } from '../std/result.ts'
import type { AccountEntry } from './sections/account.ts'
import { buildBudgets } from './sections/budgets.ts'
import { withDefaults } from './defaults.ts'
import { configJsonSchema } from './json-schema.ts'
import { buildNotifications, type Notification } from './sections/notifications.ts'
import { ownerRules } from './sections/owners.ts'
import type { ConfigContext } from './sections/receiver.ts'
import { moneySchema, parseDay } from './units.ts'
import { buildReportSinks, type ReportSink } from './sections/report.ts'
import { parseWithSchema, parseYaml, type ConfigProblems } from './problems.ts'
import { repeatedName } from './suggestions.ts'
import { configSchema, type ConfigEntry } from './schema.ts'
import type { TlsFiles } from './sections/server.ts'
import { createKey, createSecret, fileErrorText, type Environment, type Secret } from './secrets.ts'
import { buildWindows } from './sections/windows.ts'

const SHIPPED_PRICES = join(import.meta.dirname, '../../config/prices.yaml')

export type AccountConfig = {
  readonly name: string
  readonly baseUrl: string
  readonly key: Secret
  readonly orgId: string | undefined
  readonly projects: 'discover' | readonly string[]
  readonly plan: string
  readonly prices: Prices
  /** Connection string without password, with placeholders `{host}`, `{endpoint_id}`, `{project_id}` and `{database}`. */
  readonly dsn: string | undefined
  readonly dsnPassword: Secret | undefined
}

/** The configuration in effect: paths are absolute, secrets are not read. */
export type Config = Omit<
  ConfigEntry,
  'accounts' | 'prices' | 'calendars' | 'windows' | 'budgets' | 'owners' | 'notifications' | 'report'
> & {
  /** At least one, in the order of the file, names unique. */
  readonly accounts: readonly AccountConfig[]
  /** Name → window. */
  readonly windows: ReadonlyMap<string, Window>
  /** In the order of the file, names unique; each belongs to one of the accounts. */
  readonly budgets: readonly Budget[]
  readonly owners: Owners
  /** Receivers of events, names unique. */
  readonly notifications: readonly Notification[]
  readonly report: Omit<ConfigEntry['report'], 'sinks'> & { readonly sinks: readonly ReportSink[] }
}

/** Environment variables of this process. */
export const processEnvironment = (): Environment => process.env

/** The configuration in the file at `path`, or all of its problems, secrets that cannot be read included. */
export function loadConfig(path: string, env: Environment): Result<Config, ConfigProblems> {
  const loaded = loadWithSource(path, env)
  return loaded.ok ? ok(loaded.value.config) : loaded
}

export type LoadedConfig = {
  readonly config: Config
  /** The YAML value of the file with every default filled in. */
  readonly effective: unknown
}

/** `loadConfig` with the source of the configuration. */
export function loadWithSource(path: string, env: Environment): Result<LoadedConfig, ConfigProblems> {
  const file = readYaml(path)
  if (!file.ok) return file
  if (!isKeyed(file.value)) return failed([`${path}: expected keys and values`])
  const parsed = parseWithSchema(configSchema, file.value, configJsonSchema())
  if (!parsed.ok) return parsed
  const config = complete(parsed.value, { folder: dirname(resolve(path)), env })
  return config.ok ? ok({ config: config.value, effective: withDefaults(file.value) }) : config
}

const isKeyed = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readYaml(path: string): Result<unknown, ConfigProblems> {
  try {
    const parsed = parseYaml(readFileSync(path, 'utf8'))
    return parsed.ok ? parsed : failed(parsed.error.map((problem) => `${path}: ${problem}`))
  } catch (cause) {
    return failed([`${path} cannot be read: ${fileErrorText(cause)}`])
  }
}

/** Adds what takes more than the file itself: other files, the environment, checks across sections. */
function complete(entry: ConfigEntry, { folder, env }: ConfigContext): Result<Config, ConfigProblems> {
  const prices = readPrices(
    entry.prices.file === undefined ? SHIPPED_PRICES : resolve(folder, entry.prices.file),
  )
  const accounts = entry.accounts.map((account) => accountOf(account, { folder, env }))
  const accountPrices = entry.accounts.map((account) =>
    prices.ok ? priceOf(account, entry, prices.value) : undefined,
  )
  const windows = buildWindows({ ...entry, calendars: entry.calendars ?? {}, windows: entry.windows ?? {} })
  const currencies = new Map(entry.accounts.map(({ name }, index) => [name, accountPrices[index]?.currency]))
  const budgets = buildBudgets(entry.budgets ?? [], { ...windows, timezone: entry.timezone, currencies })
  const notifications = buildNotifications(entry.notifications, { folder, env })
  const teams = new Set(entry.owners.map(({ owner }) => owner.team))
  const report = buildReportSinks(entry.report, teams, { folder, env })
  const problems = [
    ...(prices.ok ? [] : prices.error.map((problem) => `prices.file: ${problem}`)),
    ...accounts.flatMap((account, index) => secretProblems(account, `accounts[${index}]`)),
    ...entry.accounts.flatMap((_, index) => repeatedName('accounts', entry.accounts, index)),
    ...(prices.ok ? unknownPlans(entry.accounts, prices.value) : []),
    ...(entry.poll.maxAge < entry.poll.interval ? ['poll.max_age: expected at least poll.interval'] : []),
    ...windows.problems,
    ...budgets.problems,
    ...notifications.problems,
    ...report.problems,
  ]
  if (problems.length > 0) return failed(problems)
  const { prices: _prices, calendars: _calendars, ...rest } = entry
  return ok({
    ...rest,
    store: { folder: resolve(folder, entry.store.folder) },
    server: { ...entry.server, tls: entry.server.tls && tlsOf(entry.server.tls, folder) },
    accounts: accounts.flatMap((account, index) => {
      const own = accountPrices[index]
      return own ? [{ ...account, prices: own }] : []
    }),
    windows: windows.windows,
    budgets: budgets.budgets,
    owners: createOwners(ownerRules(entry.owners)),
    notifications: notifications.notifications,
    report: { ...entry.report, sinks: report.reportSinks },
  })
}

const tlsOf = ({ certFile, keyFile }: TlsFiles, folder: string): TlsFiles => ({
  certFile: resolve(folder, certFile),
  keyFile: resolve(folder, keyFile),
})

const accountOf = (entry: AccountEntry, { folder, env }: ConfigContext): Omit<AccountConfig, 'prices'> => {
  const secret = (
    make: typeof createSecret,
    file: string | undefined,
    variable: string | undefined,
  ): Secret | undefined => {
    if (file !== undefined) return make({ file: resolve(folder, file) }, env)
    return variable === undefined ? undefined : make({ variable }, env)
  }
  const key = secret(createKey, entry.api_key_file, entry.api_key_env)
  if (!key) throw new Error('an account without a key passed the schema')
  return {
    name: entry.name,
    baseUrl: entry.base_url,
    key,
    orgId: entry.org_id,
    projects: entry.projects,
    plan: entry.plan,
    dsn: entry.dsn,
    dsnPassword: secret(createSecret, entry.dsn_password_file, entry.dsn_password_env),
  }
}

const secretProblems = ({ key, dsnPassword }: Omit<AccountConfig, 'prices'>, path: string): string[] =>
  [key, dsnPassword].flatMap((secret) => {
    const text = secret?.read()
    return text && !text.ok ? [`${path}: ${text.error}`] : []
  })

const unknownPlans = (accounts: readonly AccountEntry[], { plans }: PriceFile): string[] =>
  accounts.flatMap(({ plan }, index) =>
    Object.hasOwn(plans, plan)
      ? []
      : [`accounts[${index}].plan: expected a plan of the price file: ${Object.keys(plans).join(', ')}`],
  )

const priceOf = (account: AccountEntry, { prices }: ConfigEntry, file: PriceFile): Prices | undefined =>
  selectPrices(file, account.plan, {
    currency: account.currency ?? prices.currency,
    cuHour: account.cu_hour ?? prices.cuHour,
  })

const day = z.string().transform((text, context): Instant => {
  const at = parseDay(text)
  if (at !== undefined) return at
  context.addIssue('expected a day such as 2026-03-01')
  return z.NEVER
})

const period = z
  .strictObject({ from: day, cu_hour: moneySchema })
  .transform(({ from, cu_hour: perCuHour }) => ({ from, perCuHour }))

const periods = z
  .array(period)
  .min(1, 'expected at least one period')
  .transform((list) => list.toSorted((a, b) => a.from - b.from))

const priceFileSchema = z.strictObject({
  currency: z.string().min(1),
  plans: z.record(z.string(), periods),
})
type PriceFile = z.output<typeof priceFileSchema>

type Override = { readonly currency?: string | undefined; readonly cuHour?: Micros | undefined }

/** Prices of `plan`, with the overrides of the configuration; undefined when the file does not have the plan. */
function selectPrices(file: PriceFile, plan: string, override: Override): Prices | undefined {
  const listed = file.plans[plan]
  if (!listed) return undefined
  return {
    currency: override.currency ?? file.currency,
    periods: override.cuHour === undefined ? listed : [{ from: instant(0), perCuHour: override.cuHour }],
  }
}

/** Prices of a plan in the price file that comes with Dormouse. */
export function shippedPrices(plan: string): Result<Prices, ConfigProblems> {
  const file = readPrices(SHIPPED_PRICES)
  if (!file.ok) return file
  const prices = selectPrices(file.value, plan, {})
  return prices ? ok(prices) : failed([`plan: expected one of ${Object.keys(file.value.plans).join(', ')}`])
}

function readPrices(path: string): Result<PriceFile, ConfigProblems> {
  const file = readYaml(path)
  return file.ok ? parseWithSchema(priceFileSchema, file.value, {}) : file
}
