// Stage 4 of a pass: budgets, counters and events in one transaction, before anybody is notified.
import { EMPTY_BATCH } from '../../ledger/apply-sweep.ts'
import type { Event } from '../../model/output/event-kinds.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import type { AppliedSweep } from './apply-in-chunks.ts'
import type { Observed } from './observe-on-service-time.ts'
import type { EvaluatedBudgets } from './evaluate-budgets.ts'
import type { PassInput } from './pass-input.ts'
import { eventsOfSweep } from './sweep-events.ts'

/** Events that wait for the store in an outage: the newest 100 are enough to tell what happened. */
const MAX_PENDING_EVENTS = 100

export type Persisted = {
  /** Why the store failed, in this stage or before; undefined where it did not. */
  readonly failure: unknown
  /** Events of this pass, whether stored or pending. */
  readonly events: readonly Event[]
  /** Events that are not in the store yet. */
  readonly pendingEvents: readonly Event[]
  /** From the start of the pass until everything was stored. */
  readonly took: Seconds
}

export async function persist(
  { store, clock }: Pick<Ports, 'store' | 'clock'>,
  { before }: PassInput,
  {
    observed,
    applied,
    evaluated,
  }: {
    readonly observed: Observed
    readonly applied: AppliedSweep
    readonly evaluated: EvaluatedBudgets | undefined
  },
): Promise<Persisted> {
  const ofSweep = eventsOfSweep(before, observed.sweep)
  const pending = [...before.pendingEvents, ...ofSweep]
  const took = (): Seconds => seconds(clock.monotonic() - observed.startedOn)
  const failed = (failure: unknown): Persisted => ({
    failure,
    events: [...ofSweep, ...applied.events],
    pendingEvents: pending.slice(-MAX_PENDING_EVENTS),
    took: took(),
  })
  if (!evaluated) return failed(applied.failure)
  const { budgets, counters } = evaluated.writes
  const events = [...pending, ...evaluated.events]
  try {
    if (Object.keys(budgets).length + events.length > 0 || counters)
      await store.commit({ ...EMPTY_BATCH, account: applied.ledger.account, budgets, counters, events })
  } catch (cause) {
    return failed(cause ?? new Error('the store failed'))
  }
  return {
    failure: undefined,
    events: [...ofSweep, ...applied.events, ...evaluated.events],
    pendingEvents: [],
    took: took(),
  }
}
