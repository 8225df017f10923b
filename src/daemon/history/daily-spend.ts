import { addSliceAmounts, NO_AMOUNTS } from '../../ledger/settle/cu-time.ts'
import type { BudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import { createShownRows } from '../../ledger/metering/shown-amount.ts'
import { clipSlice } from '../../ledger/settle/slices.ts'
import type { HistoryInterval } from '../../ledger/budgets/from-history.ts'
import { settledPartOfOpen, slicesOfHistory } from '../../ledger/budgets/from-history.ts'
import { branchMovesIn, selectorTargetAt, selectorTargetIn } from '../../ledger/branch-moves.ts'
import { slicesInScope, slicesInWindow } from '../../ledger/budgets/settle.ts'
import { addToDay, restateAtSizing, type DailyAmounts } from '../../ledger/forecast/daily.ts'
import { amountInLimitUnit } from '../../ledger/budgets/period-totals.ts'
import type { DayNumber } from '../../calendar/local-time.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { CountedPast } from '../../model/ledger/counted-past.ts'
import type { UsageAmounts, Budget } from '../../model/policy/budget.ts'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import type { DayRow, Prices, AwakeSlice } from '../../model/ledger/quantities.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { History } from '../../model/ports/history.ts'
import { earliest, instant, latest, type Instant } from '../../model/units.ts'
import { matchesSelector } from '../../model/policy/selector.ts'

export type DailySpendOptions = Readonly<{
  history: History
  scopes: BudgetScopes
  prices: Prices
  zone: Zone
}>

/** Spend of one budget by day of the zone, with the settled part of today. */
export type DailySpend = Readonly<{
  /** At the current sizing of each compute. */
  restated: DailyAmounts
  /** As it was, for people; likely, in the unit of the limit. */
  paid: Map<DayNumber, number>
}>

type DailySpendRequest = Readonly<{
  ledger: Ledger
  from: Instant
  now: Instant
  /** Narrows what was paid. */
  past: CountedPast | undefined
}>

/** Spend of the budgets in their order, from the day of `from` on. */
export async function readDailySpend(
  { ledger, from, now, past }: DailySpendRequest,
  options: DailySpendOptions,
): Promise<readonly DailySpend[]> {
  const { history, scopes, prices, zone } = options
  const to = zone.dayOf(now).to
  const series = scopes.budgets.map((budget) => ({
    budget,
    restated: new Map() as DailyAmounts,
    paid: new Map<DayNumber, number>(),
    isWhole: countsAlways(budget, from, to),
  }))
  const seriesOfDay = (ref: ComputeRef, at: Instant) => {
    const entry = ledger.computes.get(computeKey(ref))
    if (entry && !entry.branchMoves)
      return scopes
        .of(entry, ledger.projects.get(ref.projectId))
        .indexes.flatMap((index) => series[index] ?? [])
    const target = selectorTargetAt(ledger, ref, at)
    return series.filter(({ budget }) => matchesSelector(budget.scope, target))
  }
  const add = (
    { budget, restated, paid }: (typeof series)[number],
    day: DayNumber,
    { ref, amounts, shown = amounts }: AddedAmounts,
  ) => {
    const entry = ledger.computes.get(computeKey(ref))
    addToDay(restated, day, entry ? restateAtSizing(amounts, entry.compute.sizing) : amounts)
    paid.set(day, (paid.get(day) ?? 0) + amountInLimitUnit(shown, budget.limit.unit).likely)
  }
  const shownRow = createShownRows(past)
  const addRow = (row: DayRow) => {
    const middle = instant((row.from + row.to) / 2)
    const { number } = zone.dayOf(middle)
    for (const one of seriesOfDay(row.ref, middle))
      if (one.isWhole) add(one, number, { ref: row.ref, amounts: row, shown: shownRow(row) })
  }
  const addInterval = (interval: HistoryInterval) => {
    const { ref } = interval
    const target = selectorTargetIn(ledger, ref)
    const slices = slicesOfHistory(interval, prices, branchMovesIn(ledger, ref))
    for (const one of series)
      if (!one.isWhole) {
        const counted = slicesInWindow(one.budget, slicesInScope(one.budget.scope, target, slices))
        for (const [day, amounts] of daysOf(counted, { from, zone })) add(one, day, { ref, amounts })
      }
  }
  for await (const row of history.days(ledger.account, { from, to })) addRow(row)
  // a window counts parts of days: they are summed from intervals, as far back as those are stored
  if (series.some(({ isWhole }) => !isWhole)) {
    for await (const interval of history.intervals(ledger.account, { from, to })) addInterval(interval)
    for (const entry of ledger.computes.values()) {
      const settledPart = settledPartOfOpen(entry)
      if (settledPart) addInterval(settledPart)
    }
  }
  return series
}

/** `shown`: for people, by default `amounts`. */
type AddedAmounts = Readonly<{ ref: ComputeRef; amounts: UsageAmounts; shown?: UsageAmounts }>

/** Without a window that leaves parts of `[from, to)` out. */
export function countsAlways({ countedIn }: Budget, from: Instant, to: Instant) {
  const [first, ...others] = countedIn(from, to)
  return first !== undefined && others.length === 0 && first.from === from && first.to === to
}

function* daysOf(slices: readonly AwakeSlice[], { from, zone }: Readonly<{ from: Instant; zone: Zone }>) {
  for (const slice of slices) {
    const end = latest(slice.high.to, slice.likely.to)
    for (let at = latest(from, earliest(slice.high.from, slice.likely.from)); at < end;) {
      const day = zone.dayOf(at)
      yield [day.number, addSliceAmounts(NO_AMOUNTS, clipSlice(slice, [day]))] as const
      at = day.to
    }
  }
}
