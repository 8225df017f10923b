// What observations leave possible between them:
//
// 1. Continuity: facts that exclude an unobserved transition between two observations.
// 2. Certainty: spans in which a compute was certainly awake, and spans in which an unseen wake is possible.
import { delayMillis, type AutosuspendDelay } from '../../model/service/compute.ts'
import type { AwakeInterval, Evidence, ObservedRecord } from '../../model/ledger/evidence.ts'
import { union } from '../../model/time.ts'
import { earliest, instant, latest, SECOND, type Instant, type Interval } from '../../model/units.ts'
import { contains, intersect } from '../interval-math.ts'

type Continuity = Readonly<{
  /** Spans without a start or a suspension, of which an unseen sleep or wake needs both: from records and completely read operations. */
  noTransition: readonly Interval[]
  /** Spans in which only inactivity for `holds` suspends: interventions and changes of settings move `updated_at`, and none lies in them. */
  undisturbed: readonly UndisturbedSpan[]
}>

export type UndisturbedSpan = Interval & { readonly holds: AutosuspendDelay }

export function deriveContinuity(evidence: Evidence): Continuity {
  const { states, covered } = evidence
  const noTransition = new Map<string, Interval>()
  const undisturbedByRecord = new Map<string, UndisturbedSpan>()
  const close = (key: string, from: Instant | undefined, to: Instant) => {
    if (from !== undefined && from < to)
      noTransition.set(key, { from, to: latest(to, noTransition.get(key)?.to ?? to) })
  }
  for (const { record, askedAt } of states) {
    if (!record) continue
    close(`start ${record.startedAt}`, record.startedAt, askedAt)
    close(`suspension ${record.suspendedAt}`, record.suspendedAt, askedAt)
    const key = `${record.updatedAt} ${record.holds}`
    const until = latest(askedAt, undisturbedByRecord.get(key)?.to ?? askedAt)
    undisturbedByRecord.set(key, { from: instant(record.updatedAt + SECOND), to: until, holds: record.holds })
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

/** `longest`: the most time there is for a transition. */
function excludesTransition({ noTransition, undisturbed }: Continuity, between: Interval, longest: number) {
  if (between.to <= between.from || noTransition.some((span) => contains(span, between))) return true
  return undisturbed.some((span) => contains(span, between) && longest < delayMillis(span.holds))
}

/** Whether two records exclude the same transitions before them. */
export const isSameRecord = (a: ObservedRecord, b: ObservedRecord): boolean =>
  a.startedAt === b.startedAt &&
  a.suspendedAt === b.suspendedAt &&
  a.updatedAt === b.updatedAt &&
  a.holds === b.holds

/** The compute was in one state at some instant in `[from, to]`. */
export type StateSample = Interval &
  Readonly<{
    /** Whether the delay counts from here: a start or an activity. */
    holds: boolean
    /** Upper end of the time after the previous sample in which nobody used the compute. */
    unusedUntil?: Instant | undefined
  }>

/** Spans between two samples without a transition, and from activity until the delay ends while undisturbed: no sleep fits there. */
export function certainlyAwake(
  interval: AwakeInterval,
  samples: readonly StateSample[],
  { noTransition, undisturbed }: Continuity,
): readonly Interval[] {
  const between = noTransition.flatMap((span): Interval[] => {
    const inside = samples.filter((sample) => touches(sample, span))
    const [first, last] = [inside[0], inside.at(-1)]
    return first && last ? [{ from: first.to, to: last.from }] : []
  })
  const byDelay = undisturbed.flatMap((span) => awakeByDelay(span, samples, interval.to?.latest))
  const within = { from: interval.from.latest, to: interval.to?.earliest ?? interval.knownUntil }
  return union([...between, ...byDelay].map((span) => intersect(span, within)))
}

/** Closed at both ends: a sample may be an instant. */
const touches = ({ from, to }: StateSample, span: Interval) => to >= span.from && from <= span.to

/** Inside an undisturbed span: forward from activity and start, backward from the end. */
function awakeByDelay(span: UndisturbedSpan, samples: readonly StateSample[], endsBy: Instant | undefined) {
  const first = samples.find((sample) => touches(sample, span))
  if (!first) return []
  const { holds } = span
  const reach = delayMillis(holds)
  const forward = samples
    .filter((sample) => sample.holds)
    // An intervention before the span that left it awake at `first` started it later: the delay reaches further.
    .map(({ from, to }) => ({
      from: to >= span.from ? to : latest(to, first.to),
      to: earliest(instant(from + reach), span.to),
    }))
  if (endsBy === undefined || holds === 'never' || endsBy > span.to) return forward
  return [...forward, { from: latest(span.from, instant(endsBy - reach)), to: endsBy }]
}

/** Spans in which a sleeping compute may have been awake: between two samples that do not exclude a transition, and since the last one. */
export function possiblyAwake(
  samples: readonly StateSample[],
  continuity: Continuity,
  until: Instant | undefined,
): readonly Interval[] {
  const between = samples.slice(1).flatMap((sample, index): Interval[] => {
    const before = asleepUntil(samples[index] ?? sample, sample, continuity)
    const longest = sample.to - before.from
    return excludesTransition(continuity, { from: before.to, to: sample.from }, longest)
      ? []
      : [{ from: before.from, to: sample.to }]
  })
  const last = samples.at(-1)
  return last && until !== undefined ? [...between, { from: last.from, to: until }] : between
}

/** `sample`, or the later instant until which the compute was unused and undisturbed, so that nothing woke it. */
function asleepUntil(sample: StateSample, next: StateSample, { undisturbed }: Continuity): StateSample {
  const until = earliest(next.unusedUntil ?? sample.to, next.from)
  const isUndisturbed = undisturbed.some(({ from, to }) => from <= sample.to && until <= to)
  return until > sample.to && isUndisturbed ? { from: until, to: until, holds: false } : sample
}
