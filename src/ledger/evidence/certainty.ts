// Between observations: spans in which a compute was certainly awake, and spans in which an unseen wake is possible.
import type { AwakeInterval } from '../../model/ledger/evidence.ts'
import { union, type Interval } from '../../model/time.ts'
import { earliest, instant, latest, type Instant } from '../../model/units.ts'
import { excludesTransition, type Continuity, type UndisturbedSpan } from './continuity.ts'
import { intersect } from '../interval-math.ts'

/** The compute was in one state at some instant in `[from, to]`. */
export type StateSample = Interval & {
  /** Whether the delay counts from here: a start or an activity. */
  readonly holds: boolean
  /** Upper end of the time after the previous sample in which nobody used the compute. */
  readonly unusedUntil?: Instant | undefined
}

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

/** Closed at both ends, because a sample may be an instant. */
const touches = ({ from, to }: StateSample, span: Interval): boolean => to >= span.from && from <= span.to

/** Spans that the delay guarantees inside an undisturbed span: forward from activity and start, backward from the end. */
function awakeByDelay(span: UndisturbedSpan, samples: readonly StateSample[], endsBy: Instant | undefined) {
  const first = samples.find((sample) => touches(sample, span))
  if (!first) return []
  const { holds } = span
  const reach = holds === 'never' ? Number.POSITIVE_INFINITY : holds * 1000
  const forward = samples
    .filter((sample) => sample.holds)
    // An intervention before the span that left it awake at `first` started it later than this, so the delay reaches further.
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
