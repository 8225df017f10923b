// Our CU-time beside the service's own count of it.
import type { Bounds } from '../model/ledger.ts'
import {
  after,
  cuMillis,
  ratio,
  seconds,
  type CuMillis,
  type Instant,
  type Ratio,
  type Seconds,
} from '../model/units.ts'

/** What the ledger had counted of one project since its billing period began, as of an instant. */
export type Counted = { readonly at: Instant; readonly cuTime: Bounds<CuMillis> }

/** The service's count of the same period: CU-seconds, as told at `at`. It lags. */
export type Billed = { readonly at: Instant; readonly cuSeconds: number }

export type Reconciled = {
  /** What the service's count may be, if the ledger is right: from `low` as of the lag ago to `high` now. */
  readonly expected: { readonly low: CuMillis; readonly high: CuMillis }
  /** How far outside of it the count is, as a share of the larger of the two; 0 inside. Below 0 the service counts less than we do. */
  readonly outside: Ratio
  /** Whether this poll and the one before were further outside than is tolerated: worth an alert. */
  readonly isOff: boolean
}

/** Doubled, a compute in fifty that is not counted goes unnoticed. Source: service-facts.md, "Consumption". */
const TOLERATED = ratio(0.02)

/**
 * The service's number must lie in [what we surely counted a lag ago, the most that we may have counted by now]: without the
 * allowance the first hours of every period would look wrong.
 *
 * @param history what the ledger had counted, ascending by time; the oldest is used while it does not reach back a lag
 * @param before the poll before, of the same period; undefined for the first
 */
export function reconciled(
  history: readonly Counted[],
  billed: Billed,
  { lag, before }: { readonly lag: Seconds; readonly before: Reconciled | undefined },
): Reconciled | undefined {
  const then = history.findLast(({ at }) => after(at, lag) <= billed.at)
  const now = history.findLast(({ at }) => at <= billed.at)
  if (!now) return undefined
  const low = then ? then.cuTime.low : cuMillis(0)
  const { high } = now.cuTime
  const count = billed.cuSeconds * 1000
  const apart = count < low ? count - low : Math.max(0, count - high)
  const outside = ratio(apart === 0 ? 0 : apart / Math.max(count, low))
  return {
    expected: { low, high },
    outside,
    isOff: isFar(outside) && before !== undefined && isFar(before.outside),
  }
}

const isFar = (outside: Ratio): boolean => Math.abs(outside) > TOLERATED

/**
 * The lag that fits best: how long ago the ledger's likely count was what the service tells now. Undefined where the
 * history does not reach so far, or where nothing was counted meanwhile, so that any lag fits.
 */
export function lagOf(history: readonly Counted[], { at, cuSeconds }: Billed): Seconds | undefined {
  const count = cuSeconds * 1000
  const passed = history.findLastIndex(({ cuTime }) => cuTime.likely <= count)
  const [before, next] = [history[passed], history[passed + 1]]
  if (!before || !next || next.at > at) return undefined
  const share = (count - before.cuTime.likely) / (next.cuTime.likely - before.cuTime.likely)
  const reached = before.at + share * (next.at - before.at)
  return seconds((at - reached) / 1000)
}

/**
 * A project's CU-time shared out over its computes: each gets what it surely used, and of the rest a part in proportion to what it
 * may have used beyond. What does not fit between the bounds of all together is not shared: then the bounds themselves are told.
 *
 * @returns the likely CU-time of each, in the order of `computes`
 */
export function sharedOut(total: CuMillis, computes: readonly Bounds<CuMillis>[]): readonly CuMillis[] {
  const sum = (pick: 'low' | 'high'): number => computes.reduce((all, one) => all + one[pick], 0)
  const [least, most] = [sum('low'), sum('high')]
  const share = most === least ? 0 : (Math.min(most, Math.max(least, total)) - least) / (most - least)
  return computes.map(({ low, high }) => cuMillis(Math.round(low + share * (high - low))))
}
