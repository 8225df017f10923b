// Forecast of a budget at the end of its period.
import type { CalendarDay } from '../../calendar/zone.ts'
import type { BudgetForecast, BudgetView } from '../../model/policy/budget.ts'
import { after, instant, seconds, type Instant } from '../../model/units.ts'
import { daysUntil, dailySeries, type DailyAmounts } from './daily.ts'
import { daysUntilExhausted, forecastAtEnd, probabilityOverLimit } from './forecast.ts'

const SECONDS_PER_DAY = 86_400

/** @returns undefined until a whole day is known */
export function forecastBudget(
  view: BudgetView,
  daily: DailyAmounts,
  { now, dayOf }: { now: Instant; dayOf: (at: Instant) => CalendarDay },
): BudgetForecast | undefined {
  const { limit, period, spent, scope, maxBurn } = view
  const today = dayOf(now)
  const history = dailySeries(daily, today.number, limit.unit)
  if (!history) return undefined
  const remainingTime = Math.max(0, period.to - now)
  // a scope of exact names cannot gain computes
  const isNamed = scope.compute?.every((pattern) => !/[*?]/.test(pattern)) === true
  const bound = isNamed ? { most: (maxBurn * limit.amount * remainingTime) / (period.to - period.from) } : {}
  const forecast = forecastAtEnd({
    history,
    spent: spent.likely,
    today: (now - today.from) / (today.to - today.from),
    daysLeft: daysUntil(period.to, now, dayOf),
    ...bound,
  })
  if (!forecast) return undefined
  const days = spent.likely >= limit.amount ? undefined : daysUntilExhausted(forecast, limit.amount)
  const { p10, p50, p90, learning, coverage } = forecast
  const exhaustedAt =
    days === undefined ? undefined : instant(Math.round(after(now, seconds(days * SECONDS_PER_DAY))))
  return {
    p10,
    p50,
    p90,
    learning,
    days: history.amounts.length,
    probabilityOver: probabilityOverLimit(forecast, limit.amount),
    exhaustedAt,
    held: coverage,
  }
}
