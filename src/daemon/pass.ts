// One turn of the loop over one account: the picture of the program.
import { account, type Accounted } from '../account/account.ts'
import type { Sweep } from '../model/observation.ts'
import type { Prices } from '../model/price.ts'
import type { Ports } from '../model/ports.ts'
import { observe, type SweepPlan } from '../observe/sweep.ts'
import { eventsOfSweep } from './sweep-events.ts'
import type { AccountState } from './state.ts'

export type PassPlan = {
  readonly sweep: SweepPlan
  readonly prices: Prices
  /** The share of awake time that readings may add. */
  readonly overhead: number
}

/** @returns the state for the next pass, durable before anybody is told of it; the one before when it was stopped in the middle */
export async function pass(
  ports: Ports,
  { before, plan }: { readonly before: AccountState; readonly plan: PassPlan },
  signal: AbortSignal,
): Promise<AccountState> {
  const sweep = await observe(ports, { ledger: before.ledger, plan: sweepPlan(before, plan) }, signal)
  if (signal.aborted) return before
  const now = ports.clock.now()
  const accounted = account(before.ledger, sweep, { prices: plan.prices, overhead: plan.overhead, now })
  if (hasNews(sweep, accounted))
    await ports.store.commit(accounted.ledger, accounted.changed, accounted.settled)
  const after = stateAfter(before, accounted, sweep)
  await ports.send([...eventsOfSweep(before, after, sweep), ...accounted.events])
  return after
}

const sweepPlan = ({ stored }: AccountState, { sweep }: PassPlan): SweepPlan =>
  stored ? sweep : { ...sweep, readings: { ...sweep.readings, mode: 'off' } }

/** Where nothing could be asked, time has passed and nothing else. */
const hasNews = (sweep: Sweep, { settled }: Accounted): boolean =>
  sweep.projects !== undefined || settled.length > 0

function stateAfter(before: AccountState, { ledger }: Accounted, sweep: Sweep): AccountState {
  const reached = sweep.service === 'ok'
  return {
    ledger,
    service: sweep.service,
    lastSweepAt: reached ? sweep.endedAt : before.lastSweepAt,
    lastRejectedAt: sweep.service === 'unauthorized' ? sweep.endedAt : before.lastRejectedAt,
    failures: reached ? 0 : before.failures + 1,
    stored: before.stored || reached,
    problems: sweep.problems.map(({ where, message }) => `${where}: ${message}`),
  }
}
