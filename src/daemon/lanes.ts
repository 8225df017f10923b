// The accounts of the daemon, each with its ports and its state, and the one snapshot of all of them.
import type { Logger } from 'pino'
import type { AccountConfig, Config } from '../config/load.ts'
import type { Ports } from '../model/ports.ts'
import type { Prices } from '../model/price.ts'
import { createPreset } from '../model/sizes.ts'
import type { Snapshot } from '../model/snapshot.ts'
import { inTurns } from '../model/steps.ts'
import { seconds, type Seconds } from '../model/units.ts'
import { exportedAccount, type ExportedAccount } from './export.ts'
import { createForecaster, type Forecaster, type Forecasts } from './forecasts.ts'
import type { PassPlan } from './pass.ts'
import { createCamera } from './snapshot.ts'
import { newAccountState, type AccountState } from './state.ts'
import { turn } from './turn.ts'
import { createPublisher } from './publisher.ts'
import { planOf, whyUnreadable, type Machine } from './wire.ts'

export type Lane = {
  readonly prices: Prices
  /** Why its computes cannot be read; undefined where they can. */
  readonly unreadable: string | undefined
  readonly state: () => AccountState
  readonly forecasts: Forecasts
  /** Resolves when nothing of it runs beside its turns. */
  readonly idle: () => Promise<void>
  /** On the monotonic clock: when its last turn began. */
  readonly turnedAt: () => Seconds
  /** One turn; resolves to the failures in a row, with it counted. Never rejects. */
  readonly turn: (signal: AbortSignal) => Promise<number>
}

export type Lanes = {
  /** One per account, in the order of the configuration. */
  readonly all: readonly Lane[]
  /** The last one; undefined before the first turn has ended. */
  readonly snapshot: () => Snapshot | undefined
  /** Resolves when nothing runs beside the turns. */
  readonly idle: () => Promise<void>
  /** What names and prices the history of each is told with. */
  readonly accounts: () => readonly ExportedAccount[]
}

type LaneMachine = Machine & { readonly log: Logger }

export type Outward = {
  readonly portsOf: (account: AccountConfig) => Ports
  /** Shows a snapshot to whoever asks. */
  readonly publish: (snapshot: Snapshot) => Promise<void>
  /** Gives up a turn of the event loop. */
  readonly pause: () => Promise<void>
}

export async function createLanes(
  config: Config,
  machine: LaneMachine,
  { portsOf, publish, pause }: Outward,
): Promise<Lanes> {
  const preset = createPreset(config.service.preset)
  const limits = {
    staleAfter: seconds(config.metrics.staleAfter * config.poll.interval),
    activityLag: config.reading.activityLag,
  }
  const camera = createCamera()
  let snapshot: Snapshot | undefined
  let passSeconds = seconds(0)

  const publishNow = createPublisher(async () => {
    const shown = all.map((lane) => ({
      state: lane.state(),
      prices: lane.prices,
      preset,
      unreadable: lane.unreadable,
      forecasts: lane.forecasts,
    }))
    const version = (snapshot?.version ?? 0) + 1
    const context = { now: machine.clock.now(), version, passSeconds, ...limits }
    const next = await inTurns(camera(shown, context), pause)
    await publish(next)
    // Last, so that who finds a state here finds it in the metrics, too.
    snapshot = next
  })
  const turned = (took: Seconds): Promise<void> => {
    passSeconds = took
    return publishNow()
  }

  const all = await Promise.all(
    config.accounts.map(async (account) => {
      const first = newAccountState(await machine.store.load(account.name))
      const ports = portsOf(account)
      const unreadable = whyUnreadable(account, config)
      const plan = planOf(account, config)
      const forecaster = createForecaster({
        ...machine,
        history: machine.store,
        scopes: plan.budgets,
        prices: plan.prices,
        zone: config.timezone,
      })
      return createLane({ ports, plan, first, unreadable, forecaster }, machine, turned)
    }),
  )
  return {
    all,
    snapshot: () => snapshot,
    idle: async () => {
      await Promise.all(all.map((lane) => lane.idle()))
    },
    accounts: () => all.map((lane) => exportedAccount(lane.state().ledger, lane.prices.currency)),
  }
}

function createLane(
  {
    ports,
    plan,
    first,
    unreadable,
    forecaster,
  }: Pick<Lane, 'unreadable'> & {
    readonly forecaster: Forecaster
    readonly ports: Ports
    readonly plan: PassPlan
    readonly first: AccountState
  },
  machine: LaneMachine,
  turned: (took: Seconds) => Promise<void>,
): Lane {
  let state = first
  let turnedAt = ports.clock.monotonic()
  return {
    prices: plan.prices,
    unreadable,
    state: () => state,
    forecasts: forecaster,
    idle: forecaster.idle,
    turnedAt: () => turnedAt,
    turn: async (signal) => {
      turnedAt = ports.clock.monotonic()
      const done = await turn(ports, { before: state, plan }, { ...machine, signal })
      state = done.state
      forecaster.refresh(state)
      await turned(done.took)
      return state.failures
    },
  }
}
