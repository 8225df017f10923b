// What each budget counted day by day, out of the store.
import { addSliceAmounts, NO_AMOUNTS } from '../../ledger/budgets/amounts.ts'
import type { BudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import { clipSlice } from '../../ledger/budgets/clip.ts'
import {
  settledPartOfOpen,
  slicesOfHistory,
  type HistoryInterval,
} from '../../ledger/budgets/from-history.ts'
import { slicesInWindow } from '../../ledger/budgets/settle.ts'
import { addToDay, type DailyAmounts } from '../../ledger/forecast/daily.ts'
import { restateAtSizing } from '../../ledger/forecast/sizing.ts'
import type { DayNumber } from '../../calendar/local-time.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { UsageAmounts, Budget } from '../../model/policy/budget.ts'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import type { DayRow } from '../../model/ledger/day.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { History } from '../../model/ports/history.ts'
import type { Prices } from '../../model/ledger/price.ts'
import type { AwakeSlice } from '../../model/ledger/slice.ts'
import { earliest, instant, latest, type Instant } from '../../model/units.ts'
import { budgetIndexesOf } from '../pass/pass-budgets.ts'
import { createProjectLookup } from './project-lookup.ts'

export type DailySpendOptions = {
  readonly history: History
  readonly scopes: BudgetScopes
  readonly prices: Prices
  readonly zone: Zone
}

type Asked = { readonly ledger: Ledger; readonly from: Instant; readonly now: Instant }

/**
 * In the order of the budgets: all of them from the day of `from` on, what is settled of today included. Days are what they
 * would have cost as their computes are sized in `ledger`.
 */
export async function readDailySpend(
  asked: Asked,
  options: DailySpendOptions,
): Promise<readonly DailyAmounts[]> {
  const { ledger, from, now } = asked
  const { history, scopes, prices, zone } = options
  const to = zone.dayOf(now).to
  const series = scopes.budgets.map((budget) => ({
    budget,
    daily: new Map() as DailyAmounts,
    isWhole: countsAlways(budget, from, to),
  }))
  const find = createProjectLookup(history, ledger)
  const of = async ({ ref }: Pick<HistoryInterval, 'ref'>) => {
    const known = { account: ledger.computes.get(computeKey(ref)), project: await find(ref.projectId) }
    return budgetIndexesOf(ref, known, scopes).flatMap((place) => series[place] ?? [])
  }
  const asSizedNow = (ref: ComputeRef, amounts: UsageAmounts): UsageAmounts => {
    const account = ledger.computes.get(computeKey(ref))
    return account ? restateAtSizing(amounts, account.compute.sizing) : amounts
  }
  const addRow = async (row: DayRow): Promise<void> => {
    const { number } = zone.dayOf(instant((row.from + row.to) / 2))
    const amounts = asSizedNow(row.ref, row)
    for (const { daily, isWhole } of await of(row)) if (isWhole) addToDay(daily, number, amounts)
  }
  const addKept = async (kept: HistoryInterval): Promise<void> => {
    const slices = slicesOfHistory(kept, prices)
    for (const { budget, daily, isWhole } of await of(kept))
      if (!isWhole)
        for (const [day, amounts] of daysOf(slicesInWindow(budget, slices), { from, zone }))
          addToDay(daily, day, asSizedNow(kept.ref, amounts))
  }
  for await (const row of history.days(ledger.account, { from, to })) await addRow(row)
  // a budget with a window has days of its own: its intervals are counted, as far back as they are kept
  if (series.some(({ isWhole }) => !isWhole)) {
    for await (const interval of history.intervals(ledger.account, { from, to })) await addKept(interval)
    for (const account of ledger.computes.values()) {
      const open = settledPartOfOpen(account)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      if (open) await addKept(open)
    }
  }
  return series.map(({ daily }) => daily)
}

function countsAlways({ countedIn }: Budget, from: Instant, to: Instant): boolean {
  const [all, ...more] = countedIn(from, to)
  return all !== undefined && more.length === 0 && all.from === from && all.to === to
}

function* daysOf(
  slices: readonly AwakeSlice[],
  { from, zone }: { readonly from: Instant; readonly zone: Zone },
): Generator<readonly [DayNumber, UsageAmounts]> {
  for (const slice of slices) {
    const end = latest(slice.high[1], slice.likely[1])
    for (let at = latest(from, earliest(slice.high[0], slice.likely[0])); at < end;) {
      const day = zone.dayOf(at)
      yield [day.number, addSliceAmounts(NO_AMOUNTS, clipSlice(slice, [day]))]
      at = day.to
    }
  }
}
