// What the configuration file says now, taken over while the daemon runs, or left whole.
import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { changedPaths } from '../config/changed.ts'
import type { Config, Loaded } from '../config/load.ts'
import type { SelfMetrics } from '../metrics/self.ts'
import type { Clock } from '../model/ports.ts'
import { failed, ok, type Result } from '../model/result.ts'

/** @returns the paths that are others, or all that stands in the way */
export type Reload = () => Result<readonly string[], readonly string[]>

export type Settings = {
  readonly config: () => Config
  /** Of what the file says, with every default: tells two configurations apart. */
  readonly hash: () => string
  readonly reload: Reload
}

export type SettingsMachine = {
  readonly clock: Clock
  readonly self: Pick<SelfMetrics, 'reloaded'>
  readonly log: Pick<Logger, 'info' | 'warn' | 'level'>
}

/** What is taken over while the daemon runs: these and all beneath. All else is bound to a socket, a store, a client or the past. */
const LIVE = ['owners', 'budgets', 'calendars', 'windows', 'log', 'metrics', 'server.tokens', 'server.names']
/** What budgets are made of. */
const BUDGETS = ['budgets', 'calendars', 'windows']

export function createSettings(
  first: Loaded,
  read: () => Result<Loaded, readonly string[]>,
  { clock, self, log }: SettingsMachine,
): Settings {
  let current = first
  const tell = (isTaken: boolean): void => self.reloaded(isTaken, clock.now())
  tell(true)
  return {
    config: () => current.config,
    hash: () => createHash('sha256').update(JSON.stringify(current.effective)).digest('hex').slice(0, 12),
    reload: () => {
      const next = read()
      const taken = next.ok ? takenOver(current, next.value) : next
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

type Taken = { readonly changed: readonly string[]; readonly loaded: Loaded }

function takenOver(before: Loaded, next: Loaded): Result<Taken, readonly string[]> {
  const changed = changedPaths(before.effective, next.effective)
  const problems = [...changed.filter((path) => !isWithin(path, LIVE)), ...repriced(before, next)]
  if (problems.length > 0) return failed(problems.map((path) => `${path}: changed; that needs a restart`))
  const { config } = before
  const { owners, log, metrics, server } = next.config
  // where nothing is another, nothing is worked out anew
  const isBudget = changed.some((path) => isWithin(path, BUDGETS))
  const { windows, budgets } = isBudget ? next.config : config
  const known = { ...config.server, tokens: server.tokens, names: server.names }
  return ok({
    changed,
    loaded: {
      effective: next.effective,
      config: {
        ...config,
        owners: changed.some((path) => isWithin(path, ['owners'])) ? owners : config.owners,
        windows,
        budgets,
        log,
        metrics,
        server: known,
      },
    },
  })
}

/** The price file is another file: what it says may change while its name does not. */
const repriced = (before: Loaded, next: Loaded): string[] =>
  before.config.accounts.flatMap(({ prices }, index) => {
    const now = next.config.accounts[index]?.prices
    return now === undefined || JSON.stringify(now) === JSON.stringify(prices)
      ? []
      : [`prices of accounts[${index}]`]
  })

const isWithin = (path: string, sections: readonly string[]): boolean =>
  sections.some((section) => path === section || new RegExp(`^${RegExp.escape(section)}[.[]`).test(path))
