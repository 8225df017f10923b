// What slices add up to. Kept as whole CU·ms by price, so that no rounding adds up; money is computed from the sums.
import type { Amounts, BudgetLimit } from '../../model/policy/budget.ts'
import type { Bounds } from '../../model/ledger/ledger.ts'
import type { AwakeSlice } from '../../model/ledger/slice.ts'
import { millis } from '../../model/units.ts'
import { addBounds, addCuTime, awakeOf, cuTimeOf, NO_TIME } from '../settle/cu-time.ts'
import { cuTimeSum, spendOf } from '../settle/totals.ts'

export const NO_AMOUNTS: Amounts = { awake: NO_TIME, cuTime: {} }

export const addSlices = ({ awake, cuTime }: Amounts, slices: readonly AwakeSlice[]): Amounts => ({
  awake: addBounds(awake, awakeOf(slices), millis),
  cuTime: addCuTime(cuTime, cuTimeOf(slices)),
})

/** In the unit of a limit: micros, CU·ms, or awake ms. */
export function measured({ awake, cuTime }: Amounts, unit: BudgetLimit['unit']): Bounds<number> {
  switch (unit) {
    case 'money':
      return spendOf(cuTime)
    case 'cu_hours':
      return cuTimeSum(cuTime)
    case 'awake_hours':
      return awake
  }
}
