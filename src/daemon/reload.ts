// What the configuration file says now, taken over while the daemon runs, or left whole.
import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { replacePricesFrom } from '../ledger/settle/prices.ts'
import type { Config, LoadedConfig } from '../config/load.ts'
import type { SelfMetrics } from '../outputs/metrics/self.ts'
import type { Clock } from '../model/ports/clock.ts'
import { failed, ok, type Result } from '../std/result.ts'
import type { Instant } from '../model/units.ts'

/** @returns the paths that are others, or all that stands in the way */
export type Reload = () => Result<readonly string[], readonly string[]>

export type LiveSettings = {
  readonly config: () => Config
  /** Of what the file says, with every default: tells two configurations apart. */
  readonly hash: () => string
  readonly reload: Reload
}

export type SettingsEnvironment = {
  readonly clock: Clock
  readonly self: Pick<SelfMetrics, 'reloaded'>
  readonly log: Pick<Logger, 'info' | 'warn' | 'level'>
}

/** What is taken over while the daemon runs: these and all beneath. All else is bound to a socket, a store, a client or the past. */
const LIVE = [
  'owners',
  'budgets',
  'calendars',
  'windows',
  'log',
  'metrics',
  'notifications',
  'report',
  'prices.file',
  'prices.cu_hour',
  'accounts[].plan',
  'accounts[].cu_hour',
  'server.tokens',
  'server.names',
]
/** What budgets are made of. */
const BUDGETS = ['budgets', 'calendars', 'windows']

export function createLiveSettings(
  first: LoadedConfig,
  read: () => Result<LoadedConfig, readonly string[]>,
  { clock, self, log }: SettingsEnvironment,
): LiveSettings {
  let current = first
  const tell = (isTaken: boolean): void => self.reloaded(isTaken, clock.now())
  tell(true)
  return {
    config: () => current.config,
    hash: () => createHash('sha256').update(JSON.stringify(current.effective)).digest('hex').slice(0, 12),
    reload: () => {
      const next = read()
      const taken = next.ok ? takenOver(current, next.value, clock.now()) : next
      tell(taken.ok)
      if (!taken.ok) {
        log.warn({ problems: taken.error }, 'the configuration is not taken over, the one before stays')
        return taken
      }
      const { changed, loaded } = taken.value
      current = loaded
      log.level = loaded.config.log.level
      log.info({ changed }, 'the configuration was read again')
      return ok(changed)
    },
  }
}

type Taken = { readonly changed: readonly string[]; readonly loaded: LoadedConfig }

function takenOver(before: LoadedConfig, next: LoadedConfig, now: Instant): Result<Taken, readonly string[]> {
  const paths = changedPaths(before.effective, next.effective)
  const problems = [...paths.filter((path) => !isWithin(path, LIVE)), ...otherCurrencies(before, next)]
  if (problems.length > 0) return failed(problems.map((path) => `${path}: changed; that needs a restart`))
  const { config } = before
  const accounts = repriced(config.accounts, next.config.accounts, now)
  const changed = [...paths, ...pricedAnew(config.accounts, accounts)]
  // where nothing is another, nothing is worked out anew
  const partOf = <Key extends keyof Config>(key: Key, of: readonly string[] = [key]): Config[Key] =>
    (changed.some((path) => isWithin(path, of)) ? next.config : config)[key]
  const { log, metrics, server } = next.config
  return ok({
    changed,
    loaded: {
      effective: next.effective,
      config: {
        ...config,
        accounts,
        owners: partOf('owners'),
        windows: partOf('windows', BUDGETS),
        budgets: partOf('budgets', BUDGETS),
        notifications: partOf('notifications'),
        report: partOf('report'),
        log,
        metrics,
        server: { ...config.server, tokens: server.tokens, names: server.names },
      },
    },
  })
}

type Accounts = Config['accounts']

/** What is counted so far keeps its price. */
function repriced(accounts: Accounts, next: Accounts, now: Instant): Accounts {
  const priced = accounts.map((account, index) => {
    const { plan, prices } = next[index] ?? account
    const from = replacePricesFrom(now, account.prices, prices)
    return from === account.prices && plan === account.plan ? account : { ...account, plan, prices: from }
  })
  return priced.some((account, index) => account !== accounts[index]) ? priced : accounts
}

/** The price file is another file: what it says may change while its name does not. */
const pricedAnew = (before: Accounts, after: Accounts): readonly string[] =>
  after.flatMap(({ prices }, index) =>
    prices === before[index]?.prices ? [] : [`prices of accounts[${index}]`],
  )

/** Amounts of the past would be told in a currency that they are not in. */
const otherCurrencies = (before: LoadedConfig, next: LoadedConfig): readonly string[] =>
  before.config.accounts.flatMap(({ prices: { currency } }, index) => {
    const now = next.config.accounts[index]?.prices.currency
    return now === undefined || now === currency ? [] : [`currency of accounts[${index}]`]
  })

/** `[]` in a section is any place of a list. */
const isWithin = (path: string, sections: readonly string[]): boolean => {
  const plain = path.replaceAll(/\[\d+\]/g, '[]')
  return sections.some(
    (section) => plain === section || new RegExp(`^${RegExp.escape(section)}[.[]`).test(plain),
  )
}

/** Paths such as `accounts[0].plan` of the smallest parts that differ or that only one value has, in the order of the keys. */
export function changedPaths(before: unknown, after: unknown, path = ''): readonly string[] {
  if (Object.is(before, after)) return []
  if (!isNested(before) || !isNested(after) || Array.isArray(before) !== Array.isArray(after)) return [path]
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    changedPaths(
      Reflect.get(before, key),
      Reflect.get(after, key),
      innerPath(path, key, Array.isArray(before)),
    ),
  )
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

function innerPath(path: string, key: string, isList: boolean): string {
  if (isList) return `${path}[${key}]`
  return path === '' ? key : `${path}.${key}`
}
