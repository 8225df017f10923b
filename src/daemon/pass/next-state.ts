import { millis } from '../../model/units.ts'
import { listProgressAfter } from '../../observe/polling/project-list.ts'
import type { AppliedSweep } from './apply-in-chunks.ts'
import type { Observed } from './observe-on-service-time.ts'
import type { EvaluatedBudgets } from './evaluate-budgets.ts'
import type { PassState } from './pass-state.ts'
import type { Persisted } from './persist.ts'
import { problemsSeenAfter, problemText } from './sweep-events.ts'

/** The state that one pass leaves to the next. */
export function nextState(
  before: PassState,
  {
    observed,
    applied,
    evaluated,
    persisted,
  }: {
    readonly observed: Observed
    readonly applied: AppliedSweep
    readonly evaluated: EvaluatedBudgets | undefined
    readonly persisted: Persisted
  },
): PassState {
  const { sweep, now, upperBound, wallClock, anchor } = observed
  const { failure, pendingEvents, took } = persisted
  const isStored = failure === undefined && evaluated !== undefined
  const isReached = sweep.service === 'ok'
  return {
    ...(isStored
      ? { ledger: evaluated.ledger, budgets: evaluated.budgets }
      : { ledger: applied.ledger, budgets: before.budgets }),
    restatedFrom: applied.restatedFrom,
    pendingEvents,
    anchor,
    offset: millis(now - wallClock),
    uncertainty: millis(upperBound - now),
    list: listProgressAfter(sweep, before.list, { stored: isStored }),
    backlog: sweep.backlog,
    throughput: isReached ? { requestsMade: sweep.requestsMade, took } : before.throughput,
    retries: sweep.retries,
    service: sweep.service,
    lastSweepAt: isReached ? wallClock : before.lastSweepAt,
    lastRejectedAt: sweep.service === 'unauthorized' ? wallClock : before.lastRejectedAt,
    failures: isReached && isStored ? 0 : before.failures + 1,
    isPersisted: isStored && (before.isPersisted || isReached),
    storeFailure: failure,
    problems: sweep.problems.map(problemText),
    problemsSeen: problemsSeenAfter(before.problemsSeen, sweep),
  }
}
