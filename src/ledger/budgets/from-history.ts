// Rebuilds slices from stored awake intervals, for a budget that is new in the configuration.
import type { ComputeEntry, SettledInterval } from '../../model/ledger/ledger.ts'
import { eachBound, type Prices, type AwakeSlice } from '../../model/ledger/quantities.ts'
import { cu, instant, type Interval } from '../../model/units.ts'
import { divideByBranch } from '../branch-moves.ts'
import { spanBounds } from '../settle/slices.ts'
import { duration } from '../interval-math.ts'

/** The settled part of an awake interval. */
export type HistoryInterval = Pick<SettledInterval, 'ref' | 'interval' | 'cuTime'>

/**
 * Slices of a stored interval, one for each price and branch, at the average size: sums are those stored, sizes within the interval are not.
 *
 * @param moves of its compute
 */
export function slicesOfHistory(
  { ref, interval, cuTime }: HistoryInterval,
  { periods }: Prices,
  moves: ComputeEntry['branchMoves'],
): readonly AwakeSlice[] {
  const order = periods.map(({ perCuHour }) => String(perCuHour))
  const prices = Object.entries(cuTime).toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  const total = prices.reduce((sum, [, { high }]) => sum + high, 0)
  const spans = spanBounds(interval, interval.knownUntil)
  let done = 0
  const slices = prices.map(([price, time]): AwakeSlice => {
    const share: Share = [done, total === 0 ? 1 : done + time.high / total]
    done = share[1]
    const parts = eachBound((bound) => cutOut(spans[bound], share))
    return {
      ref,
      ...parts,
      size: eachBound((bound) => average(time[bound], parts[bound])),
      price,
      assumed: interval.from.source === 'assumed' || interval.to?.source === 'assumed',
    }
  })
  return divideByBranch(slices, moves)
}

type Share = readonly [from: number, to: number]

function cutOut({ from, to }: Interval, [begin, end]: Share): Interval {
  const at = (share: number) => instant(Math.round(from + share * (to - from)))
  return { from: at(begin), to: at(end) }
}

const average = (time: number, span: Interval) => cu(duration(span) === 0 ? 0 : time / duration(span))

/** The settled part of the interval in progress, which is not in the history yet; undefined where there is none. */
export function settledPartOfOpen(entry: ComputeEntry): HistoryInterval | undefined {
  const { ref, partlySettled, settledUntil: at } = entry
  if (!partlySettled) return undefined
  const to = { earliest: at, likely: at, latest: at, source: 'poll' } as const
  return { ref, interval: { ...partlySettled.interval, to }, cuTime: partlySettled.cuTime }
}
