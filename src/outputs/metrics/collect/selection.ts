// Which families and which computes have series of their own: as many as the detail asks for, as far as the cap allows.
import { createTopK } from '../../../std/top-k.ts'
import type { ComputeView } from '../../../model/output/snapshot.ts'
import { forEachYielding, type Cooperative } from '../../../std/cooperative.ts'
import type { Instant } from '../../../model/units.ts'
import { CATALOGUE, FAMILY_KEYS, isPerCompute, type FamilyKey } from '../catalogue.ts'

export type SeriesLimits = {
  readonly detail: 'basic' | 'full'
  /** Which computes have series. `recent`: awake within a week, or the service is at work on them. */
  readonly perCompute: 'all' | 'recent' | 'none'
  /** The most series that computes and projects may have. */
  readonly maxSeries: number
}

export type Selection = {
  readonly keys: ReadonlySet<FamilyKey>
  /** In the order they came. */
  readonly computes: readonly ComputeView[]
  /** Families without which the cap holds → series that they would have had at most. */
  readonly dropped: ReadonlyMap<FamilyKey, number>
}

/** Computes of one step. Doubled, the event loop is held up for a few milliseconds more. */
const MANY = 1000
/** Milliseconds in which a compute counts as recently used. Doubled, a large account shows those that ran a fortnight ago. */
const RECENT = 7 * 86_400_000

/** What goes first, before all else that is not basic: it is the largest, and tells least of a fleet. */
const FIRST: readonly FamilyKey[] = ['workingSet', 'averageActive', 'longestTransaction']

/** Families that a cap leaves out before computes, in that order. */
export const DROP_ORDER: readonly FamilyKey[] = [
  ...FIRST,
  ...FAMILY_KEYS.filter((key) => isLesser(key) && !FIRST.includes(key)).toReversed(),
]

function isLesser(key: FamilyKey): boolean {
  return isPerCompute(CATALOGUE[key]) && !CATALOGUE[key].basic
}

export function* selectSeries(
  computes: readonly ComputeView[],
  { detail, perCompute, maxSeries }: SeriesLimits,
  now: Instant,
): Cooperative<Selection> {
  const asked = FAMILY_KEYS.filter((key) => detail === 'full' || !isLesser(key))
  const wanted = yield* within(computes, perCompute, now)
  const keys = fitting(asked, wanted.length, maxSeries)
  const most = Math.max(1, Math.floor(maxSeries / seriesEach(keys)))
  // A cap that is reached leaves out those that nobody used lately, and of the others those that cost least.
  const recent = wanted.length > most ? yield* within(wanted, 'recent', now) : wanted
  const kept = recent.length > most ? yield* costliest(recent, most) : recent
  const left = asked.map((key) => {
    const after = keys.includes(key) ? kept.length : 0
    return [key, (wanted.length - after) * CATALOGUE[key].each] as const
  })
  return {
    keys: new Set(keys),
    computes: kept,
    dropped: new Map(left.filter(([, count]) => count > 0)),
  }
}

/** Without as many families as it takes, none that is basic. */
function fitting(asked: readonly FamilyKey[], computes: number, maxSeries: number): readonly FamilyKey[] {
  const lesser = DROP_ORDER.filter((key) => asked.includes(key))
  const without = (count: number): readonly FamilyKey[] => {
    const gone = lesser.slice(0, count)
    return asked.filter((key) => !gone.includes(key))
  }
  const enough = lesser.findIndex((_, count) => seriesEach(without(count)) * computes <= maxSeries)
  return without(enough < 0 ? lesser.length : enough)
}

/** Series of one compute and its project, at most. */
const seriesEach = (keys: readonly FamilyKey[]): number =>
  keys.reduce((sum, key) => sum + CATALOGUE[key].each, 0)

function* within(
  computes: readonly ComputeView[],
  which: SeriesLimits['perCompute'],
  now: Instant,
): Cooperative<readonly ComputeView[]> {
  if (which === 'all') return computes
  const kept: ComputeView[] = []
  if (which === 'none') return kept
  yield* forEachYielding(computes, MANY, (view) => {
    if (isRecent(view, now)) kept.push(view)
  })
  return kept
}

const isRecent = (view: ComputeView, now: Instant): boolean =>
  isBusy(view) || now - Math.max(view.compute.suspendedAt ?? 0, view.compute.lastActive ?? 0) < RECENT

/**
 * Awake by its last known state, because one that cannot be asked is no more used for it; or the service is at work on it, which
 * may be stuck.
 */
const isBusy = ({ compute, operations }: ComputeView): boolean =>
  compute.state !== 'idle' || operations.length > 0

/** Those that are busy, then those that cost most. */
function* costliest(computes: readonly ComputeView[], most: number): Cooperative<readonly ComputeView[]> {
  const largest = createTopK(most, (view: ComputeView) =>
    isBusy(view) ? Number.MAX_SAFE_INTEGER : view.counters.spend,
  )
  yield* forEachYielding(computes, MANY, largest.add)
  const kept = new Set(largest.all())
  return computes.filter((view) => kept.has(view))
}
