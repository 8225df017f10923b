// Amounts of a budget by period: settled amounts grow, provisional ones are added anew at each pass.
import {
  RUNGS,
  type Budget,
  type BudgetAmounts,
  type LimitUnit,
  type PeriodRecord,
  type Rung,
  type UsageAmounts,
} from '../../model/policy/budget.ts'
import type { Bounds, AwakeSlice } from '../../model/ledger/quantities.ts'
import type { Interval } from '../../model/units.ts'
import { addSliceAmounts, cuTimeSum, NO_AMOUNTS, spendOf } from '../settle/cu-time.ts'
import { clipSlice } from '../settle/slices.ts'

const NO_BUDGET_AMOUNTS: BudgetAmounts = { all: NO_AMOUNTS, assumed: NO_AMOUNTS }

/** Records of a budget: the current one, and earlier ones for late slices and for a clock that was wrong by a period. */
const MAX_RECORDS = 4

/** A new limit clears the rungs. */
export function ensurePeriodRecord(
  records: readonly PeriodRecord[],
  period: Interval,
  { limit: { amount } }: Budget,
): readonly PeriodRecord[] {
  const current = records.find((record) => isRecordOf(record, period))
  const noRungs = { rungs: [], rungsOf: amount }
  if (!current) return [...records, { ...period, settled: NO_BUDGET_AMOUNTS, ...noRungs }].slice(-MAX_RECORDS)
  if (current.rungsOf === amount) return records
  return records.map((record) => (record === current ? { ...record, ...noRungs } : record))
}

export const isRecordOf = (record: PeriodRecord, period: Interval): boolean =>
  record.from === period.from && record.to === period.to

/** `slices` are clipped to the time that the budget counts, and given once each. */
export function addSlicesInPeriod(
  counted: BudgetAmounts,
  slices: readonly AwakeSlice[],
  period: Interval,
): BudgetAmounts {
  const parts = slices.flatMap((slice) => clipSlice(slice, [period]))
  const assumed = parts.filter((part) => part.assumed)
  return { all: addSliceAmounts(counted.all, parts), assumed: addSliceAmounts(counted.assumed, assumed) }
}

/** Rungs that the spend has reached of the limit that the period had, also those that a restated sum is below again. */
export function reachedRungs(unit: LimitUnit, record: PeriodRecord, counted: BudgetAmounts): readonly Rung[] {
  const spent = amountInLimitUnit(counted.all, unit).likely
  return RUNGS.filter((rung) => record.rungs.includes(rung) || spent * 100 >= record.rungsOf * rung)
}

/** In the unit of a limit: micros, CU·ms, or awake ms. */
export function amountInLimitUnit({ awake, cuTime }: UsageAmounts, unit: LimitUnit): Bounds<number> {
  switch (unit) {
    case 'money':
      return spendOf(cuTime)
    case 'cu_hours':
      return cuTimeSum(cuTime)
    case 'awake_hours':
      return awake
  }
}
