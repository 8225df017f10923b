// Usage of one project by the ledger, for comparison with its metering.
import { computeKey, largestCu, type Compute } from '../../model/service/compute.ts'
import { type Bounds, type Prices, type AwakeSlice } from '../../model/ledger/quantities.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Cu, CuMillis, Instant, Interval } from '../../model/units.ts'
import { cu, cuMillis, earliest, instant, latest } from '../../model/units.ts'
import { provisionalSlices } from '../settle/accrual.ts'
import { addCuTime, cuTimeSum } from '../settle/cu-time.ts'
import { duration, overlap } from '../interval-math.ts'

/** All three sizes are the likely one where the size does not move. */
type Rate = Interval & Readonly<{ least: Cu; likely: Cu; most: Cu }>

/** Likely usage of all existing computes of a project. */
export type ProjectUsage = Readonly<{
  settled: Bounds<CuMillis>
  /** Slices that may still be restated, and the interval in progress. */
  slices: readonly AwakeSlice[]
  /** The likely part of `slices`, ascending by its beginning. */
  rates: readonly Rate[]
  /** Likely starts of intervals in progress or partly settled. */
  awakeFrom: readonly Instant[]
  /** Newest in the records; undefined where a record of a compute that was awake has none. */
  suspendedAt: Instant | undefined
  /** Sum of the largest sizes. */
  largest: Cu
  /** Their endpoint ids, in order. */
  computes: string
}>

/** @returns undefined while not all computes of the project are known */
export function projectUsage(
  project: ProjectEntry,
  { account, computes }: Ledger,
  { prices, now }: { prices: Prices; now: Instant },
): ProjectUsage | undefined {
  const { projectId } = project.project
  const entries = project.listed?.endpointIds.flatMap(
    (endpointId) => computes.get(computeKey({ account, projectId, endpointId })) ?? [],
  )
  if (!entries || entries.length !== project.listed?.endpointIds.length) return undefined
  const slices = entries.flatMap((entry) => provisionalSlices(entry, { prices, project, now }))
  return {
    settled: cuTimeSum(entries.map(({ settled }) => settled.cuTime).reduce(addCuTime, {})),
    slices,
    rates: slices.flatMap(rateOf).toSorted((a, b) => a.from - b.from),
    awakeFrom: entries.flatMap(({ partlySettled, current }) =>
      [partlySettled?.interval, current].flatMap((interval) => interval?.from.likely ?? []),
    ),
    suspendedAt: lastSuspensionOf(entries),
    largest: entries.reduce((sum, { compute }) => cu(sum + largestCu(compute.sizing)), cu(0)),
    computes: entries
      .map(({ ref }) => ref.endpointId)
      .toSorted()
      .join(' '),
  }
}

function lastSuspensionOf(entries: readonly ComputeEntry[]): Instant | undefined {
  const ends = entries.map(({ compute }) => compute.suspendedAt ?? (neverAwake(compute) ? EPOCH : undefined))
  return ends.every((end) => end !== undefined) ? latest(EPOCH, ...ends) : undefined
}

const neverAwake = ({ startedAt, lastActive }: Compute) => startedAt === undefined && lastActive === undefined

function rateOf({ likely: span, size: { low, likely, high }, moves }: AwakeSlice): Rate[] {
  if (duration(span) === 0) return []
  return [{ ...span, likely, least: moves ? low : likely, most: moves ? high : likely }]
}

/** Usage inside `within`, by the size that `pick` names. */
export const usageIn = (
  { rates }: ProjectUsage,
  within: Interval,
  pick: 'least' | 'likely' | 'most',
): CuMillis => cuMillis(rates.reduce((sum, rate) => sum + overlap(rate, within) * rate[pick], 0))

const EPOCH = instant(0)

/** Usage up to `at`: settled and likely provisional. */
export const ledgerUsageUntil = (use: ProjectUsage, at: Instant): CuMillis =>
  cuMillis(use.settled.likely + usageIn(use, { from: EPOCH, to: at }, 'likely'))

/** Bounds of the usage up to `at`. */
export function usageBoundsUntil(
  { settled, slices }: ProjectUsage,
  at: Instant,
): Readonly<{ low: CuMillis; high: CuMillis }> {
  const sum = (pick: 'low' | 'high') =>
    cuMillis(
      slices.reduce<number>(
        (total, slice) => total + overlap(slice[pick], { from: EPOCH, to: at }) * slice.size[pick],
        settled[pick],
      ),
    )
  return { low: sum('low'), high: sum('high') }
}

/** Since when all that slept at `at` were asleep; `at` where the records do not say. */
export const asleepSince = ({ rates, suspendedAt: ended }: ProjectUsage, at: Instant): Instant =>
  earliest(at, latest(ended ?? at, ...rates.map(({ to }) => to)))

/** Start of the earliest awake time that ends after `at`. */
export function firstAwakeAfter({ rates, awakeFrom }: ProjectUsage, at: Instant): Instant | undefined {
  const starts = [...awakeFrom, ...rates.filter(({ to }) => to > at).map(({ from }) => from)]
  return starts.length === 0 ? undefined : earliest(...starts)
}
