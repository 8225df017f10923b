// One turn of the loop over one account: the picture of the program.
import { account } from '../account/account.ts'
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

/** @returns the state for the next pass, durable before anybody is told of it */
export async function pass(
  ports: Ports,
  { before, plan }: { readonly before: AccountState; readonly plan: PassPlan },
  signal: AbortSignal,
): Promise<AccountState> {
  const sweep = await observe(ports, { ledger: before.ledger, plan: plan.sweep }, signal)
  const now = ports.clock.now()
  const accounted = account(before.ledger, sweep, { prices: plan.prices, overhead: plan.overhead, now })
  if (sweep.projects !== undefined) {
    await ports.store.commit(accounted.ledger, accounted.changed, accounted.settled)
  }
  const after = stateAfter(before, { ledger: accounted.ledger, sweep })
  await ports.send([...eventsOfSweep(before, after, sweep), ...accounted.events])
  return after
}

function stateAfter(
  before: AccountState,
  {
    ledger,
    sweep,
  }: { readonly ledger: AccountState['ledger']; readonly sweep: Parameters<typeof eventsOfSweep>[2] },
): AccountState {
  const reached = sweep.service === 'ok'
  return {
    ledger,
    service: sweep.service,
    lastSweepAt: reached ? sweep.endedAt : before.lastSweepAt,
    lastRejectedAt: sweep.service === 'unauthorized' ? sweep.endedAt : before.lastRejectedAt,
    failures: reached ? 0 : before.failures + 1,
    problems: sweep.problems.map(({ where, message }) => `${where}: ${message}`),
  }
}
