// Forecast of a budget at the end of its period.
import type { BudgetForecast, BudgetView } from '../../model/policy/budget.ts'
import type { Instant } from '../../model/units.ts'
import { dailySeries, type DailyAmounts } from './daily.ts'
import { countedTime, dayShare, daysLater, daysUntil, type CountedDays } from './days-left.ts'
import { daysUntilExhausted, forecastAtEnd, probabilityOverLimit } from './forecast.ts'

/** Largest part of today that is over: of a day whose counted time is over, nothing is left to be spent. */
const MOST_OF_TODAY = 1 - 1e-9

/** @returns undefined until a whole day is known */
export function forecastBudget(
  view: BudgetView,
  daily: DailyAmounts,
  { now, ...days }: CountedDays & { readonly now: Instant },
): BudgetForecast | undefined {
  const { limit, period, spent, scope, maxBurn } = view
  const today = days.dayOf(now)
  const history = dailySeries(daily, today.number, limit.unit)
  if (!history) return undefined
  const remainingTime = countedTime({ from: now, to: period.to }, days)
  // a scope of exact names cannot gain computes
  const isNamed = scope.compute?.every((pattern) => !/[*?]/.test(pattern)) === true
  const bound = isNamed ? { most: (maxBurn * limit.amount * remainingTime) / (period.to - period.from) } : {}
  const forecast = forecastAtEnd({
    history,
    spent: spent.likely,
    today: Math.min(MOST_OF_TODAY, dayShare(today, { from: today.from, to: now }, days)),
    daysLeft: daysUntil(period.to, now, days),
    ...bound,
  })
  if (!forecast) return undefined
  const left = spent.likely >= limit.amount ? undefined : daysUntilExhausted(forecast, limit.amount)
  const { p10, p50, p90, learning, coverage } = forecast
  return {
    p10,
    p50,
    p90,
    learning,
    days: history.amounts.length,
    probabilityOver: probabilityOverLimit(forecast, limit.amount),
    exhaustedAt: left === undefined ? undefined : daysLater(left, now, days),
    held: coverage,
  }
}
