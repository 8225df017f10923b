import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createBudgetScopes } from '../../../src/ledger/budgets/account-budgets.ts'
import { addSpend, newSeasonality } from '../../../src/ledger/budgets/seasonality.ts'
import { newComputeEntry } from '../../../src/ledger/apply-facts.ts'
import { createForecaster } from '../../../src/daemon/history/forecasts.ts'
import { NO_UPDATES } from '../../../src/daemon/pass/ledger-updates.ts'
import { newPassState, type PassState } from '../../../src/daemon/pass/pass-state.ts'
import type { CountedPast } from '../../../src/model/ledger/counted-past.ts'
import type { BudgetForecast } from '../../../src/model/policy/budget.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import type { DayRow } from '../../../src/model/ledger/quantities.ts'
import { orderedMap } from '../../../src/std/ordered-map.ts'
import type { Clock } from '../../../src/model/ports/clock.ts'
import { cu, cuMillis, micros, seconds, type Instant } from '../../../src/model/units.ts'
import { budgetOf, inputAt, advanceBudget, money, UTC } from '../../ledger/budgets/build.ts'
import { dayAt, refOf } from '../../store/build.ts'
import { at, ledger, look, prices } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { walked } from '../../support/walked.ts'

const DAY = 86_400

/** A forecaster over rows of days that may change, at noon of the 25th of a month. */
function forecasterOver(rows: readonly DayRow[], yieldTurn?: Clock['yield']) {
  const clock = fakeClock('2026-01-25T12:00:00Z')
  const reads: Instant[] = []
  let failing = false
  async function* days(_: string, { from }: { readonly from: Instant }): AsyncGenerator<DayRow> {
    reads.push(from)
    if (failing) throw new Error('the store is away')
    yield* rows
  }
  const budget = budgetOf({ limit: money(100) })
  const forecaster = createForecaster({
    clock: yieldTurn ? { ...clock, yield: yieldTurn } : clock,
    history: { ...NO_HISTORY, days },
    scopes: createBudgetScopes([budget]),
    prices,
    zone: UTC,
    log: pino({ level: 'silent' }),
  })
  const { view: sinceNow } = advanceBudget(budget, undefined, inputAt(clock.now()))
  if (!sinceNow) throw new Error('no period')
  const view = { ...sinceNow, knownFrom: sinceNow.period.from }
  const refresh = async (changed: Partial<PassState>, past?: CountedPast) => {
    forecaster.refresh({ ...newPassState(ledger()), budgets: [view], ...changed }, past)
    await forecaster.idle()
    return forecaster.of(view)
  }
  const refreshed = async (changed: Partial<PassState>): Promise<BudgetForecast | undefined> => {
    const forecast = refresh(changed)
    await clock.advance(seconds(301))
    return (await forecast).forecast
  }
  return {
    clock,
    reads,
    refresh,
    refreshed,
    spentByDay: () => forecaster.of(view).spentByDay,
    fail: (now: boolean) => {
      failing = now
    },
  }
}

const restated = (from: number): Partial<PassState> => ({
  persistence: {
    ...NO_UPDATES,
    isPersisted: true,
    failure: undefined,
    storedAt: undefined,
    restatedFrom: at(from),
    unstoredReadings: [],
  },
})

const bounds = (low: number, likely: number, high: number) => ({
  low: cuMillis(low),
  likely: cuMillis(likely),
  high: cuMillis(high),
})

const twentyDays = () => Array.from({ length: 20 }, (_, day) => dayAt(refOf('ep-one'), day))

test('a history that is read after the first forecast is in the next one', async () => {
  const rows: DayRow[] = []
  const { refreshed } = forecasterOver(rows)
  expect(await refreshed({})).toBeUndefined()
  rows.push(...twentyDays())
  expect(await refreshed(restated(0))).toMatchObject({ days: 19 })
  rows.length = 5
  expect(await refreshed(restated(19 * DAY))).toMatchObject({ days: 19 })
})

test('spend is summed day by day since the beginning of the period, up to the last whole day, and of the period before', async () => {
  // 2 and 31 December, 1, 2, 4 and 25 January
  const rows = [-34, -5, -4, -3, -1, 20].map((day) => dayAt(refOf('ep-one'), day))
  const { refreshed, spentByDay } = forecasterOver(rows)
  await refreshed({})
  const { current = [], previous = [] } = spentByDay() ?? {}
  const [daily = NaN] = current
  expect(daily).toBeGreaterThan(0)
  // the 25th is not over
  expect(current).toEqual([1, 2, 2, ...Array.from({ length: 21 }, () => 3)].map((days) => days * daily))
  expect(previous).toEqual([0, ...Array.from({ length: 29 }, () => 1), 2].map((days) => days * daily))
})

test('once the past was counted, a forecast is made at once, and days are what people see', async () => {
  const rows = [dayAt(refOf('ep-one'), 1)]
  const { refresh } = forecasterOver(rows)
  const before = await refresh({})
  expect(before).toMatchObject({ forecast: { days: 18 }, shownForecast: undefined })
  rows.push(...twentyDays().slice(2))
  expect(await refresh({})).toEqual(before)
  const day = { day: at(2 * DAY), window: at(2 * DAY), price: micros(106_000) }
  const parts = [{ ...day, ledger: bounds(1000, 2000, 3000), shown: bounds(2400, 2500, 2600) }]
  const past: CountedPast = {
    until: at(20 * DAY),
    untilDate: '2026-01-25',
    computes: new Map([[computeKey(refOf('ep-one')), { ref: refOf('ep-one'), basis: 'consumption', parts }]]),
  }
  const after = await refresh({}, past)
  // 6, 7 and 8 January
  const [first = NaN, second = NaN, third = NaN] = after.spentByDay?.current.slice(5) ?? []
  expect(second - first).toBeCloseTo(1.25 * first, 0)
  expect(third - second).toBeCloseTo(first)
})

test('a history that could not be read is read again, no further back than ever', async () => {
  const { refreshed, reads, fail } = forecasterOver(twentyDays())
  fail(true)
  expect(await refreshed({})).toBeUndefined()
  fail(false)
  expect(await refreshed({})).toMatchObject({ days: 19 })
  expect(reads).toHaveLength(2)
  expect(reads[1]).toBe(reads[0])
})

test('the rest of a day counts by what is usually spent in its hours', async () => {
  const budget = budgetOf()
  const now = at(24.5 * DAY)
  const { state } = advanceBudget(budget, undefined, inputAt(now))
  const forecastWith = async (hours: readonly number[]) => {
    const spent = Array.from({ length: 20 }, (_, day) =>
      hours.map((hour) => ({
        from: at((day + 1) * DAY + hour * 3600),
        to: at((day + 1) * DAY + (hour + 1) * 3600),
        amount: 1000,
      })),
    ).flat()
    const learned = addSpend(newSeasonality(at(DAY), budget.wallAt), { spent, until: now }, budget.wallAt)
    const budgets = { all: { ...state, seasonality: learned } }
    const forecast = await forecasterOver(twentyDays()).refreshed({ ledger: ledger({ budgets }) })
    return forecast?.p50 ?? NaN
  }
  const [early, late] = [await forecastWith([6, 7]), await forecastWith([18, 19])]
  // nearly a day of the seven that are left
  expect(late / early).toBeGreaterThan(1.1)
})

function sized(size: number): Partial<PassState> {
  const ref = refOf('ep-one')
  const account = newComputeEntry(ref, look(0, { sizing: { fixed: cu(size) } }), false)
  return { ledger: ledger({ computes: new Map([[computeKey(ref), account]]) }) }
}

test('a compute that was resized is forecast as it is sized now, within the hour', async () => {
  const rows = twentyDays().map((row) => ({ ...row, awake: row.cuTime[106000] ?? row.awake }) as DayRow)
  const over = async (sizes: readonly number[]) => {
    const { clock, refreshed, reads } = forecasterOver(rows)
    let forecast: BudgetForecast | undefined
    for (const size of sizes) {
      // oxlint-disable-next-line no-await-in-loop -- one hour after the other
      forecast = await refreshed(sized(size))
      // oxlint-disable-next-line no-await-in-loop -- one hour after the other
      await clock.advance(seconds(3600))
    }
    return { p50: forecast?.p50 ?? NaN, reads: reads.length }
  }
  const same = await over([1, 1, 1])
  expect(same.reads).toBe(1)
  expect(await over([1, 2, 2])).toEqual({ p50: 2 * same.p50, reads: 2 })
})

test('a large ledger is walked over once between two yields', async () => {
  const accounts = Array.from({ length: 8000 }, (_, index) => {
    const ref = refOf(`ep-${String(index).padStart(5, '0')}`)
    return [computeKey(ref), newComputeEntry(ref, look(0, { endpointId: ref.endpointId }), false)] as const
  })
  const computes = walked(orderedMap(accounts))
  let [most, last] = [0, 0]
  const yieldTurn = (): Promise<void> => {
    most = Math.max(most, computes.taken() - last)
    last = computes.taken()
    return Promise.resolve()
  }
  const { clock, refreshed } = forecasterOver(twentyDays(), yieldTurn)
  for (const _ of [1, 2]) {
    // oxlint-disable-next-line no-await-in-loop -- one hour after the other
    await refreshed({ ledger: ledger({ computes: computes.map }) })
    // oxlint-disable-next-line no-await-in-loop
    await clock.advance(seconds(3600))
  }
  expect(computes.taken()).toBeGreaterThanOrEqual(3 * accounts.length)
  expect(Math.max(most, computes.taken() - last)).toBeLessThanOrEqual(accounts.length)
})
