// Facts that exclude an unobserved transition between two observations.
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import type { Evidence, ObservedRecord } from '../../model/ledger/evidence.ts'
import type { Span } from '../../model/ledger/slice.ts'
import { instant, latest, SECOND, type Instant } from '../../model/units.ts'

export type Continuity = {
  /**
   * Spans without a start, or without a suspension: an unobserved sleep or wake needs both. From `started_at` and `suspended_at` of a record,
   * from completely read operations, and from `updated_at` where state changes move it.
   */
  readonly noTransition: readonly Span[]
  /**
   * Spans without an intervention: only inactivity for `holds` suspends the compute. Restarts, suspensions by hand and changes of settings
   * move `updated_at`, so none lies between it and the look.
   */
  readonly undisturbed: readonly UndisturbedSpan[]
}

export type UndisturbedSpan = { readonly span: Span; readonly holds: AutosuspendDelay }

export function deriveContinuity(evidence: Evidence): Continuity {
  const { states, covered } = evidence
  const noTransition = new Map<string, Span>()
  const undisturbedByRecord = new Map<string, UndisturbedSpan>()
  const close = (key: string, from: Instant | undefined, to: Instant): void => {
    if (from !== undefined && from < to)
      noTransition.set(key, [from, latest(to, noTransition.get(key)?.[1] ?? to)])
  }
  for (const { record, askedAt } of states) {
    if (!record) continue
    close(`start ${record.startedAt}`, record.startedAt, askedAt)
    close(`suspension ${record.suspendedAt}`, record.suspendedAt, askedAt)
    const key = `${record.updatedAt} ${record.holds}`
    const until = latest(askedAt, undisturbedByRecord.get(key)?.span[1] ?? askedAt)
    undisturbedByRecord.set(key, { span: [instant(record.updatedAt + SECOND), until], holds: record.holds })
  }
  const undisturbed = [...undisturbedByRecord.values()].filter(({ span: [from, to] }) => from < to)
  const unchanged = updateBehaviourOf(evidence) === 'with-state' ? undisturbed.map(({ span }) => span) : []
  return {
    noTransition: [...noTransition.values(), ...(covered ? [covered] : []), ...unchanged],
    undisturbed,
  }
}

/** Whether state changes move `updated_at`, which the interface leaves open. Learned from observed changes; one that left it alone decides. */
export function updateBehaviourOf({
  states,
  updates,
}: Pick<Evidence, 'states' | 'updates'>): Evidence['updates'] {
  const observed = states.slice(1).flatMap((later, index) => {
    const before = states[index]
    if (!before?.record || !later.record || before.state === later.state) return []
    return [before.record.updatedAt === later.record.updatedAt ? ('apart' as const) : ('with-state' as const)]
  })
  if (updates === 'apart' || observed.includes('apart')) return 'apart'
  return updates ?? observed[0]
}

/** Whether a transition between two instants is excluded. `longest`: the most time there is for it. */
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

/** Whether two records exclude the same transitions before them. */
export const isSameRecord = (a: ObservedRecord, b: ObservedRecord): boolean =>
  a.startedAt === b.startedAt &&
  a.suspendedAt === b.suspendedAt &&
  a.updatedAt === b.updatedAt &&
  a.holds === b.holds
