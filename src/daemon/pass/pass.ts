// One turn of the loop over one account: the picture of the program.
import { account, growing, isEmpty, type Part } from '../../ledger/apply-sweep.ts'
import type { BudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { BudgetView } from '../../model/policy/budget.ts'
import type { Event } from '../../model/output/event.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { Sweep } from '../../model/observation.ts'
import type { Owners } from '../../model/policy/owner.ts'
import type { Prices } from '../../model/ledger/price.ts'
import type { Ports, ServiceClock } from '../../model/ports.ts'
import type { Preset } from '../../model/service/sizes.ts'
import { inTurns } from '../../std/cooperative.ts'
import { earliest, instant, millis, seconds, type Instant, type Seconds } from '../../model/units.ts'
import { requestsAtPace } from '../../observe/polling/poll-plan.ts'
import { progressAfter } from '../../observe/polling/project-list.ts'
import { observe, type SweepPlan } from '../../observe/sweep.ts'
import { timely } from './clock-skew.ts'
import { withThoseBack } from './restore-projects.ts'
import {
  lookedAt,
  withBudgets,
  sweptOver,
  withSettled,
  type BudgetPlan,
  type BudgetsHere,
  type Swept,
} from './pass-budgets.ts'
import { countingOperations } from '../../ledger/counters/operations.ts'
import { latestOf, steadied, timebaseOf, type Timebase } from './service-clock.ts'
import { eventsOfSweep, problemsSeenAfter, problemText } from './sweep-events.ts'
import type { AccountState } from './pass-state.ts'
import { withTeams } from '../../ledger/counters/teams.ts'
import { withWakes } from '../../ledger/counters/wakes.ts'

export type PassPlan = {
  readonly sweep: SweepPlan
  readonly prices: Prices
  readonly preset: Preset
  readonly budgets: BudgetScopes
  readonly owners: Owners
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
  const { list, waiting } = before
  const begunOn = ports.clock.monotonic()
  const turn = (): Promise<void> => ports.clock.sleep(seconds(0), signal)
  const begun = before.timebase ?? (await inTurns(timebaseOf(before.ledger, ports.clock), turn))
  const clock = steadied(ports, begun)
  const seen = await observe(
    { ...ports, clock },
    { ledger: before.ledger, list, waiting, plan: sweepPlan(before, plan) },
    signal,
  )
  if (signal.aborted) return before
  const wallAhead = millis(ports.clock.now() - clock.now())
  const { sweep, late } = timely(seen, { time: ports.time, wallAhead })
  const timebase = { at: instant(clock.now() + late), on: clock.monotonic() }
  const after = steadied(ports, timebase)
  const [now, atMost] = [after.now(), latestOf(after)]
  const budgets = budgetPlanOf(plan)
  const known = await withThoseBack(ports, before.ledger, sweep)
  const ledger = await withBudgets(ports, known, { plan: budgets, now, atMost })
  const { prices, preset, overhead, dayOf } = plan
  const parts = account(ledger, sweep, { prices, preset, overhead, dayOf, now: atMost })
  const events = eventsOfSweep(before, sweep)
  const kept = await keep(ports, parts, {
    swept: sweptOver(ledger, sweep),
    here: { plan: budgets, now, atMost },
    owners: plan.owners,
    untold: [...before.untold, ...events],
  })
  const took = seconds(ports.clock.monotonic() - begunOn)
  const state = stateAfter(before, sweep, { ...kept, took, timebase, clock: after, wall: ports.clock.now() })
  await ports.send([...events, ...kept.events])
  return state
}

const budgetPlanOf = ({ budgets, prices, sweep: { history } }: PassPlan): BudgetPlan => ({
  scopes: budgets,
  prices,
  history,
})

function sweepPlan({ stored, pace }: AccountState, { sweep }: PassPlan): SweepPlan {
  const paced = { ...sweep, requests: requestsAtPace(sweep, pace) }
  return stored ? paced : { ...paced, readings: { ...sweep.readings, mode: 'off' } }
}

/** Events kept while the store fails. Doubled, more of a long outage is told when it is over. */
const MOST_UNTOLD = 100

type Kept = {
  readonly ledger: Ledger
  readonly budgets: readonly BudgetView[]
  readonly toldFrom: Instant | undefined
  /** Those in the store. */
  readonly events: readonly Event[]
  /** Those of the sweep that could not be stored. */
  readonly untold: readonly Event[]
  /** Why a part could not be stored; undefined when all were. */
  readonly failure: unknown
}

type Keeping = {
  readonly swept: Swept
  readonly here: BudgetsHere
  readonly owners: Owners
  readonly untold: readonly Event[]
}

/** Part by part, with a turn of the event loop between: first durable, then known. Last what the budgets come to with all of them. */
async function keep(
  ports: Ports,
  parts: Iterable<Part>,
  { swept, here, owners, untold }: Keeping,
): Promise<Kept> {
  const { store, clock } = ports
  const grown = growing(swept.before)
  const withOperations = countingOperations(swept.sweep)
  const events: Event[] = []
  let toldFrom: Instant | undefined
  try {
    for (const part of parts) {
      const ledger = grown.ledger()
      const settled = withSettled(part, { ...swept, ledger }, here)
      const teams = withTeams(settled, { before: ledger, owners, listed: swept.listed })
      const batch = withOperations(withWakes(teams, ledger), ledger)
      // oxlint-disable-next-line no-await-in-loop -- one part after the other is the point
      if (!isEmpty(part)) await store.commit(batch)
      grown.add(batch)
      for (const { from } of part.days) toldFrom = earliest(from, toldFrom ?? from)
      for (const event of part.events) events.push(event)
      // oxlint-disable-next-line no-await-in-loop -- a scrape may be waiting
      await clock.sleep(seconds(0), NEVER)
    }
    const unseen = swept.sweep.service !== 'ok'
    const looked = await lookedAt(ports, grown.ledger(), { ...here, untold, unseen })
    return { ...looked, toldFrom, events: [...events, ...looked.events], untold: [], failure: undefined }
  } catch (cause) {
    return {
      ledger: grown.ledger(),
      budgets: [],
      toldFrom,
      events,
      untold: untold.slice(-MOST_UNTOLD),
      failure: cause ?? new Error('the store failed'),
    }
  }
}

const NEVER = new AbortController().signal

type Ended = Kept & {
  readonly took: Seconds
  readonly timebase: Timebase
  readonly clock: ServiceClock
  readonly wall: Instant
}

function stateAfter(before: AccountState, sweep: Sweep, ended: Ended): AccountState {
  const { ledger, budgets, toldFrom, untold, failure, took, timebase, clock, wall } = ended
  const now = clock.now()
  const reached = sweep.service === 'ok'
  const stored = failure === undefined
  return {
    ledger,
    budgets: stored ? budgets : before.budgets,
    toldFrom,
    untold,
    timebase,
    ahead: millis(now - wall),
    unsure: millis(latestOf(clock) - now),
    list: progressAfter(sweep, before.list, { stored }),
    backlog: sweep.backlog,
    pace: reached ? { asked: sweep.asked, took } : before.pace,
    waiting: sweep.waiting,
    service: sweep.service,
    lastSweepAt: reached ? wall : before.lastSweepAt,
    lastRejectedAt: sweep.service === 'unauthorized' ? wall : before.lastRejectedAt,
    failures: reached && stored ? 0 : before.failures + 1,
    stored: stored && (before.stored || reached),
    storeFailure: failure,
    problems: sweep.problems.map(problemText),
    problemsSeen: problemsSeenAfter(before.problemsSeen, sweep),
  }
}
