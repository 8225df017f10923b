// What leaves memory: entries of deleted computes, whose totals go to their project, and projects deleted long ago, whose entries
// stay in the store.
import type { ComputeEntry, Ledger } from '../model/ledger/ledger.ts'
import { type Bounds, addBounds } from '../model/ledger/quantities.ts'
import type { ProjectEntry, RetiredId, RetiredTotals } from '../model/ledger/project-entry.ts'
import { NO_ROLLUPS } from '../model/ledger/rollup.ts'
import type { Sweep } from '../model/observation.ts'
import type { Compute } from '../model/service/compute.ts'
import { after, instant, latest, micros, millis, seconds, type Instant } from '../model/units.ts'
import { EMPTY_EVIDENCE } from './evidence/evidence.ts'
import { NO_READING_STATE } from './readings/reading-state.ts'
import { NO_TIME, spendOf } from './settle/cu-time.ts'

/** Time until a deleted compute is retired, 26 hours: its last day, of 25 hours at most, is over and settled by then. */
const RETIRES_AFTER = seconds(26 * 3600)

/** When a deleted compute may be retired; undefined while it exists. */
export const retiresAt = ({ deletedAt }: Pick<ComputeEntry, 'deletedAt'>): Instant | undefined =>
  deletedAt === undefined ? undefined : after(deletedAt, RETIRES_AFTER)

/** @returns undefined while the entry may still change */
export function retireCompute(entry: ComputeEntry, now: Instant): ComputeEntry | undefined {
  const at = retiresAt(entry)
  const isSettled = entry.provisional.length === 0 && entry.days.length === 0 && !entry.partlySettled
  if (at === undefined || now < at || !isSettled) return undefined
  return {
    ...entry,
    isRetired: true,
    settlesAt: undefined,
    evidence: EMPTY_EVIDENCE,
    reading: NO_READING_STATE,
    rollups: NO_ROLLUPS,
  }
}

/** Adds the totals of a retired compute to its project. Totals of the account stay what they were. */
export function addRetired(
  project: ProjectEntry,
  { ref: { endpointId }, totals, counters, deletedAt, appliedAt }: ComputeEntry,
): ProjectEntry {
  const before = project.retired ?? NO_RETIRED
  const others = retiredIdsOf(before).filter((retired) => retired.endpointId !== endpointId)
  return {
    ...project,
    retired: {
      ids: [...others, { endpointId, deletedAt: deletedAt ?? appliedAt }],
      until: before.until,
      awake: addBounds(before.awake, totals.awake, millis),
      spend: addBounds(before.spend, spendOf(totals.cuTime), micros),
      observerOverhead: millis(before.observerOverhead + totals.observerOverhead),
      observerSpend: micros(before.observerSpend + counters.observerSpend),
      wakes: before.wakes + counters.wakes,
      suspends: before.suspends + counters.suspends,
      wakesCaused: before.wakesCaused + counters.wakesCaused,
    },
  }
}

const retiredIdsOf = ({ ids = [] }: RetiredTotals): readonly RetiredId[] => ids

/** Ids of retired computes that a project remembers. 200 take about 20 kB, and cover some days of a project with previews. */
const MAX_RETIRED_IDS = 200

/**
 * The project without its oldest retired ids. All ids stay until its history has been backfilled: the backfill may be repeated, and
 * no compute in it may count twice.
 */
export function trimRetiredIds(project: ProjectEntry): ProjectEntry {
  const { listed, retired } = project
  if (!listed || listed.needsBackfill || !retired) return project
  const ids = retiredIdsOf(retired)
  if (ids.length <= MAX_RETIRED_IDS) return project
  const until = ids
    .slice(0, -MAX_RETIRED_IDS)
    .reduce((newest, { deletedAt }) => latest(newest, deletedAt), retired.until)
  return { ...project, retired: { ...retired, ids: ids.slice(-MAX_RETIRED_IDS), until } }
}

/**
 * Whether this compute's totals are already part of the project's: its id is remembered as retired, or it was created before the
 * last deletion whose id was dropped, and may be that compute.
 */
export const wasRetired = (retired: RetiredTotals | undefined, { endpointId, createdAt }: Compute): boolean =>
  retired !== undefined &&
  (createdAt <= retired.until || retiredIdsOf(retired).some((id) => id.endpointId === endpointId))

const NO_SPEND: Bounds<RetiredTotals['observerSpend']> = {
  low: micros(0),
  likely: micros(0),
  high: micros(0),
}

const NO_RETIRED: RetiredTotals = {
  until: instant(0),
  awake: NO_TIME,
  spend: NO_SPEND,
  observerOverhead: millis(0),
  observerSpend: micros(0),
  wakes: 0,
  suspends: 0,
  wakesCaused: 0,
}

/** Time that a deleted project stays in memory, 93 days: as long as its hourly rollups. An entry takes about 1 kB. */
const RETAINED_FOR = seconds(93 * 86_400)

/** Projects deleted more than 93 days ago that have not reappeared: they leave memory and stay in the store, marked as archived. */
export function projectsToArchive(
  { projects, computes }: Ledger,
  { changed, list }: Pick<Sweep, 'list'> & { readonly changed: ReadonlyMap<string, ProjectEntry> },
  now: Instant,
): readonly ProjectEntry[] {
  const due: ProjectEntry[] = []
  for (const entry of projects.values()) {
    const isDue = entry.deletedAt !== undefined && after(entry.deletedAt, RETAINED_FOR) <= now
    const { projectId } = entry.project
    if (isDue && !changed.has(projectId) && !list.finished?.readAt.has(projectId)) due.push(entry)
  }
  if (due.length === 0) return []
  const inUse = new Set<string>()
  for (const { ref } of computes.values()) inUse.add(ref.projectId)
  return due
    .filter(({ project: { projectId } }) => !inUse.has(projectId))
    .map((entry) => ({ ...entry, isArchived: true as const }))
}
