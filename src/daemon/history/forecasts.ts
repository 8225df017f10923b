// Forecasts beside the pass: days are read from the store at most once an hour, forecasts made of them every five minutes.
import { usualWeightsIn } from '../../ledger/budgets/seasonality.ts'
import { forecastBudget } from '../../ledger/forecast/budget.ts'
import type { CountedPast, Shown } from '../../model/ledger/counted-past.ts'
import type {
  Budget,
  BudgetForecast,
  BudgetView,
  BudgetState,
  SpentByDay,
} from '../../model/policy/budget.ts'
import type { Compute } from '../../model/service/compute.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import { isResized } from '../../model/inference/transition.ts'
import { after, earliest, instant, seconds, type Instant, type Interval } from '../../model/units.ts'
import type { DayNumber } from '../../calendar/local-time.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { DaemonEnvironment } from '../environment.ts'
import { readDailySpend, type DailySpend, type DailySpendOptions } from './daily-spend.ts'
import { shownSpend } from './shown-budget.ts'
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

type Forecasts = Readonly<{
  /** Undefined before a day is over. */
  forecast: BudgetForecast | undefined
  /** From the spend that people see; undefined where that is the ledger's. */
  shownForecast?: BudgetForecast | undefined
  /** Undefined before history was read. */
  spentByDay?: SpentByDay | undefined
}>

export function createForecaster(options: DailySpendOptions & Pick<DaemonEnvironment, 'clock' | 'log'>) {
  const { clock, scopes, zone, log } = options
  const series = new Map<string, DailySpend>()
  const forecasts = new Map<string, Forecasts & Pick<BudgetView, 'period'>>()
  let readAt: number | undefined
  /** As of the last read: days are restated at their sizing. */
  let computes: ReadonlyMap<string, Compute> = new Map()
  /** As of the last read. */
  let past: CountedPast | undefined
  /** Oldest day restated since the last read. */
  let changedFrom: Instant | undefined
  let doneAt: number | undefined
  let running: Promise<void> | undefined

  async function work({ ledger, budgets, clock: { offset } }: PassState, counted: CountedPast | undefined) {
    const now = instant(clock.now() + offset)
    if (counted !== past || isReadDue(now)) {
      const mustReadAll = counted !== past || readAt === undefined || isAnyResized(ledger, computes)
      await clock.yield()
      const from = mustReadAll ? after(now, seconds(0 - HISTORY)) : changedFrom
      changedFrom = undefined
      // set again after the read: when the store fails, the next read is of everything
      readAt = undefined
      past = counted
      if (from !== undefined) await readDays(ledger, from, now)
      readAt = clock.monotonic()
      computes = new Map([...ledger.computes].map(([key, { compute }]) => [key, compute]))
      await clock.yield()
    }
    for await (const view of inTurns(budgets, clock)) {
      const days = series.get(view.name)
      const budget = scopes.budgets.find(({ name }) => name === view.name)
      const weighted = weightedDays(budget, ledger.budgets[view.name])
      const forecastOf = (one: BudgetView) =>
        days && weighted && forecastBudget(one, days.restated, { now, dayOf: zone.dayOf, ...weighted })
      const shown = shownSpend(view, { past, scopes, ledger })
      const shownForecast = shown && forecastOf({ ...view, spent: shown.amount })
      const spentByDay = days && spentByDayOf(view, days.paid, now)
      forecasts.set(view.name, { period: view.period, forecast: forecastOf(view), shownForecast, spentByDay })
    }
    doneAt = clock.monotonic()
  }

  const isReadDue = (now: Instant) =>
    readAt === undefined ||
    clock.monotonic() - readAt >= READ_INTERVAL ||
    (changedFrom !== undefined && changedFrom < after(now, seconds(0 - RECENT)))

  async function readDays(ledger: Ledger, begin: Instant, now: Instant) {
    const from = zone.dayOf(begin)
    const fresh = await readDailySpend({ ledger, from: from.from, now, past }, options)
    for (const [index, { name }] of scopes.budgets.entries()) {
      const [before, since] = [series.get(name), fresh[index]]
      series.set(name, {
        restated: replaceDays(before?.restated, since?.restated, from.number),
        paid: replaceDays(before?.paid, since?.paid, from.number),
      })
    }
  }

  function spentByDayOf({ name, period, knownFrom }: BudgetView, paid: DailySpend['paid'], now: Instant) {
    const first = zone.dayOf(knownFrom).number
    const counted = new Map([...paid].filter(([day]) => day >= first))
    const previous = scopes.budgets.find((budget) => budget.name === name)?.periodAt(instant(period.from - 1))
    return {
      current: sumByDay(counted, { from: period.from, to: zone.dayOf(now).from }, zone),
      previous: previous ? sumByDay(paid, previous, zone) : [],
    }
  }

  const isDue = ({ budgets }: PassState, counted: CountedPast | undefined) =>
    doneAt === undefined ||
    counted !== past ||
    clock.monotonic() - doneAt >= FORECAST_INTERVAL ||
    budgets.some(({ name, period }) => forecasts.get(name)?.period.from !== period.from)

  return {
    /**
     * For this period; all undefined before history was read.
     * @param shown the spend that people see
     */
    of: ({ name, period, spent }: BudgetView, shown?: Shown): Forecasts => {
      const last = forecasts.get(name)
      if (last?.period.from !== period.from) return { forecast: undefined }
      const { forecast, shownForecast = forecast, spentByDay } = last
      return {
        forecast: atLeast(forecast, spent.likely),
        shownForecast: shown && atLeast(shownForecast, shown.amount.likely),
        spentByDay,
      }
    },
    /** Starts what is due, beside everything else. At once when the past was read: then all projects were looked at. Never throws. */
    refresh: (state: PassState, counted?: CountedPast) => {
      const { restatedFrom } = state.persistence
      if (restatedFrom !== undefined) changedFrom = earliest(restatedFrom, changedFrom ?? restatedFrom)
      if (running || state.budgets.length === 0 || !isDue(state, counted)) return
      running = work(state, counted)
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

const weightedDays = (budget: Budget | undefined, state: BudgetState | undefined) =>
  budget && {
    countedIn: budget.countedIn,
    ...(state?.seasonality && { weightsIn: usualWeightsIn(state.seasonality, budget.wallAt) }),
  }

const isAnyResized = ({ computes }: Ledger, before: ReadonlyMap<string, Compute>) =>
  computes.entries().some(([key, { compute }]) => isResized(before.get(key) ?? compute, compute))

const replaceDays = <Amount>(
  before: ReadonlyMap<DayNumber, Amount> = new Map(),
  since: ReadonlyMap<DayNumber, Amount> = new Map(),
  from: DayNumber,
) => new Map([...[...before].filter(([day]) => day < from), ...since])

/** Sum since the start of `span` at the end of each whole day in it; empty where nothing was spent. */
function sumByDay(paid: DailySpend['paid'], span: Interval, { dayOf }: Zone): readonly number[] {
  const sums: number[] = []
  let sum = 0
  for (let day = dayOf(span.from); day.to <= span.to; day = dayOf(day.to)) {
    sum += paid.get(day.number) ?? 0
    sums.push(sum)
  }
  return sum === 0 ? [] : sums
}

/** Never less than what was spent since it was made. */
function atLeast(forecast: BudgetForecast | undefined, spent: number) {
  if (!forecast) return undefined
  const { p10, p50, p90 } = forecast
  return { ...forecast, p10: Math.max(p10, spent), p50: Math.max(p50, spent), p90: Math.max(p90, spent) }
}
