// Access by an account of the configuration, or by an address and a key. The key is never an argument.
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { isBaseUrl } from '../../config/sections/account.ts'
import type { AccountConfig, Config } from '../../config/load.ts'
import { createKey, type Secret } from '../../config/secrets.ts'
import { createClock } from '../../daemon/clock.ts'
import { createRandom } from '../../daemon/random.ts'
import { advicePlanOf, passPlanOf, readingCredentials } from '../../daemon/accounts/ports.ts'
import type { AdvicePlan } from '../../daemon/advice/evaluate.ts'
import { defaultHosts, type AllowedHosts } from '../../model/service/allowed-hosts.ts'
import type { Service } from '../../model/ports/service.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { isUnencrypted } from '../../std/unencrypted.ts'
import { createService, type ServiceOptions } from '../../service/service.ts'
import { CONFIG_TEXT, readConfiguration } from './configuration.ts'
import type { Io } from '../terminal/io.ts'
import { parseOrgId } from '../terminal/parse.ts'

export const KEY_VARIABLE = 'DORMOUSE_API_KEY'

/** What to do where a key sees nothing. Source: service interface, "GET /projects". */
export const NO_PROJECTS =
  'use a key that sees projects; a personal key must name its organisation: --org-id, or org_id of the account'
/** The default of `service.requests_per_minute`: half of what the service allows an account. */
const REQUESTS_PER_MINUTE = 350

export type ConnectOptions = Readonly<{
  config?: string
  account?: string
  baseUrl?: string
  insecure?: boolean
  apiKeyFile?: string
  orgId?: string
  json?: boolean
}>

export const withConnectOptions = (command: Command): Command =>
  withDirectOptions(
    command
      .option('--config <file>', CONFIG_TEXT)
      .option('--account <name>', 'account of the configuration; needed when it has several'),
  )

export const withDirectOptions = (command: Command): Command =>
  command
    .option('--base-url <url>', 'address of the service, in place of a configuration; ends with /api/v2')
    .option(
      '--api-key-file <file>',
      `file with the API key for --base-url (default: variable ${KEY_VARIABLE})`,
    )
    .option('--insecure', 'allow http for --base-url outside of loopback')
    .option('--org-id <id>', 'organisation for --base-url; a personal key must name it', parseOrgId)

/** Sends nothing. Problems are those of usage or configuration. */
export function connectService(options: ConnectOptions, io: Io): Result<Service, readonly string[]> {
  const access = openServiceAccess(options, io)
  return access.ok ? ok(createService(access.value.service)) : access
}

/** Undefined also without an address. */
export function baseUrlProblem({ baseUrl, insecure = false }: ConnectOptions): string | undefined {
  if (baseUrl === undefined) return undefined
  if (!isBaseUrl(baseUrl)) {
    const meant = `${baseUrl.replace(/\/+$/, '')}/api/v2`
    const hint = isBaseUrl(meant) ? `; try ${meant}` : ''
    return `--base-url: expected an http or https address that ends with /api/v2${hint}`
  }
  return isUnencrypted(baseUrl) && !insecure
    ? '--base-url: expected https, as the host is not loopback, or --insecure'
    : undefined
}

export type ServiceAccess = Readonly<{
  service: ServiceOptions
  /** Hosts of computes that may be read. */
  hosts: AllowedHosts
  /** Undefined without a configuration, as prices, limits and policies. */
  plan?: string
  advice?: AdvicePlan
  /** Role and database, or why connection strings may not be requested. */
  reader: ReturnType<typeof readingCredentials> | { readonly unasked: string }
}>

export function openServiceAccess(options: ConnectOptions, io: Io): Result<ServiceAccess, readonly string[]> {
  const { baseUrl, orgId } = options
  if (baseUrl === undefined) return accessByConfig(options, io)
  if (options.config !== undefined || options.account !== undefined)
    return failed(['give either --base-url or --config and --account'])
  const problem = baseUrlProblem(options)
  if (problem !== undefined) return failed([problem])
  const { read: readKey } = apiKeySecret(options, io)
  const key = readKey()
  if (!key.ok)
    return failed([`${key.error}; the API key comes from --api-key-file or the variable ${KEY_VARIABLE}`])
  const settings = { baseUrl, readKey, requestsPerMinute: REQUESTS_PER_MINUTE, orgId }
  return ok({
    service: { ...settings, projects: 'discover', clock: createClock(), random: createRandom() },
    hosts: defaultHosts(baseUrl),
    reader: { unasked: 'only a configuration allows it, with service.use_connection_uri' },
  })
}

export const apiKeySecret = ({ apiKeyFile }: ConnectOptions, io: Io): Secret =>
  apiKeyFile === undefined
    ? createKey(KEY_VARIABLE, { variable: KEY_VARIABLE }, io)
    : createKey('--api-key-file', { file: resolve(io.cwd, apiKeyFile) }, io)

function accessByConfig(options: ConnectOptions, io: Io): Result<ServiceAccess, readonly string[]> {
  if (options.apiKeyFile !== undefined) return failed(['--api-key-file goes with --base-url'])
  if (options.orgId !== undefined) return failed(['--org-id goes with --base-url'])
  const config = readConfiguration(options.config, io)
  if (!config.ok) return config
  const { accounts, service } = config.value.config
  const named = accounts.filter(({ name }) => options.account === undefined || name === options.account)
  const [account, other] = named
  if (!account || other)
    return failed([`--account: expected one of ${accounts.map(({ name }) => name).join(', ')}`])
  const { key, plan, baseUrl, projects, orgId, hosts } = account
  const settings = { ...service, baseUrl, projects, orgId, readKey: key.read, learn: io.learnIssued }
  return ok({
    service: { ...settings, clock: createClock(), random: createRandom() },
    hosts,
    plan,
    advice: advicePlanOf(account, config.value.config, passPlanOf(account, config.value.config)),
    reader: readerFor(account, config.value.config),
  })
}

function readerFor({ dsn }: AccountConfig, config: Config): ServiceAccess['reader'] {
  if (dsn !== undefined) return { unasked: 'the account has a dsn, which is used instead' }
  if (!config.service.useConnectionUri) return { unasked: 'service.use_connection_uri does not allow it' }
  return readingCredentials(config)
}
