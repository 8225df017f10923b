// The ledger's days, corrected by what the service itself counted: its number is what is paid.
import type { Consumption } from '../../model/service/consumption.ts'
import type { DayRow } from '../../model/ledger/day.ts'
import type { CuTimeByPrice } from '../../model/ledger/quantities.ts'
import { cuMillis, type Instant } from '../../model/units.ts'
import { cuTimeSum } from '../settle/cu-time.ts'

/** The service's numbers settle for hours. Doubled, one more day of a project rests on operations alone. */
const SETTLED = 3 * 3_600_000

export type CorrectedDay = DayRow & {
  /** Whether the CU-time is the service's. */
  readonly isCounted: boolean
}

/**
 * The rows with the service's CU-time where it counted the whole day of their project, shared out as the ledger has it.
 *
 * @param now later than the last of its numbers by as much as they take to settle, or that day is left as it is
 */
export function correctDays(
  days: readonly DayRow[],
  consumption: readonly Consumption[],
  now: Instant,
): readonly CorrectedDay[] {
  const counted = new Map(
    consumption.flatMap(({ projectId, from, to, amounts }) => {
      const used = amounts['compute_unit_seconds']
      return used === undefined || to + SETTLED > now
        ? []
        : [[keyOf(projectId, from, to), used * 1000] as const]
    }),
  )
  const inLedger = new Map<string, number>()
  for (const day of days) {
    const key = keyOf(day.ref.projectId, day.from, day.to)
    inLedger.set(key, (inLedger.get(key) ?? 0) + cuTimeSum(day.cuTime).likely)
  }
  const usual = usualFactors(counted, inLedger)
  return days.map((day) => {
    const key = keyOf(day.ref.projectId, day.from, day.to)
    const [service, ours] = [counted.get(key), inLedger.get(key)]
    if (service !== undefined && ours) {
      return { ...day, isCounted: true, cuTime: scaled(day.cuTime, service / ours) }
    }
    const factor = usual.get(day.ref.projectId) ?? 1
    return { ...day, isCounted: false, cuTime: likelier(day.cuTime, factor) }
  })
}

/** Project id → what the service counted for each CU-second of the ledger on the days that it counted. */
function usualFactors(
  counted: ReadonlyMap<string, number>,
  inLedger: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
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

const keyOf = (projectId: string, from: Instant, to: Instant): string => `${projectId} ${from} ${to}`

/** On a day that the service has not counted yet a range was likely as large as on the others; the bounds stay. */
const likelier = (cuTime: CuTimeByPrice, factor: number): CuTimeByPrice =>
  Object.fromEntries(
    Object.entries(cuTime).map(([price, { low, likely, high }]) => {
      const time = cuMillis(Math.round(Math.min(high, Math.max(low, likely * factor))))
      return [price, { low, likely: time, high }]
    }),
  )

const scaled = (cuTime: CuTimeByPrice, factor: number): CuTimeByPrice =>
  Object.fromEntries(
    Object.entries(cuTime).map(([price, { likely }]) => {
      const time = cuMillis(Math.round(likely * factor))
      return [price, { low: time, likely: time, high: time }]
    }),
  )
