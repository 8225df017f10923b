// A budget that counts inside a window spends nothing while the window is shut.
import { expect, test } from 'vitest'
import { dayNumber } from '../../../src/calendar/local-time.ts'
import { partsInside } from '../../../src/calendar/window.ts'
import { addSpend, newSeasonality, usualWeightsIn } from '../../../src/ledger/budgets/seasonality.ts'
import { forecastBudget } from '../../../src/ledger/forecast/budget.ts'
import type { DailyAmounts } from '../../../src/ledger/forecast/daily.ts'
import { daysLater, daysUntil, type CountedDays } from '../../../src/ledger/forecast/days-left.ts'
import type { BudgetView } from '../../../src/model/policy/budget.ts'
import { cuMillis, instant, micros, millis, ratio, type Instant } from '../../../src/model/units.ts'
import { toIso } from '../../../src/model/time.ts'
import { weekly, windowOf } from '../../calendar/windows.ts'
import { zoneOf } from '../../support/zones.ts'
import { budgetOf, HOUR, inputAt, advanceBudget, money, UTC } from '../budgets/build.ts'

const at = (text: string) => instant(Date.parse(text))
const office = windowOf(weekly('Mon-Sun 09:00-17:00', 'UTC'))
const countedIn = (from: Instant, to: Instant) => partsInside(office, from, to)
const inOffice: CountedDays = { dayOf: UTC.dayOf, countedIn }

/** 1 USD an hour of the window. */
const WHOLE_DAY = {
  awake: { low: millis(8 * HOUR), likely: millis(8 * HOUR), high: millis(8 * HOUR) },
  cuTime: { 1_000_000: { low: cuMillis(8 * HOUR), likely: cuMillis(8 * HOUR), high: cuMillis(8 * HOUR) } },
}

/** The 60 days before that of `now`. */
function daysBefore(now: Instant): DailyAmounts {
  const today = UTC.dayOf(now).number
  return new Map(Array.from({ length: 60 }, (_, index) => [dayNumber(today - 60 + index), WHOLE_DAY]))
}

/** From one opening of the window to the next, limit 10 USD. */
function viewAt(now: string, spent: number): BudgetView {
  const period = { from: at('2026-11-10T09:00:00Z'), to: at('2026-11-11T09:00:00Z') }
  const budget = budgetOf({ per: 'window', limit: money(10), periodAt: () => period, countedIn })
  const { view } = advanceBudget(budget, undefined, inputAt(now))
  if (!view) throw new Error('no period')
  const likely = micros(spent * 1_000_000)
  return { ...view, spent: { low: likely, likely, high: likely }, share: ratio(spent / 10) }
}

test.each([
  ['in the middle of the window', '2026-11-10T13:00:00Z', 4, 8],
  ['when it has shut', '2026-11-10T17:30:00Z', 8, 8],
  ['in the night after', '2026-11-11T03:00:00Z', 8, 8],
])('what is left to be spent is what the window leaves: %s', (_, now, spent, expected) => {
  const forecast = forecastBudget(viewAt(now, spent), daysBefore(at(now)), { now: at(now), ...inOffice })
  expect((forecast?.p50 ?? 0) / 1_000_000).toBeCloseTo(expected, 1)
  expect(forecast?.probabilityOver).toBeLessThan(0.1)
  expect(forecast?.exhaustedAt).toBeUndefined()
})

test('the limit is reached while the window is open', () => {
  const now = at('2026-11-10T12:00:00Z')
  const view = { ...viewAt(toIso(now), 5), limit: money(6) }
  const forecast = forecastBudget(view, daysBefore(now), { now, ...inOffice })
  expect(Math.abs((forecast?.exhaustedAt ?? 0) - at('2026-11-10T13:00:00Z'))).toBeLessThan(60_000)
})

test.each([
  ['UTC', '2026-11-10T12:00:00Z', '2026-11-12T00:00:00Z', 1.5],
  ['Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T10:30:00Z', 0.5],
  ['Europe/Berlin', '2026-03-28T11:00:00Z', '2026-03-29T10:30:00Z', 1],
])('days are as long as the clock of %s makes them: %s to %s', (zone, from, to, days) => {
  const counted = { dayOf: zoneOf(zone).dayOf, countedIn: budgetOf().countedIn }
  expect(daysUntil(at(to), at(from), counted)).toBeCloseTo(days, 10)
  expect(toIso(daysLater(days, at(from), counted))).toBe(toIso(at(to)))
})

test('a moment after some days lies in the window', () => {
  const now = at('2026-11-10T20:00:00Z')
  expect(daysUntil(at('2026-11-12T13:00:00Z'), now, inOffice)).toBe(1.5)
  expect(toIso(daysLater(1.5, now, inOffice))).toBe('2026-11-12T13:00:00Z')
})

/** What `days` before the 10th teach of a budget that counts all day, in hours from 9 to 17. */
function learned(days: number): CountedDays {
  const { countedIn: always, wallAt } = budgetOf()
  const today = at('2026-11-10T00:00:00Z')
  const begin = instant(today - days * 24 * HOUR)
  const spent = Array.from({ length: days }, (_, day) => {
    const from = instant(begin + (day * 24 + 9) * HOUR)
    return { from, to: instant(from + 8 * HOUR), amount: 8_000_000 }
  })
  const seasonality = addSpend(newSeasonality(begin, wallAt), { spent, until: today }, wallAt)
  return { dayOf: UTC.dayOf, countedIn: always, weightsIn: usualWeightsIn(seasonality, wallAt) }
}

/** Of a day, limit 10 USD. */
function forecastOfDay(now: string, spent: number, days: CountedDays, limit = 10) {
  const period = { from: at('2026-11-10T00:00:00Z'), to: at('2026-11-11T00:00:00Z') }
  const budget = budgetOf({ per: 'day', limit: money(limit), periodAt: () => period })
  const { view } = advanceBudget(budget, undefined, inputAt(now))
  if (!view) throw new Error('no period')
  const likely = micros(spent * 1_000_000)
  const spentView = { ...view, spent: { low: likely, likely, high: likely }, share: ratio(spent / limit) }
  return forecastBudget(spentView, daysBefore(at(now)), { now: at(now), ...days })
}

test.each([
  ['before work', '2026-11-10T08:59:00Z', 0],
  ['at noon', '2026-11-10T13:00:00Z', 4],
  ['after work', '2026-11-10T17:00:00Z', 8],
])('a day is forecast by the hours in which it is usually spent: %s', (_, now, spent) => {
  const forecast = forecastOfDay(now, spent, learned(40))
  expect(Math.abs((forecast?.p50 ?? 0) / 1_000_000 - 8)).toBeLessThan(0.7)
  expect(forecast?.probabilityOver).toBeLessThan(0.2)
  expect(forecast?.exhaustedAt).toBeUndefined()
})

test('the limit of a day is reached in its usual hours', () => {
  const reached = forecastOfDay('2026-11-10T06:00:00Z', 0, learned(40), 4)?.exhaustedAt ?? 0
  expect(Math.abs(reached - at('2026-11-10T13:00:00Z'))).toBeLessThan(0.5 * HOUR)
})

test('hours without evidence weigh the same, those with little of it nearly so', () => {
  const [even, day, month] = [0, 1, 40].map((days) => forecastOfDay('2026-11-10T17:00:00Z', 8, learned(days)))
  const plain = forecastOfDay('2026-11-10T17:00:00Z', 8, {
    dayOf: UTC.dayOf,
    countedIn: budgetOf().countedIn,
  })
  expect(even).toEqual(plain)
  const rest = (forecast: typeof even) => (forecast?.p50 ?? 0) / 1_000_000 - 8
  expect(rest(day)).toBeGreaterThan(0.5 * rest(plain))
  expect(rest(day)).toBeLessThan(rest(plain))
  expect(rest(month)).toBeLessThan(0.2 * rest(plain))
})
