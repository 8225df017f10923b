// A turn of the loop over one account: a pass, or several over a large account; a failure does not end the daemon.
import type { Ports } from '../../model/ports/ports.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import { planShare, sweepsPerInterval } from '../../observe/polling/poll-plan.ts'
import type { DaemonEnvironment } from '../environment.ts'
import { joinUpdates, NO_UPDATES, type LedgerUpdates } from './ledger-updates.ts'
import { pass, type Timed } from './pass.ts'
import type { PassInput, PassState } from './pass-state.ts'

type Around = Pick<DaemonEnvironment, 'log'> & {
  readonly self: Pick<DaemonEnvironment['self'], 'pass' | 'stage'>
  readonly signal: AbortSignal
}

type Turned = Readonly<{ state: PassState; took: Seconds }>

/** None after one that failed. */
export async function runPasses(ports: Ports, { before, plan }: PassInput, around: Around): Promise<Turned> {
  const count = sweepsPerInterval(plan.sweep, before.polling.list.finished)
  const part = { ...plan, sweep: planShare(plan.sweep, count) }
  let turned: Turned = { state: before, took: seconds(0) }
  for (let done = 0; done < count; done += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each follows the one before
    const { state, took } = await onePass(ports, { before: turned.state, plan: part }, around)
    turned = {
      state: done === 0 ? state : withUpdates(state, turned.state.persistence),
      took: seconds(turned.took + took),
    }
    if (around.signal.aborted || state.service.failures > 0) break
  }
  return turned
}

/** With the updates of the passes before it. */
const withUpdates = (state: PassState, before: LedgerUpdates): PassState => ({
  ...state,
  persistence: { ...state.persistence, ...joinUpdates(before, state.persistence) },
})

/** The small first pass of a process: what it sees is shown while the first turn makes the other requests. */
export const runOpeningPass = (ports: Ports, { before, plan }: PassInput, around: Around): Promise<Turned> =>
  onePass(ports, { before, plan: { ...plan, sweep: { ...plan.sweep, isOpening: true } } }, around)

async function onePass(
  ports: Ports,
  { before, plan }: PassInput,
  { log, self, signal }: Around,
): Promise<Turned> {
  const begun = ports.clock.monotonic()
  try {
    const state = await pass({ ...ports, timed: timedBy(ports.clock, self) }, { before, plan }, signal)
    const took = seconds(ports.clock.monotonic() - begun)
    if (signal.aborted) return { state, took }
    self.pass(state.service.failures === 0 ? 'success' : 'failure', took)
    if (state.persistence.failure !== undefined) {
      const { account } = state.ledger
      log.error({ err: state.persistence.failure, account }, 'what the pass saw could not be stored')
    }
    return { state, took }
  } catch (err) {
    const took = seconds(ports.clock.monotonic() - begun)
    self.pass('failure', took)
    log.error({ err, account: before.ledger.account }, 'pass failed, its observations are dropped')
    return { state: failedState(before, err), took }
  }
}

/** After a pass that threw: its observations are dropped, and seen again by the next. */
const failedState = (before: PassState, err: unknown): PassState => ({
  ...before,
  service: { ...before.service, failures: before.service.failures + 1 },
  persistence: {
    ...before.persistence,
    ...NO_UPDATES,
    isPersisted: false,
    failure: err ?? new Error('the pass failed'),
  },
})

/** Also of stages that fail. */
const timedBy =
  (clock: Ports['clock'], self: Pick<Around['self'], 'stage'>): Timed =>
  async (stage, work) => {
    const startedOn = clock.monotonic()
    try {
      return await work()
    } finally {
      self.stage(stage, clock.monotonic() - startedOn)
    }
  }
