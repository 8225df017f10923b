// Live settings: a configuration file read again is taken over while the daemon runs, or not at all.
import { createHash } from 'node:crypto'
import { replacePricesFrom } from '../ledger/settle/prices.ts'
import type { Config, LoadedConfig } from '../config/load.ts'
import { failed, ok, type Result } from '../std/result.ts'
import type { Instant } from '../model/units.ts'
import type { DaemonEnvironment } from './environment.ts'

/** The changed paths, or every problem that prevents the change. */
export type Reloaded = Result<readonly string[], readonly string[]>

type SettingsLog = Pick<DaemonEnvironment['log'], 'info' | 'warn' | 'level'>

/** Taken over while the daemon runs, with everything below. All others are bound to a socket, a store, a client or the past. */
const LIVE_PATHS = [
  'owners',
  'policies',
  'brakes',
  'changes.freeze',
  'advice',
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
  'server.open',
]
const BUDGET_PATHS = ['budgets', 'calendars', 'windows']

export function createLiveSettings(
  first: LoadedConfig,
  read: () => Result<LoadedConfig, readonly string[]>,
  { clock, self, log }: Pick<DaemonEnvironment, 'clock' | 'self'> & { readonly log: SettingsLog },
) {
  let current = first
  self.reloaded(true, clock.now())
  return {
    config: () => current.config,
    /** With all defaults. */
    hash: () => createHash('sha256').update(JSON.stringify(current.effective())).digest('hex').slice(0, 12),
    reload: () => {
      const next = read()
      const merged = next.ok ? mergeConfigs(current, next.value, clock.now()) : next
      self.reloaded(merged.ok, clock.now())
      if (!merged.ok) {
        log.warn({ problems: merged.error }, 'the configuration is not taken over, the one before stays')
        return merged
      }
      const { changed, loaded } = merged.value
      current = loaded
      log.level = loaded.config.log.level
      log.info({ changed }, 'the configuration was read again')
      return ok(changed)
    },
  }
}

function mergeConfigs(before: LoadedConfig, next: LoadedConfig, now: Instant) {
  const paths = changedPaths(before.effective(), next.effective())
  const fixed = paths.filter((path) => !isWithin(path, LIVE_PATHS))
  const problems = [...fixed, ...changedCurrencies(before, next)]
  if (problems.length > 0) return failed(problems.map((path) => `${path}: changed; that needs a restart`))
  const { config } = before
  const accounts = withNewPrices(config.accounts, next.config.accounts, now)
  const changed = [...paths, ...changedPrices(config.accounts, accounts)]
  // an unchanged part stays the same object: nothing is computed again for it
  const partOf = <Key extends keyof Config>(key: Key, of: readonly string[] = [key]): Config[Key] =>
    (changed.some((path) => isWithin(path, of)) ? next.config : config)[key]
  const { changes, log, metrics, server } = next.config
  return ok({
    changed,
    loaded: {
      effective: next.effective,
      config: {
        ...config,
        accounts,
        owners: partOf('owners'),
        // also where they only moved within the file: explanations name their lines
        policies: next.config.policies,
        brakes: partOf('brakes'),
        advice: partOf('advice'),
        windows: partOf('windows', BUDGET_PATHS),
        budgets: partOf('budgets', BUDGET_PATHS),
        notifications: partOf('notifications'),
        report: partOf('report'),
        changes: { ...config.changes, freeze: changes.freeze },
        log,
        metrics,
        server: { ...config.server, tokens: server.tokens, names: server.names, open: server.open },
      },
    },
  })
}

type Accounts = Config['accounts']

/** Usage so far keeps its price. */
function withNewPrices(accounts: Accounts, next: Accounts, now: Instant) {
  const priced = accounts.map((account, index) => {
    const { plan, prices, limits } = next[index] ?? account
    const from = replacePricesFrom(now, account.prices, prices)
    return from === account.prices && plan === account.plan
      ? account
      : { ...account, plan, limits, prices: from }
  })
  return priced.some((account, index) => account !== accounts[index]) ? priced : accounts
}

/** The content of the price file may change while its path does not. */
const changedPrices = (before: Accounts, after: Accounts) =>
  after.flatMap(({ prices }, index) =>
    prices === before[index]?.prices ? [] : [`prices of accounts[${index}]`],
  )

/** A new currency would relabel amounts of the past. */
const changedCurrencies = (before: LoadedConfig, next: LoadedConfig) =>
  before.config.accounts.flatMap(({ prices: { currency } }, index) => {
    const now = next.config.accounts[index]?.prices.currency
    return now === undefined || now === currency ? [] : [`currency of accounts[${index}]`]
  })

/** `[]` stands for any index of a list. */
const isWithin = (path: string, sections: readonly string[]) => {
  const plain = path.replaceAll(/\[\d+\]/g, '[]')
  return sections.some((section) => new RegExp(`^${RegExp.escape(section)}($|[.[])`).test(plain))
}

/** Paths such as `accounts[0].plan` of the smallest parts that differ, in the order of the keys. */
export function changedPaths(before: unknown, after: unknown, path = ''): readonly string[] {
  if (Object.is(before, after)) return []
  if (!isNested(before) || !isNested(after) || Array.isArray(before) !== Array.isArray(after)) return [path]
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  const prefix = path === '' ? '' : `${path}.`
  const pathOf = (key: string) => (Array.isArray(before) ? `${path}[${key}]` : prefix + key)
  return [...keys].flatMap((key) =>
    changedPaths(Reflect.get(before, key), Reflect.get(after, key), pathOf(key)),
  )
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null
