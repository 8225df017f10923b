// How the period of a budget may end.
import type { Day } from '../../calendar/zone.ts'
import type { BudgetForecast, BudgetView } from '../../model/policy/budget.ts'
import { after, instant, seconds, type Instant } from '../../model/units.ts'
import { daysUntil, historyOf, type Daily } from './daily.ts'
import { exhaustedIn, forecastAtEnd, overBudget } from './forecast.ts'

const DAY = 86_400

/** @returns undefined before a day is over */
export function budgetForecast(
  view: BudgetView,
  daily: Daily,
  { now, dayOf }: { readonly now: Instant; readonly dayOf: (at: Instant) => Day },
): BudgetForecast | undefined {
  const { limit, period, spent, scope, maxBurn } = view
  const today = dayOf(now)
  const history = historyOf(daily, today.number, limit.unit)
  if (!history) return undefined
  const left = Math.max(0, period.to - now)
  // what is named cannot become more
  const isNamed = scope.compute?.every((pattern) => !/[*?]/.test(pattern)) === true
  const most = isNamed ? { most: (maxBurn * limit.amount * left) / (period.to - period.from) } : {}
  const forecast = forecastAtEnd({
    history,
    spent: spent.likely,
    today: (now - today.from) / (today.to - today.from),
    daysLeft: daysUntil(period.to, now, dayOf),
    ...most,
  })
  if (!forecast) return undefined
  const days = spent.likely >= limit.amount ? undefined : exhaustedIn(forecast, limit.amount)
  const { p10, p50, p90, learning, coverage: held } = forecast
  return {
    p10,
    p50,
    p90,
    learning,
    days: history.amounts.length,
    probabilityOver: overBudget(forecast, limit.amount),
    exhaustedAt: days === undefined ? undefined : instant(Math.round(after(now, seconds(days * DAY)))),
    held,
  }
}
