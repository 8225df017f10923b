// Accrual: usage of the interval in progress since the entry was last applied.
import { largestCu, smallestCu } from '../../model/service/compute.ts'
import { expectedSuspension } from '../../model/inference/expected-suspension.ts'
import type { UsageAmounts } from '../../model/policy/budget.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Prices, AwakeSlice } from '../../model/ledger/quantities.ts'
import { hasProjectChanged, unseenWakeAt } from '../../model/inference/unseen-wake.ts'
import { cu, earliest, latest, micros, type Instant, type Micros } from '../../model/units.ts'
import { addSliceAmounts } from './cu-time.ts'
import type { SizeBounds } from './sizing.ts'
import { priceAt } from './slices.ts'
import { duration, emptyAt } from '../interval-math.ts'

export type AccrualContext = Readonly<{
  prices: Prices
  project: ProjectEntry | undefined
  now: Instant
  /** Upper bound of the present time; `now` by default. */
  atMost?: Instant | undefined
  /** The service does not answer: a sleeping compute may have woken since. Default false. */
  isUnobserved?: boolean
}>

/** Slice of a compute that was awake at the last application, that the list has shown awake or changed since, or that is not observed. */
export function accruedSlice(entry: ComputeEntry, context: AccrualContext): AwakeSlice | undefined {
  const { ref, deletedAt } = entry
  const time = deletedAt === undefined ? openIntervalTime(entry, context) : undefined
  const price = String(priceAt(context.prices, context.now))
  return time && { ref, ...time, ...currentSizeBounds(entry), price, assumed: false }
}

/** Provisional slices and the accrual. */
export function provisionalSlices(entry: ComputeEntry, context: AccrualContext): readonly AwakeSlice[] {
  const accrued = accruedSlice(entry, context)
  return accrued ? [...entry.provisional, accrued] : entry.provisional
}

type AccruedTime = Pick<AwakeSlice, 'low' | 'likely' | 'high'>

/** Low: what is known. Likely: until the expected suspension. High: until now. */
function openIntervalTime(
  entry: ComputeEntry,
  { project, now, atMost = now, isUnobserved = false }: AccrualContext,
) {
  const { compute, current, appliedAt } = entry
  if (!current) {
    const isPossible = isUnobserved || mayHaveWoken(entry, project)
    return unseenWakeTime(entry, { project, now, atMost }) ?? possibleTime(entry, isPossible, atMost)
  }
  const { knownUntil } = current
  const end = expectedSuspension(compute, project?.project, project) ?? now
  const likely = latest(knownUntil, earliest(now, end))
  const possible = latest(appliedAt, knownUntil)
  if (atMost <= possible && likely <= knownUntil) return undefined
  return {
    low: emptyAt(knownUntil),
    likely: { from: knownUntil, to: likely },
    high: { from: possible, to: latest(possible, atMost) },
  }
}

/** Whether the project list shows that a compute may have woken since it was looked at. */
export const mayHaveWoken = (entry: ComputeEntry, project: ProjectEntry | undefined): boolean =>
  unseenWakeAt(entry, project) !== undefined ||
  (project?.listed !== undefined && hasProjectChanged(project.project, project.listed))

/** Awake time of an unseen wake, which nothing dates yet: likely since the last activity. */
function unseenWakeTime(
  entry: ComputeEntry,
  { project, now, atMost }: Pick<AccrualContext, 'project' | 'now'> & { atMost: Instant },
): AccruedTime | undefined {
  const { compute, appliedAt } = entry
  const active = unseenWakeAt(entry, project)
  if (active === undefined || atMost <= appliedAt) return undefined
  const end = expectedSuspension(compute, project?.project, project) ?? now
  const from = latest(appliedAt, active)
  return {
    low: emptyAt(from),
    likely: { from, to: latest(from, earliest(now, end)) },
    high: { from: appliedAt, to: atMost },
  }
}

/** Awake time that a sleeping, unobserved compute may have had; none of it is likely. */
function possibleTime({ appliedAt }: ComputeEntry, isPossible: boolean, atMost: Instant) {
  const none = emptyAt(appliedAt)
  return isPossible && atMost > appliedAt
    ? { low: none, likely: none, high: { from: appliedAt, to: atMost } }
    : undefined
}

/** Likely spend per hour at the current size; 0 while asleep. */
export const spendPerHour = (
  entry: ComputeEntry,
  { prices, now }: Pick<AccrualContext, 'prices' | 'now'>,
): Micros =>
  micros(
    entry.current && entry.deletedAt === undefined
      ? currentSizeBounds(entry).size.likely * priceAt(prices, now)
      : 0,
  )

/** Limits of the record; likely the size of the last provisional slice. */
function currentSizeBounds({ compute, provisional }: ComputeEntry): SizeBounds {
  const [low, high] = [smallestCu(compute.sizing), largestCu(compute.sizing)]
  if (low === high) return { size: { low, likely: low, high } }
  const last = provisional.findLast(({ likely }) => duration(likely) > 0)?.size.likely ?? low
  return { size: { low, likely: cu(Math.min(high, Math.max(low, last))), high }, moves: true }
}

export function totalsWithAccrual(entry: ComputeEntry, context: AccrualContext): UsageAmounts {
  const slice = accruedSlice(entry, context)
  return slice ? addSliceAmounts(entry.totals, [slice]) : entry.totals
}
