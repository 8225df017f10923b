// A pass over one account. The body of `pass` is the picture of the program: each stage is one line and is timed.
import { isReached } from '../../model/observation.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { nextPolling } from '../../observe/polling/polling-state.ts'
import { applyInChunks, type AppliedSweep } from './apply-in-chunks.ts'
import { observeOnServiceTime, type Observed } from './observe-on-service-time.ts'
import { evaluatePassBudgets } from './evaluate-budgets.ts'
import type { PassInput, PassState, Persistence, ServiceState } from './pass-state.ts'
import { persist, type Persisted } from './persist.ts'
import { nextClock } from './service-clock.ts'
import { nextOutbox } from './sweep-events.ts'

export type PassStage = 'observe' | 'apply' | 'budgets' | 'persist' | 'publish'

/** Runs one stage and records its duration in `dormouse_pass_stage_duration_seconds`. */
export type Timed = <Value>(stage: PassStage, work: () => Promise<Value>) => Promise<Value>

/** Runs stages without recording them. */
export const untimed: Timed = (_, work) => work()

export type PassPorts = Ports & { readonly timed: Timed }

/**
 * @returns the state for the next pass, durable before anybody is notified. It is the state before when `signal` aborted the sweep. What
 *   could not be stored is not in it: the next pass observes it again.
 */
export async function pass(ports: PassPorts, input: PassInput, signal: AbortSignal): Promise<PassState> {
  const { timed } = ports
  const observed = await timed('observe', () => observeOnServiceTime(ports, input, signal))
  if (signal.aborted) return input.before
  const applied = await timed('apply', () => applyInChunks(ports, input, observed))
  const evaluated = await timed('budgets', () =>
    evaluatePassBudgets(ports.clock, input, { observed, applied }),
  )
  const persisted = await timed('persist', () => persist(ports, input, { observed, applied, evaluated }))
  await timed('publish', () => ports.send(persisted.events))
  return nextState(input.before, { observed, applied, persisted })
}

type PassResults = {
  readonly observed: Observed
  readonly applied: AppliedSweep
  readonly persisted: Persisted
}

/** The state that a pass leaves to the next. */
const nextState = (before: PassState, results: PassResults): PassState => ({
  ledger: results.persisted.ledger,
  budgets: results.persisted.budgets ?? before.budgets,
  statistics: results.applied.statistics,
  clock: nextClock(results.observed),
  polling: nextPolling(before.polling, results.observed.sweep, results.persisted),
  service: nextService(before.service, results),
  persistence: nextPersistence(before.persistence, results),
  outbox: nextOutbox(before.outbox, results.observed.sweep, results.persisted.pendingEvents),
})

function nextService(before: ServiceState, { observed, persisted }: PassResults): ServiceState {
  const { sweep, wallClock } = observed
  const isSeen = isReached(sweep.service)
  return {
    status: sweep.service,
    failures: isSeen && persisted.isStored ? 0 : before.failures + 1,
    lastSweepAt: isSeen ? wallClock : before.lastSweepAt,
    lastRejectedAt: sweep.service === 'unauthorized' ? wallClock : before.lastRejectedAt,
  }
}

const nextPersistence = (
  { isPersisted }: Persistence,
  { observed, applied, persisted }: PassResults,
): Persistence => ({
  isPersisted: persisted.isStored && (isPersisted || isReached(observed.sweep.service)),
  failure: persisted.failure,
  restatedFrom: applied.restatedFrom,
})
