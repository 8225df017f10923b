// The only reader of the configuration file.
import { dirname, resolve } from 'node:path'
import type { Window } from '../calendar/window.ts'
import type { Budget } from '../model/policy/budget.ts'
import { defaultHosts, type AllowedHosts } from '../model/service/allowed-hosts.ts'
import { createPolicies, type Policies } from '../model/policy/policies.ts'
import { createOwners, type Owners } from '../model/policy/owner.ts'
import type { PlanLimits } from '../model/policy/plan-limits.ts'
import type { Prices } from '../model/ledger/quantities.ts'
import type { Instant } from '../model/units.ts'
import { failed, ok, type Result } from '../std/result.ts'
import type { AccountEntry } from './sections/account.ts'
import { buildBudgets } from './sections/budgets.ts'
import { withDefaults } from './defaults.ts'
import { configJsonSchema } from './json-schema.ts'
import { buildNotifications, type Notification } from './sections/notifications.ts'
import { ownerNames, type OwnerNames } from './sections/owners.ts'
import { limitsOfPlan, planLimitsProblems } from './sections/plan-limits.ts'
import { policyProblems, unknownWindows } from './sections/policy-problems.ts'
import { linesOfPolicies } from './sections/policy-groups.ts'
import { policyLimitProblems } from './sections/policy-limits.ts'
import { buildReportSinks, type ReportSink } from './sections/report.ts'
import { parseWithSchema, type ConfigProblems } from './problems.ts'
import { repeatedName } from './suggestions.ts'
import { readPrices, selectPrices, type PriceFile } from './price-file.ts'
import { readYaml, type LineOf } from './yaml.ts'
import { configSchema, type ConfigEntry } from './schema.ts'
import { configuredSecret, createKey, createSecret, secretProblems } from './secrets.ts'
import type { ConfigContext, Secret, SecretAccess } from './secrets.ts'
import { buildWindows } from './sections/windows.ts'
import { configWarnings } from './warnings.ts'

export type AccountConfig = Pick<
  AccountEntry,
  'name' | 'baseUrl' | 'insecure' | 'orgId' | 'projects' | 'plan' | 'dsn'
> & {
  readonly key: Secret
  readonly prices: Prices
  readonly dsnPassword: Secret | undefined
  /** Hosts of computes that may be read. */
  readonly hosts: AllowedHosts
  /** Undefined where nobody says what the plan allows. */
  readonly limits: PlanLimits | undefined
}

/** Paths are absolute, secrets are not read. */
export type Config = Omit<
  ConfigEntry,
  | 'accounts'
  | 'prices'
  | 'calendars'
  | 'windows'
  | 'budgets'
  | 'owners'
  | 'policies'
  | 'notifications'
  | 'report'
  | 'changes'
> & {
  /** At least one, names unique. */
  readonly accounts: readonly AccountConfig[]
  /** Name → window. */
  readonly windows: ReadonlyMap<string, Window>
  /** Names unique; each belongs to one of the accounts. */
  readonly budgets: readonly Budget[]
  readonly owners: Owners
  readonly policies: Policies
  /** Names unique. */
  readonly notifications: readonly Notification[]
  readonly report: Omit<ConfigEntry['report'], 'sinks'> & { readonly sinks: readonly ReportSink[] }
  readonly changes: ConfigEntry['changes'] & {
    /** By the variable. */
    readonly isKilled: boolean
  }
}

/** Settings that give up encryption or authentication, such as `accounts.main`. */
export const insecureSettings = ({ accounts, notifications, report, server }: Config): readonly string[] => [
  ...accounts.flatMap(({ name, insecure }) => (insecure ? [`accounts.${name}`] : [])),
  ...notifications.flatMap((entry) => (isInsecure(entry) ? [`notifications.${entry.name}`] : [])),
  ...report.sinks.flatMap((entry) => (isInsecure(entry) ? [`report.sinks.${entry.name}`] : [])),
  ...(server.insecure ? ['server'] : []),
]

const isInsecure = ({ receiver }: Pick<Notification, 'receiver'>): boolean =>
  ('insecure' in receiver && receiver.insecure) || ('anyCertificate' in receiver && receiver.anyCertificate)

export type LoadedConfig = Readonly<{
  config: Config
  /** The YAML value with every default filled in, made at the first call: a start does without it. */
  effective: () => unknown
}>

/** As read from the file. */
export type CheckedConfig = LoadedConfig & Readonly<{ warnings: (now: Instant) => readonly string[] }>

/** Secrets that cannot be read are problems, too, but for a reader that uses none of them. */
export function loadWithSource(
  path: string,
  access: SecretAccess,
  { checksSecrets = true }: Partial<Pick<ConfigContext, 'checksSecrets'>> = {},
): Result<CheckedConfig, ConfigProblems> {
  const file = readYaml(path)
  if (!file.ok) return failed(file.error.map((problem) => `${path}: ${problem}`))
  if (!isKeyed(file.value.value)) return failed([`${path}: expected keys and values`])
  const { value, lineOf } = file.value
  const parsed = parseWithSchema(configSchema, value, configJsonSchema)
  if (!parsed.ok) return parsed
  const config = complete(parsed.value, { ...access, folder: dirname(resolve(path)), checksSecrets }, lineOf)
  if (!config.ok) return config
  const { policies, windows } = config.value
  let effective: unknown
  return ok({
    config: config.value,
    warnings: (now) => configWarnings({ entry: parsed.value, policies, windows }, now),
    effective: () => (effective ??= withDefaults(value)),
  })
}

const isKeyed = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Adds other files, the environment, and checks across sections. */
function complete(
  entry: ConfigEntry,
  context: ConfigContext,
  lineOf: LineOf,
): Result<Config, ConfigProblems> {
  const { folder } = context
  const { file } = entry.prices
  const { preset, planLimits: limits } = entry.service
  const prices = readPrices(file === undefined ? undefined : resolve(folder, file))
  const accounts = entry.accounts.map((account) => ({
    ...accountOf(account, context),
    hosts: hostsOf(account, entry),
    limits: limitsOfPlan(account.plan, preset, limits),
    prices: prices.ok ? priceOf(account, entry, prices.value) : undefined,
  }))
  const windows = buildWindows({ ...entry, calendars: entry.calendars ?? {}, windows: entry.windows ?? {} })
  const currencies = new Map(accounts.map((account) => [account.name, account.prices?.currency]))
  const budgets = buildBudgets(entry.budgets ?? [], { ...windows, timezone: entry.timezone, currencies })
  const notifications = buildNotifications(entry.notifications, notifiedOwners(entry), context)
  const { teams } = ownerNames(entry.owners)
  const report = buildReportSinks(entry.report, { teams, accounts: accounts.length }, context)
  const changes = changesOf(entry, context)
  const problems = [
    ...(prices.ok ? [] : prices.error.map((problem) => `prices.file: ${problem}`)),
    ...accounts.flatMap(({ key, dsnPassword }, index) =>
      secretProblems(`accounts[${index}]`, [key, dsnPassword], context),
    ),
    ...accounts.flatMap((_, index) => repeatedName('accounts', accounts, index)),
    ...(prices.ok ? unknownPlans(accounts, prices.value) : []),
    ...(entry.poll.maxAge < entry.poll.interval ? ['poll.max_age: expected at least poll.interval'] : []),
    ...missingDatabase(entry),
    ...planLimitsProblems(preset, limits),
    ...policyProblems({ ...entry, ...windows }),
    ...policyLimitProblems({ ...entry, accounts }),
    ...unknownWindows('changes.freeze', entry.changes.freeze, windows.windows),
    ...[windows, budgets, notifications, report, changes].flatMap((section) => section.problems),
  ]
  if (problems.length > 0) return failed(problems)
  const { prices: _prices, calendars: _calendars, ...rest } = entry
  const { tls } = entry.server
  return ok({
    ...rest,
    store: { folder: resolve(folder, entry.store.folder) },
    reading: { ...entry.reading, sslrootcert: optionalPath(folder, entry.reading.sslrootcert) },
    server: {
      ...entry.server,
      tls: tls && { certFile: resolve(folder, tls.certFile), keyFile: resolve(folder, tls.keyFile) },
    },
    accounts: accounts.flatMap(({ prices: own, ...account }) => (own ? [{ ...account, prices: own }] : [])),
    windows: windows.windows,
    budgets: budgets.budgets,
    owners: createOwners(entry.owners),
    policies: createPolicies(entry.policies, entry.mode, linesOfPolicies(entry.policies, lineOf)),
    notifications: notifications.notifications,
    report: { ...entry.report, sinks: report.reportSinks },
    changes: changes.changes,
  })
}

/** A budget may be of a team that owns no compute. */
function notifiedOwners({ owners, budgets = [] }: ConfigEntry): OwnerNames {
  const { teams, channels } = ownerNames(owners)
  return { teams: new Set([...teams, ...budgets.flatMap(({ team }) => team ?? [])]), channels }
}

export const KILL_SWITCH_VARIABLE = 'DORMOUSE_KILL_SWITCH'

function changesOf({ changes }: ConfigEntry, { env, folder }: ConfigContext) {
  const text = env[KILL_SWITCH_VARIABLE] ?? ''
  return {
    changes: {
      ...changes,
      killSwitchFile: optionalPath(folder, changes.killSwitchFile),
      isKilled: text === '1',
    },
    problems: ['1', '0', ''].includes(text) ? [] : [`${KILL_SWITCH_VARIABLE}: expected 1 or 0, got ${text}`],
  }
}

const optionalPath = (folder: string, path: string | undefined): string | undefined =>
  path === undefined ? undefined : resolve(folder, path)

const hostsOf = ({ baseUrl }: AccountEntry, { reading }: ConfigEntry): AllowedHosts =>
  reading.hosts ?? defaultHosts(baseUrl)

/** The service gives connection strings to one database, and a wrong one answers nothing. */
const missingDatabase = ({ accounts, reading, service }: ConfigEntry): readonly string[] =>
  service.useConnectionUri &&
  reading.mode !== 'off' &&
  reading.database === undefined &&
  accounts.some(({ dsn }) => dsn === undefined)
    ? ['reading.database: expected the name of a database, with service.use_connection_uri']
    : []

function accountOf(
  entry: AccountEntry,
  context: ConfigContext,
): Omit<AccountConfig, 'prices' | 'hosts' | 'limits'> {
  const { apiKeyFile, apiKeyEnv, dsnPasswordFile, dsnPasswordEnv, ...account } = entry
  const key = configuredSecret(createKey, { name: 'api_key', file: apiKeyFile, variable: apiKeyEnv }, context)
  if (!key) throw new Error('an account without a key passed the schema')
  const password = { name: 'dsn_password', file: dsnPasswordFile, variable: dsnPasswordEnv }
  return { ...account, key, dsnPassword: configuredSecret(createSecret, password, context) }
}

const priceOf = (account: AccountEntry, { prices }: ConfigEntry, file: PriceFile): Prices | undefined =>
  selectPrices(file, {
    plan: account.plan,
    currency: account.currency ?? prices.currency,
    cuHour: account.cuHour ?? prices.cuHour,
  })

const unknownPlans = (accounts: readonly Pick<AccountEntry, 'plan'>[], { plans }: PriceFile) =>
  accounts.flatMap(({ plan }, index) =>
    Object.hasOwn(plans, plan)
      ? []
      : [`accounts[${index}].plan: expected a plan of the price file: ${Object.keys(plans).join(', ')}`],
  )
