// One account's turn of the loop: a pass that may fail without ending the daemon.
import type { Logger } from 'pino'
import type { SelfMetrics } from '../metrics/self.ts'
import type { Ports } from '../model/ports.ts'
import { seconds, type Seconds } from '../model/units.ts'
import { pass, type PassPlan } from './pass.ts'
import type { AccountState } from './state.ts'

/** The state before the turn stays when the pass breaks: what it saw is seen again by the next. */
export async function turn(
  ports: Ports,
  { before, plan }: { readonly before: AccountState; readonly plan: PassPlan },
  {
    log,
    self,
    signal,
  }: {
    readonly log: Logger
    readonly self: Pick<SelfMetrics, 'pass'>
    readonly signal: AbortSignal
  },
): Promise<{ readonly state: AccountState; readonly took: Seconds }> {
  const begun = ports.clock.monotonic()
  try {
    const state = await pass(ports, { before, plan }, signal)
    const took = seconds(ports.clock.monotonic() - begun)
    if (signal.aborted) return { state, took }
    self.pass(state.failures === 0 ? 'success' : 'failure', took)
    if (state.storeFailure !== undefined) {
      const { account } = state.ledger
      log.error({ err: state.storeFailure, account }, 'what the pass saw could not be stored')
    }
    return { state, took }
  } catch (err) {
    const took = seconds(ports.clock.monotonic() - begun)
    self.pass('failure', took)
    log.error({ err, account: before.ledger.account }, 'pass failed, its observations are dropped')
    return { state: { ...before, failures: before.failures + 1, stored: false }, took }
  }
}
