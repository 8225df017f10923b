import { sumOf } from '../../../std/sum.ts'
import { createTopK } from '../../../std/top-k.ts'
import type { ComputeView } from '../../../model/output/snapshot.ts'
import { DAY, type Instant } from '../../../model/units.ts'
import { CATALOGUE, FAMILY_KEYS, isPerCompute, seriesSubjectOf, type FamilyKey } from '../catalogue.ts'

export type SeriesLimits = Readonly<{
  detail: 'basic' | 'full'
  /** `recent`: awake within a week, with operations in progress, or with an open change. */
  perCompute: 'all' | 'recent' | 'none'
  /** Cap of all computes and projects together. */
  maxSeries: number
}>

export type Selection = Readonly<{
  keys: ReadonlySet<FamilyKey>
  computes: readonly ComputeView[]
  /** Family → series left out by the cap, at most. */
  dropped: ReadonlyMap<FamilyKey, number>
}>

/** Since its last use: a week, so that a weekly job stays visible. */
const RECENT_FOR = 7 * DAY

/** Families with the most series, which say the least about a fleet. */
const DROPPED_FIRST: readonly FamilyKey[] = [
  'compute_working_set_bytes',
  'compute_average_active_sessions',
  'compute_longest_transaction_seconds',
]

/** Families that the cap leaves out before computes. */
export const DROP_ORDER: readonly FamilyKey[] = [
  ...DROPPED_FIRST,
  ...FAMILY_KEYS.filter((key) => isDetail(key) && !DROPPED_FIRST.includes(key)).toReversed(),
]

function isDetail(key: FamilyKey) {
  return isPerCompute(CATALOGUE[key]) && !CATALOGUE[key].basic
}

/**
 * 1. `detail` and `per_compute` choose families and computes.
 * 2. Over the cap, families that are not basic are left out, in `DROP_ORDER`.
 * 3. Still over, computes that are not recent are left out, then those that cost least.
 */
export function selectSeries(
  computes: readonly ComputeView[],
  { detail, perCompute, maxSeries }: SeriesLimits,
  now: Instant,
): Selection {
  const families = FAMILY_KEYS.filter((key) => detail === 'full' || !isDetail(key))
  const candidates = perCompute === 'none' ? [] : perCompute === 'all' ? computes : recentOf(computes, now)
  const mean = meanSubjects(candidates)
  const keys = fittingFamilies(families, { candidates: candidates.length, mean, maxSeries })
  const most = Math.max(1, Math.floor(maxSeries / seriesPerCompute(keys, mean)))
  const recent = candidates.length > most ? recentOf(candidates, now) : candidates
  const selected = recent.length > most ? costliest(recent, most) : recent
  const dropped = families.map((key) => {
    const count = keys.includes(key) ? selected.length : 0
    return [key, (candidates.length - count) * CATALOGUE[key].each] as const
  })
  return {
    keys: new Set(keys),
    computes: selected,
    dropped: new Map(dropped.filter(([, count]) => count > 0)),
  }
}

/** Mean number in one compute, at least 1: a first one needs no room that other series have. */
type MeanSubjects = Readonly<Record<ReturnType<typeof seriesSubjectOf>, number>>

type Fleet = Readonly<{ candidates: number; mean: MeanSubjects; maxSeries: number }>

function fittingFamilies(families: readonly FamilyKey[], { candidates, mean, maxSeries }: Fleet) {
  const droppable = DROP_ORDER.filter((key) => families.includes(key))
  const without = (count: number) => families.filter((key) => !droppable.slice(0, count).includes(key))
  const enough = droppable.findIndex(
    (_, count) => seriesPerCompute(without(count), mean) * candidates <= maxSeries,
  )
  return without(enough < 0 ? droppable.length : enough)
}

/** Most series of one compute with the mean of recommendations and changes, and its project. */
const seriesPerCompute = (keys: readonly FamilyKey[], mean: MeanSubjects) =>
  sumOf(keys, (key) => CATALOGUE[key].each * mean[seriesSubjectOf(key)])

function meanSubjects(views: readonly ComputeView[]): MeanSubjects {
  const meanOf = (count: (view: ComputeView) => number) =>
    Math.max(1, sumOf(views, count) / Math.max(1, views.length))
  return {
    compute: 1,
    recommendation: meanOf(({ advice }) => advice?.length ?? 0),
    change: meanOf(changedKinds),
  }
}

function changedKinds({ changes, changeTallies }: ComputeView) {
  if (!changes && !changeTallies) return 0
  const open = changes?.map(({ change }) => change.kind) ?? []
  return new Set([...open, ...(changeTallies?.map(({ kind }) => kind) ?? [])]).size
}

const recentOf = (views: readonly ComputeView[], now: Instant) => views.filter((view) => isRecent(view, now))

function isRecent(view: ComputeView, now: Instant) {
  const { suspendedAt = 0, lastActive = 0 } = view.identity.compute
  return isBusy(view) || now - Math.max(suspendedAt, lastActive) < RECENT_FOR
}

/** Awake by its last known state, also while the service cannot be reached; with operations, which may be stuck; or with an open change. */
const isBusy = ({ identity: { compute }, state: { operations }, changes }: ComputeView) =>
  compute.state !== 'idle' || operations.length > 0 || changes !== undefined

/** The `most` computes that are busy or, among the others, cost most. */
function costliest(computes: readonly ComputeView[], most: number): readonly ComputeView[] {
  const largest = createTopK(most, (view: ComputeView) =>
    isBusy(view) ? Number.MAX_SAFE_INTEGER : view.ledger.counters.spend,
  )
  for (const view of computes) largest.add(view)
  const selected = new Set(largest.all())
  return computes.filter((view) => selected.has(view))
}
