import { isReached } from '../../model/observation.ts'
import { nextPolling } from '../../observe/polling/polling-state.ts'
import type { AppliedSweep } from './apply-in-chunks.ts'
import type { Observed } from './observe-on-service-time.ts'
import type { PassState, Persistence, ServiceState } from './pass-state.ts'
import type { Persisted } from './persist.ts'
import { nextClock } from './service-clock.ts'
import { nextOutbox } from './sweep-events.ts'

export type PassResults = {
  readonly observed: Observed
  readonly applied: AppliedSweep
  readonly persisted: Persisted
}

/** The state that a pass leaves to the next. */
export const nextState = (before: PassState, results: PassResults): PassState => ({
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
