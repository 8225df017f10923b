// Statistics of computes: in memory while a compute is awake, stored in a row of their own.
import type { ComputeStatistics } from '../../model/ledger/statistics.ts'
import { entriesOf, type Write } from '../../model/ports/store.ts'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import { after, seconds, type Instant } from '../../model/units.ts'
import type { AppliedChunk } from '../apply-sweep.ts'

/** Statistics of an awake compute. `isStored`: its row is up to date. */
type TrackedStatistics = Readonly<{ statistics: ComputeStatistics; isStored: boolean }>

/** Compute key → statistics, of the awake computes. */
export type AwakeStatistics = ReadonlyMap<string, TrackedStatistics>

/** Time between two writes of one row, 1 h: a lost hour of gaps changes no verdict for long. */
const WRITTEN_EVERY = seconds(3600)

type Chunk = Pick<AppliedChunk, 'writes' | 'gaps'>

/** Computes of the chunk whose stored statistics `updateStatistics` needs. */
export const refsToLoad = (known: AwakeStatistics, { writes, gaps }: Chunk): readonly ComputeRef[] =>
  entriesOf(writes)
    .filter(({ ref, current }) => current !== undefined || gaps.has(computeKey(ref)))
    .map(({ ref }) => ref)
    .filter((ref) => !known.has(computeKey(ref)))

export type UpdatedStatistics = Readonly<{
  /** By compute key; undefined for computes that are not awake any more. */
  tracked: ReadonlyMap<string, TrackedStatistics | undefined>
  /** Changed rows, an hour old or of a compute that is not awake any more. */
  writes: readonly Write[]
}>

/** @param stored statistics of `refsToLoad`, as far as there are any */
export function updateStatistics(
  known: AwakeStatistics,
  { writes, gaps }: Chunk,
  { stored, now }: { stored: ReadonlyMap<string, ComputeStatistics>; now: Instant },
): UpdatedStatistics {
  const updated = entriesOf(writes).flatMap(({ ref, current }) => {
    const key = computeKey(ref)
    const isAwake = current !== undefined
    const gap = gaps.get(key)
    const before = known.get(key)
    if (!before && !isAwake && gap === undefined) return []
    const loaded = { statistics: stored.get(key) ?? { ref, gapCounts: [], updatedAt: now }, isStored: true }
    const { statistics, isStored } = addGap(before ?? loaded, gap)
    const isDue = !isStored && (!isAwake || after(statistics.updatedAt, WRITTEN_EVERY) <= now)
    return [
      { key, isAwake, isDue, isStored, statistics: isDue ? { ...statistics, updatedAt: now } : statistics },
    ]
  })
  return {
    tracked: new Map(
      updated.map(({ key, isAwake, isDue, isStored, statistics }) => [
        key,
        isAwake ? { statistics, isStored: isStored || isDue } : undefined,
      ]),
    ),
    writes: updated.flatMap(({ isDue, statistics }) => (isDue ? [{ kind: 'statistics', statistics }] : [])),
  }
}

function addGap(before: TrackedStatistics, bucket: number | undefined): TrackedStatistics {
  if (bucket === undefined) return before
  const { gapCounts } = before.statistics
  const length = Math.max(bucket + 1, gapCounts.length)
  const counted = Array.from({ length }, (_, index) => (gapCounts[index] ?? 0) + (index === bucket ? 1 : 0))
  return { statistics: { ...before.statistics, gapCounts: counted }, isStored: false }
}
