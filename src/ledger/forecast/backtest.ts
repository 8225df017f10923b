// Backtest: forecasts of a budget's own finished windows beside what they came to.
import { WINDOW_STRIDE, type WindowOutcome } from './correction.ts'
import type { DailySeries } from './history.ts'
import { outlookAfter, wholeDays } from './spread.ts'

/** Days before the first window: with fewer, a backtest measures only how hard a start is. */
const FIRST = 30
/** Days of windows, two years: older windows weigh an eighth and would only cost work. */
const MAX_DAYS = 730

/**
 * The windows of `length` days, one every five days, that lie within the last two years of the history, oldest first; a
 * window with an unknown day is left out. They begin on fixed days of the history, so that those of a longer history
 * contain them.
 *
 * @param earlier what this returned for the same length and the beginning of the same history: it is not computed again
 */
export function backtestWindows(
  history: DailySeries,
  length: number,
  earlier: readonly WindowOutcome[] = [],
): readonly WindowOutcome[] {
  const days = history.amounts.length
  const oldest = Math.max(FIRST, days - MAX_DAYS)
  const begin = Math.max(
    WINDOW_STRIDE * Math.ceil(oldest / WINDOW_STRIDE),
    (earlier.at(-1)?.from ?? 0) + WINDOW_STRIDE,
  )
  const outcomes = earlier.filter(({ from }) => from >= oldest)
  for (let from = begin; from + length <= days; from += WINDOW_STRIDE) {
    const outcome = outcomeOf(history, from, length)
    if (outcome) outcomes.push(outcome)
  }
  return outcomes
}

function outcomeOf(history: DailySeries, from: number, length: number): WindowOutcome | undefined {
  const to = from + length
  let spent = 0
  for (const amount of history.amounts.slice(from, to)) {
    if (amount === undefined) return undefined
    spent += amount
  }
  const horizon = wholeDays(history, from, length)
  const { remaining, base, spread, rate, knownDays } = outlookAfter(history, from, horizon)
  if (knownDays === 0 || remaining + base === 0) return undefined
  return { from, to, rate, knownDays, spread, miss: Math.log((spent + base) / (remaining + base)) / spread }
}
