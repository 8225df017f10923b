import type { Event } from '../model/event.ts'
import type { ComputeAccount, Counters } from '../model/ledger.ts'
import type { Instant } from '../model/units.ts'

/** What happened to a compute between two states of its account, in the order it is told; all about one that is new is that it was found. */
export function eventsBetween(
  before: ComputeAccount | undefined,
  later: ComputeAccount,
  now: Instant,
): readonly Event[] {
  const about = { account: later.ref.account, at: now, ref: later.ref }
  if (!before) return [{ ...about, kind: 'compute-found' }]
  const more = (name: keyof Counters): boolean => later.counters[name] > before.counters[name]
  const startedAt = later.open?.from.likely ?? later.evidence.starts.at(-1) ?? now
  const endedAt = later.evidence.ends.at(-1) ?? now
  const told: readonly (readonly [boolean, Event])[] = [
    [before.goneAt !== undefined && later.goneAt === undefined, { ...about, kind: 'compute-found' }],
    [more('suspends') && endedAt <= startedAt, { ...about, kind: 'suspend', occurredAt: endedAt }],
    [more('wakes'), { ...about, kind: 'wake', occurredAt: startedAt }],
    [more('restarts'), { ...about, kind: 'restart', occurredAt: startedAt }],
    [more('suspends') && endedAt > startedAt, { ...about, kind: 'suspend', occurredAt: endedAt }],
    [more('wakesCaused'), { ...about, kind: 'wake-caused' }],
    [before.goneAt === undefined && later.goneAt !== undefined, { ...about, kind: 'compute-gone' }],
  ]
  return told.flatMap(([happened, event]) => (happened ? [event] : []))
}
