// Stage 4 of a pass: budgets, counters and events in one transaction, before anybody is notified.
import type { Event } from '../../model/output/event-kinds.ts'
import type { Sweep } from '../../model/observation.ts'
import { jobStateWrite } from '../../model/ports/outbox.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { commit, eventWrites, type Write } from '../../model/ports/store.ts'
import { seconds } from '../../model/units.ts'
import type { AppliedSweep } from './apply-in-chunks.ts'
import type { Observed } from './observe-on-service-time.ts'
import { viewUnstoredBudgets, type evaluatePassBudgets } from './budget-states.ts'
import type { PassInput } from './pass-state.ts'
import { ANNOUNCED_STATUS, announcedAfter, eventsOfSweep, STATUS_EVENTS } from './sweep-events.ts'

/** In an outage of the store the newest 100 are enough to tell what happened. */
const MAX_PENDING_EVENTS = 100

export type Persisted = Awaited<ReturnType<typeof persist>>

type StageResults = Readonly<{
  observed: Observed
  applied: AppliedSweep
  evaluated: Awaited<ReturnType<typeof evaluatePassBudgets>>
}>

export async function persist(
  ports: Pick<Ports, 'store' | 'epoch' | 'clock'>,
  input: PassInput,
  { observed, applied, evaluated }: StageResults,
) {
  const { outbox } = input.before
  const ofSweep = eventsOfSweep(outbox, observed.sweep)
  const pending = [...outbox.pendingEvents, ...ofSweep]
  const failure = evaluated
    ? await tryCommit(
        ports,
        [
          ...evaluated.writes,
          ...eventWrites([...pending, ...evaluated.events]),
          ...announcedWrites(pending, observed.sweep),
        ],
        observed,
      )
    : applied.failure
  const stored = failure === undefined ? evaluated : undefined
  return {
    isStored: stored !== undefined,
    /** Failure of the store, in this stage or before; undefined where it did not fail. */
    failure,
    /** As stored. */
    ledger: stored?.ledger ?? applied.ledger,
    budgets: stored?.budgets ?? (await viewUnstoredBudgets(ports.clock, input, { observed, applied })),
    /** Events of this pass, stored or pending. */
    events: [...ofSweep, ...applied.events, ...(stored?.events ?? [])],
    /** Not in the store yet. */
    pendingEvents: stored ? [] : pending.slice(-MAX_PENDING_EVENTS),
    /** From the start of the pass until all was stored. */
    took: seconds(ports.clock.monotonic() - observed.startedOn),
  }
}

const announcedWrites = (events: readonly Event[], sweep: Sweep): readonly Write[] =>
  events.some(({ kind }) => STATUS_EVENTS.has(kind))
    ? [jobStateWrite(ANNOUNCED_STATUS, announcedAfter(sweep))]
    : []

/** @returns why the store failed, if it did */
async function tryCommit(
  { store, epoch }: Pick<Ports, 'store' | 'epoch'>,
  writes: readonly Write[],
  { retainedAt }: Pick<Observed, 'retainedAt'>,
) {
  try {
    if (writes.length > 0) await commit(store, writes, { epoch, retainedAt })
    return undefined
  } catch (cause) {
    return cause ?? new Error('the store failed')
  }
}
