// The ledger's days, corrected by the service's own consumption, which is what is paid.
import type { Consumption } from '../../model/service/consumption.ts'
import { addBounds, eachBound, type CuTimeByPrice, type DayRow } from '../../model/ledger/quantities.ts'
import type { AuditSums } from '../../model/output/audit.ts'
import { HOUR, cuMillis, micros, millis, type Instant, type Millis } from '../../model/units.ts'
import { addCuTime, cuTimeSum, mapCuTime, NO_TIME, spendOf } from '../settle/cu-time.ts'

/** Time until the service's consumption of a day is final, ms. */
const FINAL_AFTER = 3 * HOUR

export type CorrectedDay = DayRow & {
  /** Whether the CU-time comes from the service. */
  readonly isCounted: boolean
}

/** The service's CU-time where it has the whole day of the project; days that end less than 3 hours before `now` stay. */
export function correctDays(
  days: readonly DayRow[],
  consumption: readonly Consumption[],
  now: Instant,
): readonly CorrectedDay[] {
  const counted = new Map(
    consumption.flatMap(({ projectId, from, to, amounts }) => {
      const used = amounts['compute_unit_seconds']
      return used === undefined || to + FINAL_AFTER > now
        ? []
        : [[keyOf(projectId, from, to), used * 1000] as const]
    }),
  )
  const inLedger = new Map<string, number>()
  for (const day of days) {
    const key = keyOf(day.ref.projectId, day.from, day.to)
    inLedger.set(key, (inLedger.get(key) ?? 0) + cuTimeSum(day.cuTime).likely)
  }
  const factors = usualFactors(counted, inLedger)
  return days.map((day) => {
    const key = keyOf(day.ref.projectId, day.from, day.to)
    const [service, ours] = [counted.get(key), inLedger.get(key)]
    if (service !== undefined && ours)
      return { ...day, isCounted: true, cuTime: scaleTo(day.cuTime, service / ours) }
    const factor = factors.get(day.ref.projectId) ?? 1
    return { ...day, isCounted: false, cuTime: scaleLikely(day.cuTime, factor) }
  })
}

/** Project id → the service's CU-time divided by the ledger's, over the days that the service has. */
function usualFactors(counted: ReadonlyMap<string, number>, inLedger: ReadonlyMap<string, number>) {
  const sums = new Map<string, { service: number; ours: number }>()
  for (const [key, service] of counted) {
    const projectId = key.split(' ')[0] ?? ''
    const sum = sums.get(projectId) ?? { service: 0, ours: 0 }
    sums.set(projectId, { service: sum.service + service, ours: sum.ours + (inLedger.get(key) ?? 0) })
  }
  return new Map(
    [...sums].flatMap(([id, { service, ours }]) => (ours > 0 ? [[id, service / ours] as const] : [])),
  )
}

const keyOf = (projectId: string, from: Instant, to: Instant) => `${projectId} ${from} ${to}`

/** For days that the service does not have yet. */
const scaleLikely = (cuTime: CuTimeByPrice, factor: number) =>
  mapCuTime(cuTime, ({ low, likely, high }) => {
    const scaled = Math.round(Math.min(high, Math.max(low, likely * factor)))
    return { low, likely: cuMillis(scaled), high }
  })

const scaleTo = (cuTime: CuTimeByPrice, factor: number) =>
  mapCuTime(cuTime, ({ likely }) => eachBound(() => cuMillis(Math.round(likely * factor))))

/** Spend is computed once, from the sum, so that roundings do not add up. */
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
const tailSpendOf = ({ cuTime, awake, idleTail }: CorrectedDay) =>
  awake.likely === 0 ? 0 : (spendOf(cuTime).likely * Math.min(idleTail, awake.likely)) / awake.likely
