// Computes that are long gone: their sums stay with their project, and nobody has to know them one by one.
import type { Compute } from '../../model/service/compute.ts'
import { addBounds, type Bounds } from '../../model/ledger/quantities.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import type { RetiredTotals, RetiredId, ProjectEntry } from '../../model/ledger/project-entry.ts'
import { NO_ROLLUPS } from '../../model/ledger/rollup.ts'
import { after, instant, latest, micros, millis, seconds, type Instant } from '../../model/units.ts'
import { NO_TIME, spendOf } from '../settle/cu-time.ts'
import { EMPTY_EVIDENCE } from '../evidence/evidence.ts'
import { NO_READING_STATE } from '../readings/reading-state.ts'

/** By then its last day, of 25 hours at the most, is over and settled. Doubled, the deleted previews of a day more are kept in memory. */
const FAREWELL = seconds(26 * 3600)

/** When nothing more can happen to a compute that is gone; undefined while it is there. */
export const retiresAt = ({ deletedAt }: Pick<ComputeEntry, 'deletedAt'>): Instant | undefined =>
  deletedAt === undefined ? undefined : after(deletedAt, FAREWELL)

/** @returns undefined while anything of it may still change */
export function retireCompute(account: ComputeEntry, now: Instant): ComputeEntry | undefined {
  const at = retiresAt(account)
  const isSettled = account.provisional.length === 0 && account.days.length === 0 && !account.partlySettled
  if (at === undefined || now < at || !isSettled) return undefined
  return {
    ...account,
    isRetired: true,
    settlesAt: undefined,
    evidence: EMPTY_EVIDENCE,
    reading: NO_READING_STATE,
    rollups: NO_ROLLUPS,
  }
}

/** The project's account with the sums of `gone`: those of the whole account stay what they were. */
export function addRetired(project: ProjectEntry, gone: ComputeEntry): ProjectEntry {
  const { totals, counters } = gone
  const before = project.retired ?? NOBODY
  return {
    ...project,
    retired: {
      ids: [...leftOf(before).filter(({ endpointId }) => endpointId !== gone.ref.endpointId), leaving(gone)],
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

const leftOf = ({ ids = [] }: RetiredTotals): readonly RetiredId[] => ids

const leaving = ({ ref: { endpointId }, deletedAt, appliedAt }: ComputeEntry): RetiredId => ({
  endpointId,
  deletedAt: deletedAt ?? appliedAt,
})

/** Computes that left one project and are known by their ids. Doubled, a project that deletes many a day costs 20 kB more, and one that is first seen long after it was created is less often taken for one of theirs. */
const KEPT = 200

/**
 * The project's account without the ids of those that left long ago. While its history was never read whole it has them all: its history may be
 * read again, and nobody in it is to be counted twice.
 */
export function trimRetiredIds(project: ProjectEntry): ProjectEntry {
  const { listed, retired } = project
  if (!listed || listed.needsBackfill || !retired || leftOf(retired).length <= KEPT) return project
  const forgotten = leftOf(retired).slice(0, -KEPT)
  const until = forgotten.reduce((newest, { deletedAt }) => latest(newest, deletedAt), retired.until)
  return { ...project, retired: { ...retired, ids: leftOf(retired).slice(-KEPT), until } }
}

/** Whether the sums of a compute count already because it left before, or, of one that nobody knows by its id, may. */
export const wasRetired = (
  departed: RetiredTotals | undefined,
  { endpointId, createdAt }: Compute,
): boolean =>
  departed !== undefined &&
  (createdAt <= departed.until || leftOf(departed).some((one) => one.endpointId === endpointId))

const NO_SPEND: Bounds<RetiredTotals['observerSpend']> = {
  low: micros(0),
  likely: micros(0),
  high: micros(0),
}

const NOBODY: RetiredTotals = {
  until: instant(0),
  awake: NO_TIME,
  spend: NO_SPEND,
  observerOverhead: millis(0),
  observerSpend: micros(0),
  wakes: 0,
  suspends: 0,
  wakesCaused: 0,
}
