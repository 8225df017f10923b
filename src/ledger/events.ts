import type { Event } from '../model/output/event-kinds.ts'
import type { ComputeEntry } from '../model/ledger/ledger.ts'
import type { ProjectEntry } from '../model/ledger/project-entry.ts'
import type { Instant } from '../model/units.ts'

/**
 * What happened to a compute between two states of its account, in the order it is told. All about one that is new is that it was
 * found, and nothing about one that is new and gone: should it be there after all, it is found then.
 */
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
  const more = (name: 'wakes' | 'suspends' | 'restarts' | 'wakesCaused'): boolean =>
    later.counters[name] > before.counters[name]
  const startedAt = later.current?.from.likely ?? later.evidence.starts.at(-1) ?? now
  const endedAt = later.evidence.ends.at(-1) ?? now
  const told: readonly (readonly [boolean, Event])[] = [
    [before.deletedAt !== undefined && later.deletedAt === undefined, { ...about, kind: 'compute-found' }],
    [more('suspends') && endedAt <= startedAt, { ...about, kind: 'suspend', occurredAt: endedAt }],
    [more('wakes'), { ...about, kind: 'wake', occurredAt: startedAt }],
    [more('restarts'), { ...about, kind: 'restart', occurredAt: startedAt }],
    [more('suspends') && endedAt > startedAt, { ...about, kind: 'suspend', occurredAt: endedAt }],
    [more('wakesCaused'), { ...about, kind: 'wake-caused' }],
    [before.deletedAt === undefined && later.deletedAt !== undefined, { ...about, kind: 'compute-gone' }],
  ]
  return told.flatMap(([happened, event]) => (happened ? [event] : []))
}

/** Where the service's count began to be another than ours, or was so until now. */
export function reconciliationEvents(
  before: ProjectEntry | undefined,
  { project: { projectId }, metering }: ProjectEntry,
  about: Pick<Event, 'account' | 'at'>,
): readonly Event[] {
  const checked = metering?.reconciliation
  const wasOff = before?.metering?.reconciliation?.diverges ?? false
  if (!checked || checked.diverges === wasOff) return []
  return [{ ...about, kind: checked.diverges ? 'count-off' : 'count-agrees', projectId, checked }]
}
