// One process of the daemon: its account runners with their loops, its client and its journal, until it ends at a call of a port.
import type { Logger } from 'pino'
import type { AccountConfig, Config } from '../../../src/config/load.ts'
import { createAccountRunners, type AccountRunners } from '../../../src/daemon/accounts/account-runners.ts'
import { createPorts } from '../../../src/daemon/accounts/ports.ts'
import type { ApplyLoopMaker } from '../../../src/daemon/changes/change-runner.ts'
import { createChangeCommands, type ChangeCommands } from '../../../src/daemon/changes/commands.ts'
import { createHoldCommands } from '../../../src/daemon/changes/commands/hold-commands.ts'
import { passInterval, runLoop } from '../../../src/daemon/loop.ts'
import type { Snapshot } from '../../../src/model/output/snapshot.ts'
import type { Clock, Random } from '../../../src/model/ports/clock.ts'
import type { Readings } from '../../../src/model/ports/readings.ts'
import type { SelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { Inside } from '../../support/inside.ts'
import type { memoryStore } from '../../support/memory-store.ts'
import { noRedactor } from '../../support/secrets.ts'
import type { VirtualClock } from '../../support/virtual-clock.ts'
import { ACCOUNT } from './configuration.ts'
import { fused, fusedClock, type Fuse } from './fuse.ts'

export type Daemon = Readonly<{
  fuse: Fuse
  /** ms, of the world. */
  startedAt: number
  commands: ChangeCommands
  holds: ReturnType<typeof createHoldCommands>
  runners: AccountRunners
  /** Ends it as SIGTERM does; resolves when its loops have ended. */
  stop: () => Promise<void>
}>

export type DaemonOptions = Readonly<{
  fuse: Fuse
  /** Of the world. */
  clock: VirtualClock
  /** Of its machine. */
  machine: Clock
  random: Random
  config: () => Config
  store: ReturnType<typeof memoryStore>
  fetch: (request: Request) => Promise<Response | undefined>
  /** Inside a compute. */
  read: Readings['read']
  self: SelfMetrics
  log: Logger
  /** Default: that of the product. */
  applyLoop: ApplyLoopMaker | undefined
  /** After each pass. */
  published: (snapshot: Snapshot) => void
  /** Its loops ended by themselves: they never do. */
  failed: (cause: unknown) => void
}>

/** Resolves when its loops run, or it has ended before. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon | undefined> {
  const { fuse, clock } = options
  const started = await Promise.race([starting(options), fuse.burnt])
  return started ? { ...started, fuse, startedAt: clock.now() } : undefined
}

async function starting(options: DaemonOptions) {
  const { fuse, clock, config, random, log, self } = options
  const store = fused(options.store, fuse)
  const machine = {
    clock: fusedClock(options.machine, fuse),
    random,
    store,
    self,
    log,
    redactor: noRedactor,
    dispatcher: new Inside(options.fetch, clock),
    send: () => Promise.resolve([]),
    adviceShare: 1,
    applyLoop: options.applyLoop,
  }
  const runners = await createAccountRunners(config, machine, {
    portsOf: (account: AccountConfig) => {
      const ports = createPorts(account, config(), machine)
      return { ...ports, readings: fused({ ...ports.readings, read: options.read }, fuse) }
    },
    publish: async (snapshot) => options.published(snapshot),
  })
  const runner = runners.of(ACCOUNT)
  const end = new AbortController()
  const turn = () => runner.runPasses(end.signal)
  const run = async () => {
    await runner.open(end.signal)
    const first = await turn()
    const interval = passInterval(config().poll.interval)
    const lastStartedAt = runner.lastStartedAt()
    await Promise.all([
      runner.changes.run(end.signal),
      runner.warmUps.run(end.signal),
      runLoop(machine.clock, { interval, turn, failures: first.failures, lastStartedAt }, end.signal),
    ])
  }
  const running = run().catch(options.failed)
  const sources = {
    snapshot: runners.snapshot,
    journal: store,
    history: store,
    random,
    runnerOf: (account: string) => runners.of(account).changes,
    log,
  }
  return {
    runners,
    commands: createChangeCommands(sources),
    holds: createHoldCommands({ ...sources, config }),
    stop: async () => {
      end.abort()
      await running
    },
  }
}
