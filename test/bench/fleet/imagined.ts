// The daemon's passes over a service in the same process, on virtual time: hours in minutes.
import { pino } from 'pino'
import type { Config } from '../../../src/config/load.ts'
import { runLoop, passInterval, type LoopTurn } from '../../../src/daemon/loop.ts'
import { createRandom } from '../../../src/daemon/random.ts'
import { newPassState, type PassState } from '../../../src/daemon/pass/pass-state.ts'
import { runPasses } from '../../../src/daemon/pass/run-passes.ts'
import { passPlanOf, createPorts } from '../../../src/daemon/accounts/ports.ts'
import type { Simulated } from '../../support/simulated-service.ts'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import type { Ports } from '../../../src/model/ports/ports.ts'
import { openEmbeddedStore } from '../../../src/store/sqlite/embedded.ts'
import { Inside } from '../../support/inside.ts'
import type { VirtualClock } from '../../support/virtual-clock.ts'
import { noRedactor } from '../../support/secrets.ts'

export type Imagined = {
  readonly service: Pick<Simulated, 'fetch'>
  readonly clock: VirtualClock
  readonly config: Config
  /** Told after each pass; the last one is that of which this is true. */
  readonly isOver: (state: PassState) => boolean
  readonly watched?: (ports: Ports) => Ports
  /** Whether what was never looked at comes first. */
  readonly unseenFirst?: boolean
}

/** Resolves to the state after the last pass, which is in the store. */
export async function imagine({
  service,
  clock,
  config,
  isOver,
  watched = (ports) => ports,
  unseenFirst = false,
}: Imagined): Promise<PassState> {
  const [account] = config.accounts
  if (!account) throw new Error('the benchmark needs an account')
  const store = openEmbeddedStore(config.store.folder, clock)
  const self = createSelfMetrics()
  const machine = {
    clock,
    random: createRandom(),
    store,
    send: () => Promise.resolve([]),
    self,
    redactor: noRedactor,
  }
  const dispatcher = new Inside(service.fetch, clock)
  const ports = watched(createPorts(account, config, { ...machine, dispatcher }))
  const usual = passPlanOf(account, config)
  const plan = { ...usual, sweep: { ...usual.sweep, unseenFirst } }
  const stop = new AbortController()
  const log = pino({ level: 'warn' })
  let state = newPassState(await store.account(account.name).load())
  const oneTurn = async (): Promise<LoopTurn> => {
    const done = await runPasses(ports, { before: state, plan }, { log, self, signal: stop.signal })
    state = done.state
    if (isOver(state)) stop.abort()
    return { failures: state.service.failures, nextLook: undefined }
  }
  const lastStartedAt = clock.monotonic()
  const work = async (): Promise<void> => {
    await oneTurn()
    await runLoop(
      clock,
      { interval: passInterval(config.poll.interval), turn: oneTurn, lastStartedAt },
      stop.signal,
    )
  }
  await clock.run(work())
  await store.close()
  return state
}
