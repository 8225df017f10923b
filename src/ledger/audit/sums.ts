import type { AuditSums } from '../../model/output/audit.ts'
import { addBounds, type CuTimeByPrice } from '../../model/ledger/quantities.ts'
import { micros, millis, type Millis } from '../../model/units.ts'
import { addCuTime, NO_TIME, cuTimeSum, spendOf } from '../settle/cu-time.ts'
import type { CorrectedDay } from './corrected-days.ts'

/** Sums of days. Spend is computed once, from the sum, so that roundings do not add up. */
export function sumDays(days: readonly CorrectedDay[]): AuditSums {
  const cuTime = days.reduce<CuTimeByPrice>((sum, day) => addCuTime(sum, day.cuTime), {})
  const awake = days.reduce((sum, day) => addBounds<Millis>(sum, day.awake, millis), NO_TIME)
  return {
    spend: spendOf(cuTime),
    awake,
    cuTime: cuTimeSum(cuTime),
    idleTail: millis(days.reduce((sum, { idleTail }) => sum + idleTail, 0)),
    tailSpend: micros(days.reduce((sum, day) => sum + tailSpendOf(day), 0)),
    wakes: days.reduce((sum, { wakes }) => sum + wakes, 0),
  }
}

/** An idle tail costs what the compute cost on average that day. */
const tailSpendOf = ({ cuTime, awake, idleTail }: CorrectedDay): number =>
  awake.likely === 0 ? 0 : (spendOf(cuTime).likely * Math.min(idleTail, awake.likely)) / awake.likely
