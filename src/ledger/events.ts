import type { Event } from '../model/output/event-kinds.ts'
import type { ComputeEntry } from '../model/ledger/ledger.ts'
import type { ProjectEntry } from '../model/ledger/project-entry.ts'
import type { Instant } from '../model/units.ts'

/** In order. A new entry gives only `compute-found`, or nothing if its compute is deleted. */
export function eventsBetween(
  before: ComputeEntry | undefined,
  later: ComputeEntry,
  now: Instant,
): readonly Event[] {
  if (before) return changes(before, later, now)
  const { ref, deletedAt } = later
  return deletedAt === undefined ? [{ account: ref.account, at: now, ref, kind: 'compute-found' }] : []
}

function changes(before: ComputeEntry, later: ComputeEntry, now: Instant): readonly Event[] {
  const about = { account: later.ref.account, at: now, ref: later.ref }
  const hasRisen = (name: 'wakes' | 'suspends' | 'restarts' | 'wakesCaused') =>
    later.counters[name] > before.counters[name]
  const { startedAt = now, endedAt = now } = lastTransitions(later)
  const events: readonly (readonly [boolean, Event])[] = [
    [before.deletedAt !== undefined && later.deletedAt === undefined, { ...about, kind: 'compute-found' }],
    [hasRisen('suspends') && endedAt <= startedAt, { ...about, kind: 'suspend', occurredAt: endedAt }],
    [hasRisen('wakes'), { ...about, kind: 'wake', occurredAt: startedAt }],
    [hasRisen('restarts'), { ...about, kind: 'restart', occurredAt: startedAt }],
    [hasRisen('suspends') && endedAt > startedAt, { ...about, kind: 'suspend', occurredAt: endedAt }],
    [hasRisen('wakesCaused'), { ...about, kind: 'wake-caused' }],
    [before.deletedAt === undefined && later.deletedAt !== undefined, { ...about, kind: 'compute-gone' }],
  ]
  return events.flatMap(([happened, event]) => (happened ? [event] : []))
}

/** The record dates those of a past that is read after the first look: its evidence is settled. */
const lastTransitions = ({ current, evidence, compute }: ComputeEntry) => ({
  startedAt: current?.from.likely ?? evidence.starts.at(-1) ?? compute.startedAt,
  endedAt: evidence.ends.at(-1) ?? compute.suspendedAt,
})

/** Where metering starts or stops to diverge from the ledger. */
export function reconciliationEvents(
  before: ProjectEntry | undefined,
  { project: { projectId }, metering }: ProjectEntry,
  about: Pick<Event, 'account' | 'at'>,
): readonly Event[] {
  const checked = metering?.reconciliation
  const didDiverge = before?.metering?.reconciliation?.diverges ?? false
  if (!checked || checked.diverges === didDiverge) return []
  return [{ ...about, kind: checked.diverges ? 'count-off' : 'count-agrees', projectId, checked }]
}
