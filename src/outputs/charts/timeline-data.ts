// What a strip is of, and the parts of its time.
import type { LikelyAwakeInterval } from '../../model/ledger/ledger.ts'
import type { Interval } from '../../model/time.ts'
import { instant, type Instant } from '../../model/units.ts'

export type AwakeTimeline = {
  readonly span: Interval
  /** Nothing is known before. */
  readonly knownFrom: Instant
  /** Nor after. */
  readonly knownUntil: Instant
  /** In order of time; they may reach out of the span. */
  readonly stretches: readonly LikelyAwakeInterval[]
}

export const idleTailInterval = ({ from, to, tail }: LikelyAwakeInterval): Interval => ({
  from: instant(Math.max(from, to - tail)),
  to,
})

export const activeInterval = (stretch: LikelyAwakeInterval): Interval => ({
  from: stretch.from,
  to: idleTailInterval(stretch).from,
})

export const unknownIntervals = ({ span, knownFrom, knownUntil }: AwakeTimeline): readonly Interval[] => [
  { from: span.from, to: knownFrom },
  { from: knownUntil, to: span.to },
]
