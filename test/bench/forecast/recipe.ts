// The forecast that Dormouse's was built after, as it was written down: on the same periods the two show what was gained.
import { rescaleSeries } from '../../../src/ledger/forecast/history.ts'
import type { Series } from './series.ts'
import type { Forecaster } from './trial.ts'

const PERIOD = 30
/** Days between the own windows that correct the width. */
const STRIDE = 5
const SHARES = [0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975]
const SPREADS = [-2.35, -1.85, -1.34, -0.63, 0.05, 0.68, 1.26, 1.61, 1.95]

/** After some days: what the rest will cost, what is added before ratios are taken, the daily rate, a standard deviation. */
type Outlook = {
  readonly rest: number
  readonly base: number
  readonly rate: number
  readonly spread: number
}
type Window = { readonly to: number; readonly rate: number; readonly square: number }

export function recipe(series: Series, daysLeft: number): Forecaster {
  let windows: Window[] = []
  let begun = 0
  let madeBefore = 0
  return (days, spent) => {
    const made = series.changes.filter(({ at }) => at <= days)
    const { amounts } = rescaleSeries({ amounts: series.amounts.slice(0, days), firstWeekday: 0 }, made)
    const daily = amounts.map((amount) => amount ?? 0)
    if (made.length !== madeBefore) [windows, begun, madeBefore] = [[], 0, made.length]
    for (begun ||= PERIOD - daysLeft + PERIOD; begun + daysLeft <= days; begun += STRIDE)
      windows.push(windowOf(daily, begun, daysLeft))
    const outlook = outlookAfter(daily, days, daysLeft)
    const spread = corrected(outlook, days, windows)
    const { base } = outlook
    const middle = outlook.rest + base
    const end = (share: number): number =>
      Math.max(spent, spent + middle * Math.exp(spread * between(SHARES, SPREADS, share)) - base)
    const below = (limit: number): number =>
      between(SPREADS, SHARES, Math.log((limit - spent + base) / middle) / spread)
    return {
      p10: end(0.1),
      p50: end(0.5),
      p90: end(0.9),
      over: (limit) => (limit <= spent ? 1 : 1 - clamp(below(limit), 0.0025, 0.9975)),
    }
  }
}

function outlookAfter(daily: readonly number[], days: number, count: number): Outlook {
  const factors = weekdays(daily, days)
  const factor = (day: number): number => factors[day % 7] ?? 1
  const average = (halfLife: number): number => {
    const [spent, expected] = weighed(days, 6 * halfLife, halfLife, (day) => [daily[day] ?? 0, factor(day)])
    return spent / expected
  }
  const [fast, slow] = [average(5), average(45)]
  const variance = noise(daily, days, factor)
  const apart = variance > 0 ? (fast - slow) ** 2 / (variance / 14.4) : 0
  const share = 0.4 + (0.6 * apart) / (apart + 8)
  const least = 0.001 * Math.max(fast, slow)
  const ahead = sum(count, (day) => factor(days + day))
  const rest = (fast + least) ** share * (slow + least) ** (1 - share) * ahead
  const [spent, counted] = weighed(days, 60, Infinity, (day) => [daily[day] ?? 0, 1])
  const rate = spent / counted
  const base = 0.03 * PERIOD * rate
  const relative = rest + base > 0 ? Math.sqrt(variance * ahead * (1 + ahead / 14.4)) / (rest + base) : 0
  return { rest, base, rate, spread: clamp(relative, 0.02, 3) ** 0.86 }
}

function weekdays(daily: readonly number[], days: number): readonly number[] {
  const [spent, counted] = weighed(days, 200, 42, (day) => [daily[day] ?? 0, 1])
  const mean = spent / counted
  if (!(mean > 0)) return [1, 1, 1, 1, 1, 1, 1]
  const factors = [0, 1, 2, 3, 4, 5, 6].map((weekday) => {
    const [own, weight] = weighed(days, 200, 42, (day) =>
      day % 7 === weekday ? [(daily[day] ?? 0) / mean, 1] : [0, 0],
    )
    return (own + 2) / (weight + 2)
  })
  const average = sum(7, (weekday) => factors[weekday] ?? 0) / 7
  return factors.map((each) => each / average)
}

function noise(daily: readonly number[], days: number, factor: (day: number) => number): number {
  let level = 0
  const misses = new Map<number, number>()
  for (let day = Math.max(0, days - 90); day < days; day++) {
    const miss = (daily[day] ?? 0) - factor(day) * level
    misses.set(day, miss ** 2)
    level += (1 - 2 ** (-1 / 7)) * miss
  }
  const [squares, expected] = weighed(days, 60, 30, (day) => [misses.get(day) ?? 0, factor(day)])
  return squares / expected
}

function windowOf(daily: readonly number[], from: number, count: number): Window {
  const { rest, base, rate, spread } = outlookAfter(daily, from, count)
  const was = sum(count, (day) => daily[from + day] ?? 0)
  const square = rest + base > 0 ? (Math.log((was + base) / (rest + base)) / spread) ** 2 : 0
  return { to: from + count, rate, square: Math.min(16, square) }
}

function corrected({ spread, rate }: Outlook, days: number, windows: readonly Window[]): number {
  let [squares, weights] = [8 * 1.1, 8]
  for (const each of windows) {
    if (each.rate < 0.1 * rate) continue
    const weight = (STRIDE / PERIOD) * 2 ** ((each.to - days) / 240)
    squares += weight * each.square
    weights += weight
  }
  return clamp(spread * Math.sqrt(squares / weights), 0.02, 2)
}

/** Two sums over the last days, each day weighing half after `halfLife`. */
function weighed(
  days: number,
  reach: number,
  halfLife: number,
  of: (day: number) => readonly [number, number],
): readonly [number, number] {
  let [one, other] = [0, 0]
  for (let day = Math.max(0, days - reach); day < days; day++) {
    const weight = 2 ** ((day + 1 - days) / halfLife)
    const [a, b] = of(day)
    one += weight * a
    other += weight * b
  }
  return [one, other]
}

/** `to` at `value` of ascending `from`, straight between its points and beyond them. */
function between(from: readonly number[], to: readonly number[], value: number): number {
  const next = from.findIndex((each) => each >= value)
  const above = next === -1 ? from.length - 1 : Math.max(1, next)
  const [x, y, right, up] = [from[above - 1] ?? 0, to[above - 1] ?? 0, from[above] ?? 1, to[above] ?? 1]
  return y + ((value - x) / (right - x)) * (up - y)
}

const sum = (count: number, amount: (at: number) => number): number => {
  let total = 0
  for (let at = 0; at < count; at++) total += amount(at)
  return total
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))
