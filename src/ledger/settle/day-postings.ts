// Postings: what belongs to a day beside awake time, namely wakes, idle tails and observer overhead.
import type { AwakeInterval } from '../../model/ledger/evidence.ts'
import type { Interval } from '../../model/time.ts'
import { instant, latest, millis, type Instant, type Millis } from '../../model/units.ts'
import { endTotals, type TotalsContext } from './totals.ts'

export type DayPosting =
  | { readonly kind: 'wake'; readonly at: Instant }
  | { readonly kind: 'extension'; readonly at: Instant; readonly added: Millis }
  /** `before`: part of the tail in settled days; counted on the first day of `span`. */
  | { readonly kind: 'tail'; readonly span: Interval; readonly before: Millis }

export const startPostings = ({ from, restart }: AwakeInterval): readonly DayPosting[] =>
  restart ? [] : [{ kind: 'wake', at: from.likely }]

export const overheadPostings = (added: Millis, at: Instant): readonly DayPosting[] =>
  added === 0 ? [] : [{ kind: 'extension', at, added }]

/** @param notBefore days before it are settled */
export function endPostings(
  interval: AwakeInterval,
  context: TotalsContext,
  notBefore: Instant,
): readonly DayPosting[] {
  const { idleTail, observerOverhead } = endTotals(interval, context)
  const end = latest(interval.to?.likely ?? interval.knownUntil, notBefore)
  const begin = latest(instant(end - idleTail), notBefore)
  const tail: DayPosting = {
    kind: 'tail',
    span: { from: begin, to: end },
    before: millis(idleTail - (end - begin)),
  }
  return [...(idleTail > 0 ? [tail] : []), ...overheadPostings(observerOverhead, end)]
}
