// Forecasts beside the pass: days are read from the store now and then, a compute after the other, and what they lead to is kept.
import type { Logger } from 'pino'
import { forecastBudget } from '../../ledger/forecast/budget.ts'
import type { DailyAmounts } from '../../ledger/forecast/daily.ts'
import type { BudgetForecast, BudgetView } from '../../model/policy/budget.ts'
import type { Compute } from '../../model/service/compute.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { forEachYielding, runYielding, type Cooperative } from '../../std/cooperative.ts'
import { isResized } from '../../model/inference/transition.ts'
import { after, earliest, instant, seconds, type Instant } from '../../model/units.ts'
import { readDailySpend, type DailySpendOptions } from './daily-spend.ts'
import type { PassState } from '../pass/pass-state.ts'

export type Forecasts = {
  /** As it was last worked out for this period; undefined before that, and before a day is over. */
  readonly of: (view: BudgetView) => BudgetForecast | undefined
}

export type Forecaster = Forecasts & {
  /** Begins to work out what is due, beside whatever else runs. Never throws. */
  readonly refresh: (state: PassState) => void
  /** Resolves when nothing is being worked out. */
  readonly idle: () => Promise<void>
}

/** Seconds. Doubled, what was restated of the last days, and a change of sizing, is known two hours late. */
const READ_EVERY = 3600
/** Seconds. Doubled, a forecast lags a sudden spend twice as long; halved, twice the work. */
const FORECAST_EVERY = 300
/** A year has all there is to learn of weekdays and noise, and a month more its own windows. Doubled, a start reads twice as much. */
const DAYS = seconds(400 * 86_400)
/** Days that are older are told anew where the history of a compute was read: that is not waited for an hour. */
const RECENT = seconds(2 * 86_400)

export type ForecasterOptions = DailySpendOptions & { readonly clock: Clock; readonly log: Logger }

type Known = { readonly period: BudgetView['period']; readonly forecast: BudgetForecast | undefined }

export function createForecaster(options: ForecasterOptions): Forecaster {
  const { clock, scopes, zone, log } = options
  const series = new Map<string, DailyAmounts>()
  const known = new Map<string, Known>()
  let readAt: number | undefined
  // as the days that were read are told
  let computes: ReadonlyMap<string, Compute> = new Map()
  // days that were told anew since they were read
  let changedFrom: Instant | undefined
  let doneAt: number | undefined
  let running: Promise<void> | undefined
  const pause = (): Promise<void> => clock.sleep(seconds(0), NEVER)

  async function work({ ledger, budgets, offset }: PassState): Promise<void> {
    const now = instant(clock.now() + offset)
    if (isReadDue(now)) {
      const isAllDue = readAt === undefined || (await runYielding(isAnyResized(ledger, computes), pause))
      const from = isAllDue ? after(now, seconds(0 - DAYS)) : changedFrom
      changedFrom = undefined
      // until it was done: where the store fails, all is read the next time
      readAt = undefined
      if (from !== undefined) await read(ledger, from, now)
      readAt = clock.monotonic()
      computes = await runYielding(computesOf(ledger), pause)
    }
    for (const view of budgets) {
      const daily = series.get(view.name)
      const forecast = daily && forecastBudget(view, daily, { now, dayOf: zone.dayOf })
      known.set(view.name, { period: view.period, forecast })
      // oxlint-disable-next-line no-await-in-loop -- a scrape may be waiting
      await pause()
    }
    doneAt = clock.monotonic()
  }

  const isReadDue = (now: Instant): boolean =>
    readAt === undefined ||
    clock.monotonic() - readAt >= READ_EVERY ||
    (changedFrom !== undefined && changedFrom < after(now, seconds(0 - RECENT)))

  /** Puts what is kept from a day on in place of what was there. */
  async function read(ledger: Ledger, begin: Instant, now: Instant): Promise<void> {
    const from = zone.dayOf(begin)
    const fresh = await readDailySpend({ ledger, from: from.from, now }, options)
    for (const [place, { name }] of scopes.budgets.entries()) {
      const before = [...(series.get(name) ?? [])].filter(([day]) => day < from.number)
      series.set(name, new Map([...before, ...(fresh[place] ?? [])]))
    }
  }

  const isDue = ({ budgets }: PassState): boolean =>
    doneAt === undefined ||
    clock.monotonic() - doneAt >= FORECAST_EVERY ||
    budgets.some(({ name, period }) => known.get(name)?.period.from !== period.from)

  return {
    of: ({ name, period, spent }) => {
      const found = known.get(name)
      return found?.period.from === period.from ? atLeast(found.forecast, spent.likely) : undefined
    },
    refresh: (state) => {
      const { restatedFrom } = state
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
    idle: async () => running,
  }
}

const NEVER = new AbortController().signal

/** Computes of one step. Doubled, the event loop is held up for a millisecond more. */
const COMPUTES = 2000

function* isAnyResized({ computes }: Ledger, before: ReadonlyMap<string, Compute>): Cooperative<boolean> {
  let isAny = false
  yield* forEachYielding(computes, COMPUTES, ([key, { compute }]) => {
    isAny ||= isResized(before.get(key) ?? compute, compute)
  })
  return isAny
}

function* computesOf({ computes }: Ledger): Cooperative<ReadonlyMap<string, Compute>> {
  const all = new Map<string, Compute>()
  yield* forEachYielding(computes, COMPUTES, ([key, { compute }]) => all.set(key, compute))
  return all
}

/** What was spent since it was worked out is no longer ahead. */
function atLeast(forecast: BudgetForecast | undefined, spent: number): BudgetForecast | undefined {
  if (!forecast) return undefined
  const { p10, p50, p90 } = forecast
  return { ...forecast, p10: Math.max(p10, spent), p50: Math.max(p50, spent), p90: Math.max(p90, spent) }
}
