// One turn of the loop over one account: the picture of the program.
import { account, growing, isEmpty, type Part } from '../account/account.ts'
import type { BudgetScopes } from '../account/budgets/budgets.ts'
import type { Zone } from '../calendar/zone.ts'
import type { BudgetView } from '../model/budget.ts'
import type { Event } from '../model/event.ts'
import type { Ledger } from '../model/ledger.ts'
import type { Sweep } from '../model/observation.ts'
import type { Prices } from '../model/price.ts'
import type { Ports } from '../model/ports.ts'
import type { Preset } from '../model/sizes.ts'
import { earliest, millis, seconds, type Instant } from '../model/units.ts'
import { observe, type SweepPlan } from '../observe/sweep.ts'
import { lookedAt, withBudgets, withSettled, type BudgetPlan, type BudgetsHere } from './budgets.ts'
import { retold, steadied, timebaseOf, type Timebase } from './steady.ts'
import { eventsOfSweep } from './sweep-events.ts'
import type { AccountState } from './state.ts'

export type PassPlan = {
  readonly sweep: SweepPlan
  readonly prices: Prices
  readonly preset: Preset
  readonly budgets: BudgetScopes
  /** The days of the account's zone. */
  readonly dayOf: Zone['dayOf']
  /** The share of awake time that readings may add. */
  readonly overhead: number
}

/**
 * @returns the state for the next pass, durable before anybody is told of it; the one before when it was stopped in the
 *   middle. What could not be stored is not in it: the next pass sees it again.
 */
export async function pass(
  ports: Ports,
  { before, plan }: { readonly before: AccountState; readonly plan: PassPlan },
  signal: AbortSignal,
): Promise<AccountState> {
  const { list } = before
  const begun = before.timebase ?? timebaseOf(before.ledger, ports.clock)
  const budgets = budgetPlanOf(plan)
  const ledger = await withBudgets(ports, before.ledger, {
    plan: budgets,
    now: steadied(ports.clock, begun).now(),
  })
  const seen = await observe(
    { ...ports, clock: steadied(ports.clock, begun) },
    { ledger, list, plan: sweepPlan(before, plan) },
    signal,
  )
  if (signal.aborted) return before
  const { sweep, timebase } = retold(seen, begun)
  const now = steadied(ports.clock, timebase).now()
  const { prices, preset, overhead, dayOf } = plan
  const parts = account(ledger, sweep, { prices, preset, overhead, dayOf, now })
  const kept = await keep(ports, parts, { before: ledger, sweep, here: { plan: budgets, now } })
  const after = stateAfter(before, sweep, { ...kept, timebase, now, wall: ports.clock.now() })
  await ports.send([...eventsOfSweep(before, after, sweep), ...kept.events])
  return after
}

const budgetPlanOf = ({ budgets, prices, sweep: { history } }: PassPlan): BudgetPlan => ({
  scopes: budgets,
  prices,
  history,
})

const sweepPlan = ({ stored }: AccountState, { sweep }: PassPlan): SweepPlan =>
  stored ? sweep : { ...sweep, readings: { ...sweep.readings, mode: 'off' } }

type Kept = {
  readonly ledger: Ledger
  readonly budgets: readonly BudgetView[]
  readonly toldFrom: Instant | undefined
  readonly events: readonly Event[]
  /** Why a part could not be stored; undefined when all were. */
  readonly failure: unknown
}

/** Part by part, with a turn of the event loop between: first durable, then known. Last what the budgets come to with all of them. */
async function keep(
  ports: Ports,
  parts: Iterable<Part>,
  { here, ...swept }: { readonly before: Ledger; readonly sweep: Sweep; readonly here: BudgetsHere },
): Promise<Kept> {
  const { store, clock } = ports
  const grown = growing(swept.before)
  const events: Event[] = []
  let toldFrom: Instant | undefined
  try {
    for (const part of parts) {
      const batch = withSettled(part, { ...swept, ledger: grown.ledger() }, here)
      // oxlint-disable-next-line no-await-in-loop -- one part after the other is the point
      if (!isEmpty(part)) await store.commit(batch)
      grown.add(batch)
      for (const { from } of part.days) toldFrom = earliest(from, toldFrom ?? from)
      events.push(...part.events)
      // oxlint-disable-next-line no-await-in-loop -- a scrape may be waiting
      await clock.sleep(seconds(0), NEVER)
    }
    const looked = await lookedAt(ports, grown.ledger(), here)
    return { ...looked, toldFrom, events: [...events, ...looked.events], failure: undefined }
  } catch (cause) {
    return {
      ledger: grown.ledger(),
      budgets: [],
      toldFrom,
      events,
      failure: cause ?? new Error('the store failed'),
    }
  }
}

const NEVER = new AbortController().signal

type Ended = Kept & { readonly timebase: Timebase; readonly now: Instant; readonly wall: Instant }

function stateAfter(before: AccountState, sweep: Sweep, ended: Ended): AccountState {
  const { ledger, budgets, toldFrom, failure, timebase, now, wall } = ended
  const reached = sweep.service === 'ok'
  const stored = failure === undefined
  return {
    ledger,
    budgets: stored ? budgets : before.budgets,
    toldFrom,
    timebase,
    ahead: millis(now - wall),
    list: stored ? sweep.list : before.list,
    backlog: sweep.backlog,
    service: sweep.service,
    lastSweepAt: reached ? wall : before.lastSweepAt,
    lastRejectedAt: sweep.service === 'unauthorized' ? wall : before.lastRejectedAt,
    failures: reached && stored ? 0 : before.failures + 1,
    stored: stored && (before.stored || reached),
    storeFailure: failure,
    problems: sweep.problems.map(({ where, message }) => `${where}: ${message}`),
  }
}
