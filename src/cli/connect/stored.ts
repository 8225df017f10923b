import type { Config } from '../../config/load.ts'
import { createClock } from '../../daemon/clock.ts'
import { effectivePrices } from '../../daemon/accounts/price-history.ts'
import type { JournalSources } from '../../daemon/changes/list-changes.ts'
import { takeSnapshot } from '../../daemon/snapshot/snapshot.ts'
import { readStoredPast } from '../../daemon/history/stored-past.ts'
import type { AdviceSources } from '../../daemon/history/recommendations.ts'
import { newPassState } from '../../daemon/pass/pass-state.ts'
import { createPreset } from '../../model/service/sizes.ts'
import type { Snapshot } from '../../model/output/snapshot.ts'
import { seconds } from '../../model/units.ts'
import type { Result } from '../../std/result.ts'
import { readStore, type StoreReader } from '../../store/open-store.ts'
import { EXIT, failUsage, jsonText, type ExitCode, type Io } from '../terminal/io.ts'
import {
  daemonApi,
  failAnswer,
  namedByOptions,
  type ApiOptions,
  type ApiProblem,
  type OptionNames,
  type DaemonApi,
} from './daemon.ts'

/** The store stays open until `use` has ended; undefined without a store. @throws when it cannot be read */
export async function withStore<Value>(config: Config, use: (store: StoreReader) => Promise<Value>) {
  const store = readStore(config.store, createClock())
  if (!store) return undefined
  await using _ = { [Symbol.asyncDispose]: store.close }
  return await use(store)
}

/** What a daemon left, while it is open. */
export type StoredSource = Readonly<{ store: StoreReader; config: Config }>

type FleetQuestion<Value> = Readonly<{
  ask: (api: DaemonApi) => Promise<Result<Value, ApiProblem>>
  /** The problem is one of what was asked for. */
  answerFrom: (
    stored: Snapshot,
    source: StoredSource,
  ) => Result<Value, string> | Promise<Result<Value, string>>
  /** @param isStored from the store: no daemon asked the service */
  text: (value: Value, isStored: boolean) => string
  /** Names that hold for this command alone. */
  optionNames?: OptionNames
}>

/** From the running daemon, else from the store. */
export async function printFleetAnswer<Value>(
  options: ApiOptions,
  io: Io,
  { ask, answerFrom, text, optionNames }: FleetQuestion<Value>,
): Promise<ExitCode> {
  const print = (value: Value, isStored: boolean): ExitCode => {
    io.out(options.json ? jsonText(value) : text(value, isStored))
    return EXIT.ok
  }
  const target = daemonApi(options, io)
  if (!target.ok) return failUsage(io, ...target.error)
  const { api, config } = target.value
  const answer = await ask(api)
  if (answer.ok) return print(answer.value, false)
  const { kind, message } = answer.error
  const answerStored = (known: Config) =>
    withStore(known, async (store) => {
      const value = await answerFrom(await storedSnapshot(known, store), { store, config: known })
      if (!value.ok)
        return failUsage(io, `${namedByOptions(value.error, optionNames)}; ${message}, so the store was read`)
      io.err(`dormouse: ${message}; this is what the last one stored, and current states are unknown`)
      return print(value.value, true)
    })
  const exitCode = config && kind === 'unreached' ? await answerStored(config) : undefined
  return exitCode ?? failAnswer(io, answer.error, optionNames)
}

/** States are unknown: this process made no sweep. */
async function storedSnapshot(config: Config, store: StoreReader): Promise<Snapshot> {
  const now = createClock().now()
  const preset = createPreset(config.service.preset)
  const accounts = await Promise.all(
    config.accounts.map(async (account) => ({
      state: newPassState(await store.account(account.name).load()),
      prices: await effectivePrices(account, store, now),
      preset,
      past: await readStoredPast(store, account.name, config.timezone),
    })),
  )
  const { owners, reading } = config
  const unused = { version: 0, passSeconds: seconds(0), staleAfter: seconds(0) }
  return takeSnapshot(accounts, { ...unused, now, activityLag: reading.activityLag, owners })
}

/** Sources of recommendations, with no daemon. */
export const storedAdvice = ({ store, config }: StoredSource): AdviceSources => ({
  history: store,
  baseUrlOf: (account) => config.accounts.find(({ name }) => name === account)?.baseUrl ?? '',
  windows: () => config.windows,
  managerOf: config.policies.managerOf,
})

/** The journal, with no daemon: nobody knows what holds a change. */
export const storedJournal = ({ store }: Pick<StoredSource, 'store'>): JournalSources => ({
  journal: store,
  clock: createClock(),
  runnerOf: () => ({
    holdOf: () => undefined,
    slotOf: () => undefined,
    placedHolds: { forceOf: () => undefined },
  }),
})
