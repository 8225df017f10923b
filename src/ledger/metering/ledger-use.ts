// What the ledger has of one project, as the service's count is held against it: sums up to an instant, and what ranges leave open.
import { computeKey, largestCu, type Compute } from '../../model/service/compute.ts'
import { addBounds, type Bounds } from '../../model/ledger/quantities.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Prices } from '../../model/ledger/price.ts'
import type { AwakeSlice, Span } from '../../model/ledger/slice.ts'
import {
  cu,
  cuMillis,
  earliest,
  instant,
  latest,
  type Cu,
  type CuMillis,
  type Instant,
} from '../../model/units.ts'
import { accruedSlice } from '../settle/accrual.ts'
import { NO_CU_TIME, cuTimeSum } from '../settle/cu-time.ts'
import { intersectSpans, spanLength } from '../interval-math.ts'

/** A stretch of likely awake time: what of its size is sure, and what it may have been. Both are the likely size where it does not move. */
type Rate = { readonly span: Span; readonly least: Cu; readonly likely: Cu; readonly most: Cu }

/** The likely use of all computes of a project that are there. */
export type ProjectUsage = {
  readonly settled: Bounds<CuMillis>
  /** What may still be restated, and what goes on. */
  readonly slices: readonly AwakeSlice[]
  /** The likely part of `slices`, ascending by its beginning. */
  readonly rates: readonly Rate[]
  /** Since when computes are awake that still are, or of whose time a part is settled. */
  readonly awakeFrom: readonly Instant[]
  /** When the last of them was suspended, or the last but one where one is awake; undefined where a record does not tell. */
  readonly suspendedAt: Instant | undefined
  /** All of them at their largest. */
  readonly largest: Cu
  /** Their endpoint ids, in order. */
  readonly computes: string
}

/** @returns undefined while not all computes of the project are known */
export function projectUsage(
  project: ProjectEntry,
  { account, computes }: Ledger,
  { prices, now }: { readonly prices: Prices; readonly now: Instant },
): ProjectUsage | undefined {
  const { projectId } = project.project
  const accounts = project.listed?.endpointIds.flatMap(
    (endpointId) => computes.get(computeKey({ account, projectId, endpointId })) ?? [],
  )
  if (!accounts || accounts.length !== project.listed?.endpointIds.length) return undefined
  const slices = accounts.flatMap((one): readonly AwakeSlice[] => {
    const on = accruedSlice(one, { prices, project, now })
    return on ? [...one.provisional, on] : one.provisional
  })
  return {
    settled: accounts.reduce(
      (sum, { settled }) => addBounds(sum, cuTimeSum(settled.cuTime), cuMillis),
      NO_CU_TIME,
    ),
    slices,
    rates: slices.flatMap(rateOf).toSorted((a, b) => a.span[0] - b.span[0]),
    awakeFrom: accounts.flatMap(({ partlySettled, current }) =>
      [partlySettled?.interval, current].flatMap((interval) => interval?.from.likely ?? []),
    ),
    suspendedAt: suspendedAt(accounts),
    largest: accounts.reduce((sum, { compute }) => cu(sum + largestCu(compute.sizing)), cu(0)),
    computes: accounts
      .map(({ ref }) => ref.endpointId)
      .toSorted()
      .join(' '),
  }
}

function suspendedAt(accounts: readonly ComputeEntry[]): Instant | undefined {
  const ends = accounts.map(
    ({ compute }) => compute.suspendedAt ?? (wasNeverAwake(compute) ? EVER : undefined),
  )
  return ends.every((end) => end !== undefined) ? latest(EVER, ...ends) : undefined
}

const wasNeverAwake = ({ startedAt, lastActive }: Compute): boolean =>
  startedAt === undefined && lastActive === undefined

function rateOf({ likely: span, size: { low, likely, high }, moves }: AwakeSlice): Rate[] {
  if (spanLength(span) === 0) return []
  return [moves ? { span, least: low, likely, most: high } : { span, least: likely, likely, most: likely }]
}

/** What was used inside of `within`, by the size that `pick` names. */
export const usageIn = ({ rates }: ProjectUsage, within: Span, pick: 'least' | 'likely' | 'most'): CuMillis =>
  cuMillis(rates.reduce((sum, rate) => sum + spanLength(intersectSpans(rate.span, within)) * rate[pick], 0))

const EVER = instant(0)

/** What the ledger has up to `at`: all that is settled, and the rest as it is likely. */
export const ledgerUsageUntil = (use: ProjectUsage, at: Instant): CuMillis =>
  cuMillis(use.settled.likely + usageIn(use, [EVER, at], 'likely'))

/** The bounds of the ledger up to `at`. */
export function usageBoundsUntil(
  { settled, slices }: ProjectUsage,
  at: Instant,
): { readonly low: CuMillis; readonly high: CuMillis } {
  const sum = (pick: 'low' | 'high'): CuMillis =>
    cuMillis(
      slices.reduce<number>(
        (all, slice) => all + spanLength(intersectSpans(slice[pick], [EVER, at])) * slice.size[pick],
        settled[pick],
      ),
    )
  return { low: sum('low'), high: sum('high') }
}

/** Since when all computes slept that slept at `at`, as far as records tell; `at` itself where they do not. */
export const asleepSince = ({ rates, suspendedAt: ended }: ProjectUsage, at: Instant): Instant =>
  earliest(at, latest(ended ?? at, ...rates.map(({ span }) => span[1])))

/** When the first of the awake time that is not over at `at` began; undefined when there is none. */
export function firstAwakeAfter({ rates, awakeFrom }: ProjectUsage, at: Instant): Instant | undefined {
  const from = [...awakeFrom, ...rates.filter(({ span }) => span[1] > at).map(({ span }) => span[0])]
  return from.length === 0 ? undefined : earliest(...from)
}
