// What a strip is of, and the parts of its time.
import type { AwakeTime } from '../../model/ledger/ledger.ts'
import type { Interval } from '../../model/time.ts'
import { instant, type Instant } from '../../model/units.ts'

export type Strip = {
  readonly span: Interval
  /** Nothing is known before. */
  readonly knownFrom: Instant
  /** Nor after. */
  readonly knownUntil: Instant
  /** In order of time; they may reach out of the span. */
  readonly stretches: readonly AwakeTime[]
}

export const tailOf = ({ from, to, tail }: AwakeTime): Interval => ({
  from: instant(Math.max(from, to - tail)),
  to,
})

export const useOf = (stretch: AwakeTime): Interval => ({ from: stretch.from, to: tailOf(stretch).from })

export const unknownOf = ({ span, knownFrom, knownUntil }: Strip): readonly Interval[] => [
  { from: span.from, to: knownFrom },
  { from: knownUntil, to: span.to },
]
