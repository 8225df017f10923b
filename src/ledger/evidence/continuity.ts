// Which facts rule out that something happened unseen between two sights of a compute.
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import type { Evidence, ObservedRecord } from '../../model/ledger/evidence.ts'
import type { Span } from '../../model/ledger/slice.ts'
import { instant, latest, type Instant } from '../../model/units.ts'

/** `updated_at` is written in whole seconds. */
const SECOND = 1000

export type Continuity = {
  /**
   * Spans in which nothing started, or nothing was suspended: a sleep between two sights of an awake compute takes both, and
   * so does a wake between two sights of a sleeping one. From `started_at` and `suspended_at` of a record (its last ones: none
   * between them and the look), from a list of operations that is known whole, and from `updated_at` where changes of state move it.
   */
  readonly noTransition: readonly Span[]
  /**
   * Spans in which nobody intervened: then only time suspends the compute, and not before it was silent for `holds`. A restart, a
   * suspension by hand and a change of settings move `updated_at`, so none lies between it and the look.
   */
  readonly undisturbed: readonly UndisturbedSpan[]
}

export type UndisturbedSpan = { readonly span: Span; readonly holds: AutosuspendDelay }

export function deriveContinuity(evidence: Evidence): Continuity {
  const { states, covered } = evidence
  const closed = new Map<string, Span>()
  const quiet = new Map<string, UndisturbedSpan>()
  const close = (key: string, from: Instant | undefined, to: Instant): void => {
    if (from !== undefined && from < to) closed.set(key, [from, latest(to, closed.get(key)?.[1] ?? to)])
  }
  for (const { record, askedAt } of states) {
    if (!record) continue
    close(`start ${record.startedAt}`, record.startedAt, askedAt)
    close(`suspension ${record.suspendedAt}`, record.suspendedAt, askedAt)
    const key = `${record.updatedAt} ${record.holds}`
    const until = latest(askedAt, quiet.get(key)?.span[1] ?? askedAt)
    quiet.set(key, { span: [instant(record.updatedAt + SECOND), until], holds: record.holds })
  }
  const left = [...quiet.values()].filter(({ span: [from, to] }) => from < to)
  const unchanged = updateBehaviourOf(evidence) === 'with-state' ? left.map(({ span }) => span) : []
  return {
    noTransition: [...closed.values(), ...(covered ? [covered] : []), ...unchanged],
    undisturbed: left,
  }
}

/**
 * Whether a change of state moves `updated_at`, which the interface leaves open: as far as such changes were seen. One that did not
 * move it settles the question.
 */
export function updateBehaviourOf({
  states,
  updates,
}: Pick<Evidence, 'states' | 'updates'>): Evidence['updates'] {
  const seen = states.slice(1).flatMap((later, index) => {
    const before = states[index]
    if (!before?.record || !later.record || before.state === later.state) return []
    return [before.record.updatedAt === later.record.updatedAt ? ('apart' as const) : ('with-state' as const)]
  })
  if (updates === 'apart' || seen.includes('apart')) return 'apart'
  return updates ?? seen[0]
}

/** Whether nothing can have happened unseen from one instant to another, `longest` being the most time there is for it. */
export function excludesTransition(
  { noTransition, undisturbed }: Continuity,
  [from, to]: Span,
  longest: number,
): boolean {
  if (to <= from || noTransition.some((span) => contains(span, [from, to]))) return true
  return undisturbed.some(
    ({ span, holds }) => contains(span, [from, to]) && (holds === 'never' || longest < holds * 1000),
  )
}

const contains = ([from, to]: Span, [a, b]: Span): boolean => from <= a && b <= to

/** Whether two looks tell the same of the time before them, so that what lies between them is ruled out by either. */
export const isSameRecord = (a: ObservedRecord, b: ObservedRecord): boolean =>
  a.startedAt === b.startedAt &&
  a.suspendedAt === b.suspendedAt &&
  a.updatedAt === b.updatedAt &&
  a.holds === b.holds
