// One turn of the loop over one account: the picture of the program.
import { applySweep, createLedgerBuilder, isEmptyBatch, type LedgerBatch } from '../../ledger/apply-sweep.ts'
import type { BudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { BudgetView } from '../../model/policy/budget.ts'
import type { Event } from '../../model/output/event.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { Sweep } from '../../model/observation.ts'
import type { Owners } from '../../model/policy/owner.ts'
import type { Prices } from '../../model/ledger/price.ts'
import type { Ports } from '../../model/ports/ports.ts'
import type { ServiceClock } from '../../model/ports/clock.ts'
import type { Preset } from '../../model/service/sizes.ts'
import { runYielding } from '../../std/cooperative.ts'
import { earliest, instant, millis, seconds, type Instant, type Seconds } from '../../model/units.ts'
import { adaptToThroughput } from '../../observe/polling/poll-plan.ts'
import { listProgressAfter } from '../../observe/polling/project-list.ts'
import { observe, type SweepPlan } from '../../observe/sweep.ts'
import { correctClockSkew } from './clock-skew.ts'
import { restoreArchivedProjects } from './restore-projects.ts'
import {
  evaluatePassBudgets,
  ensureBudgetStates,
  sweptLedger,
  settleBudgetsInBatch,
  type BudgetPlan,
  type BudgetContext,
  type SweptLedger,
} from './pass-budgets.ts'
import { createOperationCounter } from '../../ledger/counters/operations.ts'
import { upperBoundOfNow, createServiceClock, initialAnchor, type ClockAnchor } from './service-clock.ts'
import { eventsOfSweep, problemsSeenAfter, problemText } from './sweep-events.ts'
import type { PassState } from './pass-state.ts'
import { addTeamWaste } from '../../ledger/counters/teams.ts'
import { addWakes } from '../../ledger/counters/wakes.ts'

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
  { before, plan }: { readonly before: PassState; readonly plan: PassPlan },
  signal: AbortSignal,
): Promise<PassState> {
  const { list, retries } = before
  const begunOn = ports.clock.monotonic()
  const turn = (): Promise<void> => ports.clock.sleep(seconds(0), signal)
  const begun = before.anchor ?? (await runYielding(initialAnchor(before.ledger, ports.clock), turn))
  const clock = createServiceClock(ports, begun)
  const seen = await observe(
    { ...ports, clock },
    { ledger: before.ledger, list, waiting: retries, plan: sweepPlan(before, plan) },
    signal,
  )
  if (signal.aborted) return before
  const wallAhead = millis(ports.clock.now() - clock.now())
  const { sweep, late } = correctClockSkew(seen, { time: ports.time, wallAhead })
  const timebase = { at: instant(clock.now() + late), on: clock.monotonic() }
  const after = createServiceClock(ports, timebase)
  const [now, atMost] = [after.now(), upperBoundOfNow(after)]
  const budgets = budgetPlanOf(plan)
  const known = await restoreArchivedProjects(ports, before.ledger, sweep)
  const ledger = await ensureBudgetStates(ports, known, { plan: budgets, now, atMost })
  const { prices, preset, overhead, dayOf } = plan
  const parts = applySweep(ledger, sweep, { prices, preset, overhead, dayOf, now: atMost })
  const events = eventsOfSweep(before, sweep)
  const kept = await keep(ports, parts, {
    swept: sweptLedger(ledger, sweep),
    here: { plan: budgets, now, atMost },
    owners: plan.owners,
    untold: [...before.pendingEvents, ...events],
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

function sweepPlan({ isPersisted, throughput }: PassState, { sweep }: PassPlan): SweepPlan {
  const paced = { ...sweep, requests: adaptToThroughput(sweep, throughput) }
  return isPersisted ? paced : { ...paced, readings: { ...sweep.readings, mode: 'off' } }
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
  readonly swept: SweptLedger
  readonly here: BudgetContext
  readonly owners: Owners
  readonly untold: readonly Event[]
}

/** Part by part, with a turn of the event loop between: first durable, then known. Last what the budgets come to with all of them. */
async function keep(
  ports: Ports,
  parts: Iterable<LedgerBatch>,
  { swept, here, owners, untold }: Keeping,
): Promise<Kept> {
  const { store, clock } = ports
  const grown = createLedgerBuilder(swept.before)
  const withOperations = createOperationCounter(swept.sweep)
  const events: Event[] = []
  let toldFrom: Instant | undefined
  try {
    for (const part of parts) {
      const ledger = grown.ledger()
      const settled = settleBudgetsInBatch(part, { ...swept, ledger }, here)
      const teams = addTeamWaste(settled, { before: ledger, owners, listed: swept.listed })
      const batch = withOperations(addWakes(teams, ledger), ledger)
      // oxlint-disable-next-line no-await-in-loop -- one part after the other is the point
      if (!isEmptyBatch(part)) await store.commit(batch)
      grown.add(batch)
      for (const { from } of part.days) toldFrom = earliest(from, toldFrom ?? from)
      for (const event of part.events) events.push(event)
      // oxlint-disable-next-line no-await-in-loop -- a scrape may be waiting
      await clock.sleep(seconds(0), NEVER)
    }
    const unseen = swept.sweep.service !== 'ok'
    const looked = await evaluatePassBudgets(ports, grown.ledger(), { ...here, untold, unseen })
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
  readonly timebase: ClockAnchor
  readonly clock: ServiceClock
  readonly wall: Instant
}

function stateAfter(before: PassState, sweep: Sweep, ended: Ended): PassState {
  const { ledger, budgets, toldFrom, untold, failure, took, timebase, clock, wall } = ended
  const now = clock.now()
  const reached = sweep.service === 'ok'
  const stored = failure === undefined
  return {
    ledger,
    budgets: stored ? budgets : before.budgets,
    restatedFrom: toldFrom,
    pendingEvents: untold,
    anchor: timebase,
    offset: millis(now - wall),
    uncertainty: millis(upperBoundOfNow(clock) - now),
    list: listProgressAfter(sweep, before.list, { stored }),
    backlog: sweep.backlog,
    throughput: reached ? { requestsMade: sweep.requestsMade, took } : before.throughput,
    retries: sweep.retries,
    service: sweep.service,
    lastSweepAt: reached ? wall : before.lastSweepAt,
    lastRejectedAt: sweep.service === 'unauthorized' ? wall : before.lastRejectedAt,
    failures: reached && stored ? 0 : before.failures + 1,
    isPersisted: stored && (before.isPersisted || reached),
    storeFailure: failure,
    problems: sweep.problems.map(problemText),
    problemsSeen: problemsSeenAfter(before.problemsSeen, sweep),
  }
}
