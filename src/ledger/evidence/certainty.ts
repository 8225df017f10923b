// Between observations: spans in which a compute was certainly awake, and spans in which an unseen wake is possible.
import type { AwakeInterval } from '../../model/ledger/evidence.ts'
import type { Span } from '../../model/ledger/slice.ts'
import { earliest, instant, latest, type Instant } from '../../model/units.ts'
import { excludesTransition, type Continuity, type UndisturbedSpan } from './continuity.ts'
import { intersectSpans, unionSpans } from '../interval-math.ts'

/** The compute was in one state at some instant in `[from, to]`. */
export type StateSample = {
  readonly from: Instant
  readonly to: Instant
  /** Whether the delay counts from here: a start or an activity. */
  readonly holds: boolean
  /** Upper end of the time after the previous sample in which nobody used the compute. */
  readonly unusedUntil?: Instant | undefined
}

/**
 * Spans in which a compute was certainly awake: between two samples without a transition, and from activity until the delay ends while
 * undisturbed. A short sleep fits anywhere else.
 */
export function certainlyAwake(
  interval: AwakeInterval,
  samples: readonly StateSample[],
  { noTransition, undisturbed }: Continuity,
): readonly Span[] {
  const between = noTransition.flatMap((span): Span[] => {
    const inside = samples.filter((sample) => overlaps(sample, span))
    const [first, last] = [inside[0], inside.at(-1)]
    return first && last ? [[first.to, last.from]] : []
  })
  const byDelay = undisturbed.flatMap((span) => awakeByDelay(span, samples, interval.to?.latest))
  const within: Span = [interval.from.latest, interval.to?.earliest ?? interval.knownUntil]
  return unionSpans([...between, ...byDelay].map((span) => intersectSpans(span, within)))
}

const overlaps = ({ from, to }: StateSample, span: Span): boolean => to >= span[0] && from <= span[1]

/** Spans that the delay guarantees inside an undisturbed span: forward from activity and start, backward from the end. */
function awakeByDelay(
  { span, holds }: UndisturbedSpan,
  samples: readonly StateSample[],
  endsBy: Instant | undefined,
): readonly Span[] {
  const first = samples.find((sample) => overlaps(sample, span))
  if (!first) return []
  const reach = holds === 'never' ? Number.POSITIVE_INFINITY : holds * 1000
  const forward = samples
    .filter((sample) => sample.holds)
    // An intervention before the span that left it awake at `first` started it later than this, so the delay reaches further.
    .map(({ from, to }): Span => [
      to >= span[0] ? to : latest(to, first.to),
      earliest(instant(from + reach), span[1]),
    ])
  if (endsBy === undefined || holds === 'never' || endsBy > span[1]) return forward
  return [...forward, [latest(span[0], instant(endsBy - reach)), endsBy]]
}

/** Spans in which a sleeping compute may have been awake: between two samples that do not exclude a transition, and since the last one. */
export function possiblyAwake(
  samples: readonly StateSample[],
  continuity: Continuity,
  until: Instant | undefined,
): readonly Span[] {
  const between = samples.slice(1).flatMap((sample, index): Span[] => {
    const before = asleepUntil(samples[index] ?? sample, sample, continuity)
    const longest = sample.to - before.from
    return excludesTransition(continuity, [before.to, sample.from], longest) ? [] : [[before.from, sample.to]]
  })
  const last = samples.at(-1)
  return last && until !== undefined ? [...between, [last.from, until]] : between
}

/** `sample`, or the later instant until which the compute was unused and undisturbed, so that nothing woke it. */
function asleepUntil(sample: StateSample, next: StateSample, { undisturbed }: Continuity): StateSample {
  const until = earliest(next.unusedUntil ?? sample.to, next.from)
  const isUndisturbed = undisturbed.some(({ span: [from, to] }) => from <= sample.to && until <= to)
  return until > sample.to && isUndisturbed ? { from: until, to: until, holds: false } : sample
}
