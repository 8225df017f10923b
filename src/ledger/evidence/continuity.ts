// Facts that exclude an unobserved transition between two observations.
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import type { Evidence, ObservedRecord } from '../../model/ledger/evidence.ts'
import type { Interval } from '../../model/time.ts'
import { instant, latest, SECOND, type Instant } from '../../model/units.ts'
import { contains } from '../interval-math.ts'

export type Continuity = {
  /** Spans without a start or a suspension, of which an unseen sleep or wake needs both: from records and completely read operations. */
  readonly noTransition: readonly Interval[]
  /** Spans in which only inactivity for `holds` suspends: interventions and changes of settings move `updated_at`, and none lies in them. */
  readonly undisturbed: readonly UndisturbedSpan[]
}

export type UndisturbedSpan = Interval & { readonly holds: AutosuspendDelay }

export function deriveContinuity(evidence: Evidence): Continuity {
  const { states, covered } = evidence
  const noTransition = new Map<string, Interval>()
  const undisturbedByRecord = new Map<string, UndisturbedSpan>()
  const close = (key: string, from: Instant | undefined, to: Instant): void => {
    if (from !== undefined && from < to)
      noTransition.set(key, { from, to: latest(to, noTransition.get(key)?.to ?? to) })
  }
  for (const { record, askedAt } of states) {
    if (!record) continue
    close(`start ${record.startedAt}`, record.startedAt, askedAt)
    close(`suspension ${record.suspendedAt}`, record.suspendedAt, askedAt)
    const key = `${record.updatedAt} ${record.holds}`
    const until = latest(askedAt, undisturbedByRecord.get(key)?.to ?? askedAt)
    undisturbedByRecord.set(key, {
      from: instant(record.updatedAt + SECOND),
      to: until,
      holds: record.holds,
    })
  }
  const undisturbed = [...undisturbedByRecord.values()].filter(({ from, to }) => from < to)
  const unchanged = updateBehaviourOf(evidence) === 'with-state' ? undisturbed : []
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
  between: Interval,
  longest: number,
): boolean {
  if (between.to <= between.from || noTransition.some((span) => contains(span, between))) return true
  return undisturbed.some(
    (span) => contains(span, between) && (span.holds === 'never' || longest < span.holds * 1000),
  )
}

/** Whether two records exclude the same transitions before them. */
export const isSameRecord = (a: ObservedRecord, b: ObservedRecord): boolean =>
  a.startedAt === b.startedAt &&
  a.suspendedAt === b.suspendedAt &&
  a.updatedAt === b.updatedAt &&
  a.holds === b.holds
