// What an account amounts to at an instant after its last fold.
import { largestCu, smallestCu } from '../model/compute.ts'
import { expectedEnd } from '../model/expected-end.ts'
import type { ComputeAccount, ProjectAccount, Totals } from '../model/ledger.ts'
import type { Prices } from '../model/price.ts'
import type { AwakeSlice } from '../model/slice.ts'
import { cuMillis, earliest, latest, millis, type Instant } from '../model/units.ts'
import { NO_CU_TIME } from './cu-time.ts'
import { priceAt } from './slices.ts'

export type AsOf = {
  readonly prices: Prices
  readonly project: ProjectAccount | undefined
  readonly now: Instant
}

/**
 * The time of a compute that was awake when it was last looked at, since then: no less than is known, likely until it will
 * have been suspended, and no more than all of the time. Undefined where nothing goes on.
 */
export function goingOn(account: ComputeAccount, { prices, project, now }: AsOf): AwakeSlice | undefined {
  const { ref, compute, open, foldedAt } = account
  if (!open) return undefined
  const { knownUntil } = open
  const end = expectedEnd(compute, project?.project, project) ?? now
  const likely = latest(knownUntil, earliest(now, end))
  const possible = latest(foldedAt, knownUntil)
  if (now <= possible && likely <= knownUntil) return undefined
  return {
    ref,
    low: [knownUntil, knownUntil],
    likely: [knownUntil, likely],
    high: [possible, latest(possible, now)],
    size: {
      low: smallestCu(compute.sizing),
      likely: smallestCu(compute.sizing),
      high: largestCu(compute.sizing),
    },
    price: String(priceAt(prices, now)),
    assumed: false,
  }
}

/** The totals with what goes on. */
export function totalsAt(account: ComputeAccount, asOf: AsOf): Pick<Totals, 'awake' | 'cuTime'> {
  const { awake, cuTime } = account.totals
  const slice = goingOn(account, asOf)
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
