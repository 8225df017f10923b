// A pass over one account. The body of `pass` is the picture of the program: each stage is one timed line.
import { hasSession } from '../../ledger/evidence/own-sessions.ts'
import { isReached } from '../../model/observation.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { nextPolling } from '../../observe/polling/polling-state.ts'
import { applyInChunks, type AppliedSweep } from './apply-in-chunks.ts'
import { observeOnServiceTime, type Observed } from './observe-on-service-time.ts'
import { evaluatePassBudgets } from './budget-states.ts'
import type { PassInput, PassState } from './pass-state.ts'
import { persist, type Persisted } from './persist.ts'
import { nextClock } from './service-clock.ts'
import { nextOutbox } from './sweep-events.ts'

type PassStage = 'observe' | 'apply' | 'budgets' | 'persist' | 'publish'

/** Records the duration in `dormouse_pass_stage_duration_seconds`. */
export type Timed = <Value>(stage: PassStage, work: () => Promise<Value>) => Promise<Value>

export const untimed: Timed = (_, work) => work()

type PassPorts = Ports & { readonly timed: Timed }

/**
 * @returns the state for the next pass, durable before anybody is notified. It lacks what could not be stored: that is observed again. Of a
 * sweep that `signal` aborted only computes with sessions of ours are applied: the activity that they cause would pass for a client's.
 */
export async function pass(ports: PassPorts, input: PassInput, signal: AbortSignal): Promise<PassState> {
  const { timed } = ports
  const observed = await timed('observe', () => observeOnServiceTime(ports, input, signal))
  const isStopped = signal.aborted
  if (isStopped && !observed.sweep.readings.some(hasSession)) return input.before
  const applied = await timed('apply', () => applyInChunks(ports, input, { observed, signal }))
  if (isStopped) return { ...input.before, ledger: applied.ledger, statistics: applied.statistics }
  const evaluated = await timed('budgets', () =>
    evaluatePassBudgets(ports.clock, input, { observed, applied }),
  )
  const persisted = await timed('persist', () => persist(ports, input, { observed, applied, evaluated }))
  await timed('publish', () => ports.send(persisted.events))
  return nextState(input, { observed, applied, persisted })
}

type PassResults = Readonly<{
  observed: Observed
  applied: AppliedSweep
  persisted: Persisted
}>

function nextState({ before, plan }: PassInput, { observed, applied, persisted }: PassResults): PassState {
  const { sweep, wallClock } = observed
  const { service, persistence } = before
  const isSeen = isReached(sweep.service)
  const isComplete = isSeen && persisted.isStored
  const { isOpening = false } = plan.sweep
  return {
    ledger: persisted.ledger,
    budgets: persisted.budgets,
    statistics: applied.statistics,
    clock: nextClock(observed),
    polling: nextPolling(before.polling, sweep, { ...persisted, isOpening }),
    service: {
      status: sweep.service,
      failures: isComplete ? 0 : service.failures + 1,
      lastSweepAt: isSeen ? wallClock : service.lastSweepAt,
      lastRejectedAt: sweep.service === 'unauthorized' ? wallClock : service.lastRejectedAt,
    },
    persistence: {
      isPersisted: persisted.isStored && (persistence.isPersisted || isSeen),
      failure: persisted.failure,
      storedAt: isComplete ? wallClock : persistence.storedAt,
      ...applied.updates,
      unstoredReadings: persisted.isStored ? [] : observed.sweep.readings,
    },
    outbox: nextOutbox(before.outbox, sweep, persisted.pendingEvents),
  }
}
