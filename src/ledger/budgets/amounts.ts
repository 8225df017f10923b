// Sums of slices, as whole CU·ms by price, so that roundings do not add up; spend is computed from the sums.
import type { UsageAmounts, BudgetLimit } from '../../model/policy/budget.ts'
import { addBounds, type Bounds } from '../../model/ledger/quantities.ts'
import type { AwakeSlice } from '../../model/ledger/slice.ts'
import { millis } from '../../model/units.ts'
import { addCuTime, awakeBounds, cuTimeOf, NO_TIME, cuTimeSum, spendOf } from '../settle/cu-time.ts'

export const NO_AMOUNTS: UsageAmounts = { awake: NO_TIME, cuTime: {} }

export const addSliceAmounts = (
  { awake, cuTime }: UsageAmounts,
  slices: readonly AwakeSlice[],
): UsageAmounts => ({
  awake: addBounds(awake, awakeBounds(slices), millis),
  cuTime: addCuTime(cuTime, cuTimeOf(slices)),
})

/** In the unit of a limit: micros, CU·ms, or awake ms. */
export function amountInLimitUnit(
  { awake, cuTime }: UsageAmounts,
  unit: BudgetLimit['unit'],
): Bounds<number> {
  switch (unit) {
    case 'money':
      return spendOf(cuTime)
    case 'cu_hours':
      return cuTimeSum(cuTime)
    case 'awake_hours':
      return awake
  }
}
