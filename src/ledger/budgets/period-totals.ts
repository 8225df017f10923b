// What a budget counted, period by period: what is settled grows, what is not is added anew at each pass.
import {
  RUNGS,
  type Budget,
  type BudgetAmounts,
  type PeriodRecord,
  type Rung,
} from '../../model/policy/budget.ts'
import type { AwakeSlice } from '../../model/ledger/slice.ts'
import type { Interval } from '../../model/time.ts'
import type { Instant } from '../../model/units.ts'
import { addSliceAmounts, amountInLimitUnit, NO_AMOUNTS } from './amounts.ts'
import { clipSlice } from './clip.ts'

const NOTHING_COUNTED: BudgetAmounts = { all: NO_AMOUNTS, assumed: NO_AMOUNTS }

/** A month that a wrong clock skipped to is not forgotten for the next one. Doubled, a budget keeps twice as much for nothing. */
const RECORDS_KEPT = 4

/**
 * The records with one for `period`. One that was left behind is kept a while: what is settled late belongs there, and a clock
 * that steps back over the edge finds it again, with its rungs.
 */
export function ensurePeriodRecord(
  records: readonly PeriodRecord[],
  period: Interval,
  { limit: { amount } }: Budget,
): readonly PeriodRecord[] {
  const known = records.find((record) => isRecordOf(record, period))
  if (!known)
    return [...records, { ...period, settled: NOTHING_COUNTED, rungs: [], rungsOf: amount }].slice(
      -RECORDS_KEPT,
    )
  if (known.rungsOf === amount) return records
  return records.map((record) => (record === known ? { ...record, rungs: [], rungsOf: amount } : record))
}

export const isRecordOf = (record: PeriodRecord, period: Interval): boolean =>
  record.from === period.from && record.to === period.to

/** @param slices clipped to what the budget counts, each given once for good */
export const addSettledSlices = (record: PeriodRecord, slices: readonly AwakeSlice[]): PeriodRecord => ({
  ...record,
  settled: addSlicesInPeriod(record.settled, slices, record),
})

/** `counted` and the parts of `slices` that lie in `period`. */
export function addSlicesInPeriod(
  counted: BudgetAmounts,
  slices: readonly AwakeSlice[],
  period: Interval,
): BudgetAmounts {
  const parts = slices.flatMap((slice) => clipSlice(slice, [period]))
  return {
    all: addSliceAmounts(counted.all, parts),
    assumed: addSliceAmounts(
      counted.assumed,
      parts.filter(({ assumed }) => assumed),
    ),
  }
}

/** The rungs that what was counted has reached, also those that a restated sum is below again. */
export function reachedRungs(budget: Budget, record: PeriodRecord, counted: BudgetAmounts): readonly Rung[] {
  const { unit, amount } = budget.limit
  const spent = amountInLimitUnit(counted.all, unit).likely
  return RUNGS.filter((rung) => record.rungs.includes(rung) || spent * 100 >= amount * rung)
}

/** From when on the spend of `period` is known, when counting began at `since`. */
export const spendKnownFrom = (period: Interval, since: Instant): Instant =>
  since > period.from ? since : period.from
