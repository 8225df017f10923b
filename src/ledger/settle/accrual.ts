// What an account amounts to at an instant after its last fold.
import { largestCu, smallestCu } from '../../model/service/compute.ts'
import { expectedSuspension } from '../../model/inference/expected-suspension.ts'
import type { ComputeEntry, Totals } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Prices } from '../../model/ledger/price.ts'
import type { AwakeSlice } from '../../model/ledger/slice.ts'
import { unseenWakeAt } from '../../model/inference/unseen-wake.ts'
import {
  cu,
  cuMillis,
  earliest,
  latest,
  micros,
  millis,
  type Instant,
  type Micros,
} from '../../model/units.ts'
import { NO_CU_TIME } from './cu-time.ts'
import type { SizeBounds } from './sizing.ts'
import { priceAt } from './slices.ts'
import { spanLength } from '../interval-math.ts'

export type AccrualContext = {
  readonly prices: Prices
  readonly project: ProjectEntry | undefined
  readonly now: Instant
  /** The latest that it may be now; `now` where nothing is said. */
  readonly atMost?: Instant | undefined
}

/**
 * The time since the last fold of a compute that was awake when it was last looked at, or that the list saw awake since. Undefined
 * where nothing goes on.
 */
export function accruedSlice(account: ComputeEntry, asOf: AccrualContext): AwakeSlice | undefined {
  const { ref, deletedAt } = account
  const time = deletedAt === undefined ? timeOn(account, asOf) : undefined
  const price = String(priceAt(asOf.prices, asOf.now))
  return time && { ref, ...time, ...sizeNow(account), price, assumed: false }
}

type Time = Pick<AwakeSlice, 'low' | 'likely' | 'high'>

/** Of one that was awake no less than is known, likely until it will have been suspended, and no more than all of the time. */
function timeOn(account: ComputeEntry, { project, now, atMost = now }: AccrualContext): Time | undefined {
  const { compute, current, appliedAt } = account
  if (!current) return unseenTime(account, { project, now, atMost })
  const { knownUntil } = current
  const end = expectedSuspension(compute, project?.project, project) ?? now
  const likely = latest(knownUntil, earliest(now, end))
  const possible = latest(appliedAt, knownUntil)
  if (atMost <= possible && likely <= knownUntil) return undefined
  return {
    low: [knownUntil, knownUntil],
    likely: [knownUntil, likely],
    high: [possible, latest(possible, atMost)],
  }
}

/** Until the fold it is among what may have been; nothing tells yet when it woke, so it is likely since its last activity. */
function unseenTime(
  account: ComputeEntry,
  { project, now, atMost }: Pick<AccrualContext, 'project' | 'now'> & { readonly atMost: Instant },
): Time | undefined {
  const { compute, appliedAt } = account
  const active = unseenWakeAt(account, project)
  if (active === undefined || atMost <= appliedAt) return undefined
  const end = expectedSuspension(compute, project?.project, project) ?? now
  const from = latest(appliedAt, active)
  return { low: [from, from], likely: [from, latest(from, earliest(now, end))], high: [appliedAt, atMost] }
}

/** What it costs an hour as it is now, likely; 0 while it sleeps. */
export const spendPerHour = (
  account: ComputeEntry,
  { prices, now }: Pick<AccrualContext, 'prices' | 'now'>,
): Micros =>
  micros(
    account.current && account.deletedAt === undefined
      ? sizeNow(account).size.likely * priceAt(prices, now)
      : 0,
  )

/** The limits of the record, and likely what it was in the last stretch that is known. */
function sizeNow({ compute, provisional }: ComputeEntry): SizeBounds {
  const [low, high] = [smallestCu(compute.sizing), largestCu(compute.sizing)]
  if (low === high) return { size: { low, likely: low, high } }
  const last = provisional.findLast(({ likely }) => spanLength(likely) > 0)?.size.likely ?? low
  return { size: { low, likely: cu(Math.min(high, Math.max(low, last))), high }, moves: true }
}

/** The totals with what goes on. */
export function totalsWithAccrual(
  account: ComputeEntry,
  asOf: AccrualContext,
): Pick<Totals, 'awake' | 'cuTime'> {
  const { awake, cuTime } = account.totals
  const slice = accruedSlice(account, asOf)
  if (!slice) return { awake, cuTime }
  const { likely, high, size, price } = slice
  const [longer, most] = [likely[1] - likely[0], high[1] - high[0]]
  const known = cuTime[price] ?? NO_CU_TIME
  return {
    awake: { low: awake.low, likely: millis(awake.likely + longer), high: millis(awake.high + most) },
    cuTime: {
      ...cuTime,
      [price]: {
        low: known.low,
        likely: cuMillis(known.likely + longer * size.likely),
        high: cuMillis(known.high + most * size.high),
      },
    },
  }
}
