import type { AwakeInterval } from '../../model/ledger/evidence.ts'
import type { SettledInterval } from '../../model/ledger/ledger.ts'
import type { SuspensionGap } from '../../model/ledger/rollup.ts'
import { millis } from '../../model/units.ts'

/**
 * Gaps between awake intervals of one compute, from the last activity before a suspension to the wake that ended it, with the bounds
 * of both edges. A restart ends no gap.
 *
 * @param intervals in order of time and complete
 */
export const suspensionGaps = (
  intervals: readonly Pick<SettledInterval, 'interval' | 'idleTail'>[],
): readonly SuspensionGap[] =>
  intervals.slice(1).flatMap(({ interval: next }, index) => {
    const before = intervals[index]
    if (!before?.interval.to || next.restart) return []
    return [gapBetween(before.interval.to, before.idleTail, next)]
  })

function gapBetween(
  asleep: NonNullable<AwakeInterval['to']>,
  idleTail: number,
  { from: wake }: AwakeInterval,
): SuspensionGap {
  return {
    low: millis(Math.max(0, wake.earliest - asleep.latest) + idleTail),
    high: millis(Math.max(0, wake.latest - asleep.earliest) + idleTail),
  }
}
