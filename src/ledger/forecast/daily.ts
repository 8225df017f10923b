// Daily amounts as a history to forecast from.
import { dayNumber, weekdayOf, type DayNumber } from '../../calendar/local-time.ts'
import type { UsageAmounts, LimitUnit } from '../../model/policy/budget.ts'
import { millis, cuMillis } from '../../model/units.ts'
import { amountInLimitUnit } from '../budgets/period-totals.ts'
import { addCuTime, cuTimeSum, mapCuTime, NO_AMOUNTS } from '../settle/cu-time.ts'
import { addBounds, scaleBounds } from '../../model/ledger/quantities.ts'
import type { DailySeries } from './history.ts'
import { largestCu, smallestCu, type Sizing } from '../../model/service/compute.ts'

/** Day of the zone → its amounts. */
export type DailyAmounts = Map<DayNumber, UsageAmounts>

export function addToDay(daily: DailyAmounts, day: DayNumber, { awake, cuTime }: UsageAmounts): void {
  const before = daily.get(day) ?? NO_AMOUNTS
  daily.set(day, { awake: addBounds(before.awake, awake, millis), cuTime: addCuTime(before.cuTime, cuTime) })
}

/** Likely amounts of finished days but the first, which was observed in part; undefined without one. A day without amounts cost 0. */
export function dailySeries(daily: DailyAmounts, today: DayNumber, unit: LimitUnit): DailySeries | undefined {
  const first = dayNumber(Math.min(...daily.keys()) + 1)
  const days = today - first
  if (!(days > 0)) return undefined
  return {
    amounts: Array.from({ length: days }, (_, index) => {
      const amounts = daily.get(dayNumber(first + index))
      return amounts ? amountInLimitUnit(amounts, unit).likely : 0
    }),
    firstWeekday: (weekdayOf(first) + 6) % 7,
  }
}

/** As its compute is sized now: at the fixed size, or at the day's average size clamped to the range. */
export function restateAtSizing({ awake, cuTime }: UsageAmounts, sizing: Sizing): UsageAmounts {
  const size = cuTimeSum(cuTime).likely / awake.likely
  if (!(size > 0 && size < Infinity)) return { awake, cuTime }
  const factor = Math.min(largestCu(sizing), Math.max(smallestCu(sizing), size)) / size
  return { awake, cuTime: mapCuTime(cuTime, (time) => scaleBounds(time, factor, cuMillis)) }
}
