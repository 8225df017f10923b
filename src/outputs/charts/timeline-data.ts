// The awake timeline of a compute as data, and the parts of its time.
import type { LikelyAwakeInterval } from '../../model/ledger/ledger.ts'
import type { Interval } from '../../model/time.ts'
import { instant, latest, type Instant } from '../../model/units.ts'

export type AwakeTimeline = {
  readonly span: Interval
  /** Nothing is known before. */
  readonly knownFrom: Instant
  /** Nothing is known after. */
  readonly knownUntil: Instant
  /** In order of time; they may extend beyond the span. */
  readonly intervals: readonly LikelyAwakeInterval[]
}

export const idleTailInterval = ({ from, to, tail }: LikelyAwakeInterval): Interval => ({
  from: latest(from, instant(to - tail)),
  to,
})

export const activeInterval = (interval: LikelyAwakeInterval): Interval => ({
  from: interval.from,
  to: idleTailInterval(interval).from,
})

export const unknownIntervals = ({ span, knownFrom, knownUntil }: AwakeTimeline): readonly Interval[] => [
  { from: span.from, to: knownFrom },
  { from: knownUntil, to: span.to },
]
