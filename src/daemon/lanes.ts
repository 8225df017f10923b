// The accounts of the daemon, each with its ports and its state, and the one snapshot of all of them.
import type { Logger } from 'pino'
import type { Config } from '../config/load.ts'
import type { Ports } from '../model/ports.ts'
import type { Prices } from '../model/price.ts'
import { createPreset } from '../model/sizes.ts'
import type { Snapshot } from '../model/snapshot.ts'
import { seconds, type Seconds } from '../model/units.ts'
import type { PassPlan } from './pass.ts'
import { snapshotOf } from './snapshot.ts'
import { newAccountState, type AccountState } from './state.ts'
import { turn } from './turn.ts'
import { planOf, portsOf, type Machine } from './wire.ts'

export type Lane = {
  readonly prices: Prices
  readonly state: () => AccountState
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
}

type LaneMachine = Machine & { readonly log: Logger }

export async function createLanes(
  config: Config,
  machine: LaneMachine,
  publish: (snapshot: Snapshot) => void,
): Promise<Lanes> {
  const preset = createPreset(config.service.preset)
  const limits = {
    staleAfter: seconds(config.metrics.staleAfter * config.poll.interval),
    activityLag: config.reading.activityLag,
  }
  let snapshot: Snapshot | undefined

  const publishNow = (passSeconds: Seconds): void => {
    const shown = all.map((lane) => ({ state: lane.state(), prices: lane.prices, preset }))
    const version = (snapshot?.version ?? 0) + 1
    snapshot = snapshotOf(shown, { now: machine.clock.now(), version, passSeconds, ...limits })
    publish(snapshot)
  }

  const all = await Promise.all(
    config.accounts.map(async (account) => {
      const first = newAccountState(await machine.store.load(account.name))
      const ports = portsOf(account, config, machine)
      return createLane({ ports, plan: planOf(account, config), first }, machine, publishNow)
    }),
  )
  return { all, snapshot: () => snapshot }
}

function createLane(
  { ports, plan, first }: { readonly ports: Ports; readonly plan: PassPlan; readonly first: AccountState },
  machine: LaneMachine,
  turned: (took: Seconds) => void,
): Lane {
  let state = first
  let turnedAt = ports.clock.monotonic()
  return {
    prices: plan.prices,
    state: () => state,
    turnedAt: () => turnedAt,
    turn: async (signal) => {
      turnedAt = ports.clock.monotonic()
      const done = await turn(ports, { before: state, plan }, { ...machine, signal })
      state = done.state
      turned(done.took)
      return state.failures
    },
  }
}
