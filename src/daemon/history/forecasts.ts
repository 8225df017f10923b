// Forecasts beside the pass: days are read from the store at most once an hour, forecasts made of them every five minutes.
import { forecastBudget } from '../../ledger/forecast/budget.ts'
import type { DailyAmounts } from '../../ledger/forecast/daily.ts'
import type { BudgetForecast, BudgetView, BudgetWithForecast } from '../../model/policy/budget.ts'
import type { Compute } from '../../model/service/compute.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import { isResized } from '../../model/inference/transition.ts'
import { after, earliest, instant, seconds, type Instant } from '../../model/units.ts'
import type { DaemonEnvironment } from '../environment.ts'
import { readDailySpend, type DailySpendOptions } from './daily-spend.ts'
import type { PassState } from '../pass/pass-state.ts'
import { inTurns } from '../turns.ts'

export type Forecaster = ReturnType<typeof createForecaster>

/** Seconds: a restated day or a new sizing is at most an hour late. */
const READ_INTERVAL = 3600
/** Seconds. */
const FORECAST_INTERVAL = 300
/** A year shows weekdays and noise, a month more allows backtests. */
const HISTORY = seconds(400 * 86_400)
/** A younger restated day may wait; an older one comes from a history just read, and may change much. */
const RECENT = seconds(2 * 86_400)

export function createForecaster(options: DailySpendOptions & Pick<DaemonEnvironment, 'clock' | 'log'>) {
  const { clock, scopes, zone, log } = options
  const series = new Map<string, DailyAmounts>()
  const forecasts = new Map<string, Pick<BudgetWithForecast, 'period' | 'forecast'>>()
  let readAt: number | undefined
  /** As of the last read: days are restated at their sizing. */
  let computes: ReadonlyMap<string, Compute> = new Map()
  /** Oldest day restated since the last read. */
  let changedFrom: Instant | undefined
  let doneAt: number | undefined
  let running: Promise<void> | undefined

  async function work({ ledger, budgets, clock: { offset } }: PassState) {
    const now = instant(clock.now() + offset)
    if (isReadDue(now)) {
      const mustReadAll = readAt === undefined || isAnyResized(ledger, computes)
      await clock.yield()
      const from = mustReadAll ? after(now, seconds(0 - HISTORY)) : changedFrom
      changedFrom = undefined
      // set again after the read: when the store fails, the next read is of everything
      readAt = undefined
      if (from !== undefined) await readDays(ledger, from, now)
      readAt = clock.monotonic()
      computes = new Map([...ledger.computes].map(([key, { compute }]) => [key, compute]))
      await clock.yield()
    }
    for await (const view of inTurns(budgets, clock)) {
      const daily = series.get(view.name)
      const forecast = daily && forecastBudget(view, daily, { now, dayOf: zone.dayOf })
      forecasts.set(view.name, { period: view.period, forecast })
    }
    doneAt = clock.monotonic()
  }

  const isReadDue = (now: Instant) =>
    readAt === undefined ||
    clock.monotonic() - readAt >= READ_INTERVAL ||
    (changedFrom !== undefined && changedFrom < after(now, seconds(0 - RECENT)))

  async function readDays(ledger: Ledger, begin: Instant, now: Instant) {
    const from = zone.dayOf(begin)
    const fresh = await readDailySpend({ ledger, from: from.from, now }, options)
    for (const [index, { name }] of scopes.budgets.entries()) {
      const before = [...(series.get(name) ?? [])].filter(([day]) => day < from.number)
      series.set(name, new Map([...before, ...(fresh[index] ?? [])]))
    }
  }

  const isDue = ({ budgets }: PassState) =>
    doneAt === undefined ||
    clock.monotonic() - doneAt >= FORECAST_INTERVAL ||
    budgets.some(({ name, period }) => forecasts.get(name)?.period.from !== period.from)

  return {
    /** Forecast of this period; undefined before the first, and before a day is over. */
    of: ({ name, period, spent }: BudgetView) => {
      const last = forecasts.get(name)
      return last?.period.from === period.from ? atLeast(last.forecast, spent.likely) : undefined
    },
    /** Starts what is due, beside everything else. Never throws. */
    refresh: (state: PassState) => {
      const { restatedFrom } = state.persistence
      if (restatedFrom !== undefined) changedFrom = earliest(restatedFrom, changedFrom ?? restatedFrom)
      if (running || state.budgets.length === 0 || !isDue(state)) return
      running = work(state)
        .catch((err: unknown) => {
          log.error({ err, account: state.ledger.account }, 'the forecasts could not be worked out')
        })
        .finally(() => {
          running = undefined
        })
    },
    /** Resolves when nothing is running. */
    idle: async () => running,
  }
}

const isAnyResized = ({ computes }: Ledger, before: ReadonlyMap<string, Compute>) =>
  computes.entries().some(([key, { compute }]) => isResized(before.get(key) ?? compute, compute))

/** Never less than what was spent since it was made. */
function atLeast(forecast: BudgetForecast | undefined, spent: number) {
  if (!forecast) return undefined
  const { p10, p50, p90 } = forecast
  return { ...forecast, p10: Math.max(p10, spent), p50: Math.max(p50, spent), p90: Math.max(p90, spent) }
}
