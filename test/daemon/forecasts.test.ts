import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createScopes } from '../../src/account/budgets/budgets.ts'
import { createForecaster } from '../../src/daemon/forecasts.ts'
import { newAccountState, type AccountState } from '../../src/daemon/state.ts'
import type { DayRow } from '../../src/model/day.ts'
import { seconds } from '../../src/model/units.ts'
import { budgetOf, inputAt, advanceBudget, money, UTC } from '../account/budgets/build.ts'
import { dayAt, refOf } from '../store/build.ts'
import { at, ledger, prices } from '../support/build.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { NO_HISTORY } from '../support/no-history.ts'

const DAY = 86_400

test('a history that is read after the first forecast is in the next one', async () => {
  const clock = fakeClock('2026-01-25T12:00:00Z')
  const rows: DayRow[] = []
  async function* days(): AsyncGenerator<DayRow> {
    yield* rows
  }
  const budget = budgetOf({ limit: money(100) })
  const forecaster = createForecaster({
    clock,
    history: { ...NO_HISTORY, days },
    scopes: createScopes([budget]),
    prices,
    zone: UTC,
    log: pino({ level: 'silent' }),
  })
  const { view } = advanceBudget(budget, undefined, inputAt(clock.now()))
  if (!view) throw new Error('no period')
  const refreshed = async (changed: Partial<AccountState>): Promise<number | undefined> => {
    forecaster.refresh({ ...newAccountState(ledger()), budgets: [view], ...changed })
    await clock.advance(seconds(301))
    await forecaster.idle()
    return forecaster.of(view)?.days
  }
  expect(await refreshed({})).toBeUndefined()
  rows.push(...Array.from({ length: 20 }, (_, day) => dayAt(refOf('ep-one'), day)))
  expect(await refreshed({ toldFrom: at(0) })).toBe(19)
  rows.length = 5
  expect(await refreshed({ toldFrom: at(19 * DAY) })).toBe(19)
})
