// Rolls the looks and readings of one compute up into fine and coarse buckets.
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import type { ReadingState } from '../../model/ledger/reading-state.ts'
import { ifRead } from '../../model/observation.ts'
import type { Rollup, RollupState } from '../../model/ledger/rollup.ts'
import { COARSE_STEP, FINE_STEP, NO_ROLLUPS } from '../../model/ledger/rollup.ts'
import type { Preset } from '../../model/service/sizes.ts'
import { latest, type Instant, type Seconds } from '../../model/units.ts'
import { usageBetween } from '../evidence/usage-delta.ts'
import type { ComputeFacts } from '../facts.ts'
import {
  addConnectionLimitHit,
  addIdleAtSuspension,
  addReadingSample,
  addSizeSample,
  cacheBaselineOf,
  observedSize,
} from './aggregate.ts'
import { bucketize, isLater, type RollupPiece } from './bucketize.ts'
import { stateSpansBetween, type ObservedCompute } from './state-spans.ts'

/** The entry as rollups see it. */
export type RolledUpEntry = Pick<ComputeEntry, 'compute' | 'observedAt' | 'rollups'> & {
  readonly reading: Pick<ReadingState, 'last' | 'failures' | 'lastAttemptAt'>
}

export type RollupUpdate = Readonly<{
  state: RollupState
  /** Finished buckets, in order of time by length. */
  closed: readonly Rollup[]
}>

/** Applying facts twice is safe: what is not later than the last look or reading is left out. */
export function rollUp(
  before: RolledUpEntry | undefined,
  facts: Pick<ComputeFacts, 'ref' | 'looks' | 'readings' | 'deletion'>,
  preset: Preset,
): RollupUpdate {
  const { ref, looks, deletion } = facts
  const { asleep, ...open } = before?.rollups ?? NO_ROLLUPS
  const readings = readingPieces(before, facts, preset)
  const pieces = [...lookPieces(before, facts), ...readings.pieces].toSorted((a, b) => a.from - b.from)
  const isDeleted = deletion !== undefined && looks.length === 0
  const bucketizeAt = (bucket: RollupState['fine'], length: Seconds) =>
    bucketize({ open: bucket, asleep }, pieces, { ref, length, isDeleted })
  const fine = bucketizeAt(open.fine, FINE_STEP)
  const coarse = bucketizeAt(open.coarse, COARSE_STEP)
  return {
    state: { fine: fine.open, coarse: coarse.open, asleep: fine.asleep, cache: readings.cache },
    closed: [...fine.closed, ...coarse.closed],
  }
}

type Observed = Pick<ComputeFacts, 'looks' | 'readings'>

function lookPieces(
  before: RolledUpEntry | undefined,
  { looks, readings }: Observed,
): readonly RollupPiece[] {
  const pieces: RollupPiece[] = []
  let last = before && { compute: before.compute, at: before.observedAt }
  for (const { compute, answeredAt, listed } of looks) {
    if (!isLater(answeredAt, last?.at)) continue
    const observed = { compute, at: answeredAt, listed }
    if (last) {
      const idle = idleAtSuspension(last, observed, lastReadings(before, readings))
      if (idle) pieces.push({ from: idle.at, add: (open) => addIdleAtSuspension(open, idle.count) })
      pieces.push(...stateSpansBetween(last, observed))
    }
    const size = observedSize(compute)
    if (size !== undefined)
      pieces.push({ from: answeredAt, add: (open) => addSizeSample(open, size, 'fixed') })
    last = observed
  }
  return pieces
}

const lastReadings = (before: RolledUpEntry | undefined, readings: ComputeFacts['readings']) => [
  ...(before?.reading.last ? [before.reading.last] : []),
  ...readings.flatMap(({ result, disconnectedAt }) =>
    result.kind === 'read' ? [{ ...result.reading, at: disconnectedAt }] : [],
  ),
]

/** Idle clients at the last reading of the awake interval that ended between two looks; undefined without one. */
function idleAtSuspension(
  before: ObservedCompute,
  { compute }: ObservedCompute,
  readings: readonly NonNullable<ReadingState['last']>[],
): { readonly at: Instant; readonly count: number } | undefined {
  const { suspendedAt } = compute
  if (suspendedAt === undefined || suspendedAt === before.compute.suspendedAt) return undefined
  const started = [before.compute.startedAt, compute.startedAt].filter(
    (at) => at !== undefined && at < suspendedAt,
  )
  const startedAt = Math.max(...started.map(Number))
  const reading = readings.findLast(({ at }) => at >= startedAt && at <= suspendedAt)
  const count = started.length === 0 ? undefined : ifRead(reading?.connections)?.idle
  return count === undefined ? undefined : { at: latest(suspendedAt, before.at), count }
}

function readingPieces(
  before: RolledUpEntry | undefined,
  { readings }: Pick<ComputeFacts, 'readings'>,
  preset: Preset,
) {
  const pieces: RollupPiece[] = []
  let cache = before?.rollups.cache
  let previous = before?.reading ?? { last: undefined, failures: 0, lastAttemptAt: undefined }
  for (const { disconnectedAt: from, result, look } of readings) {
    if (!isLater(from, previous.lastAttemptAt)) continue
    const { compute } = look
    if (result.kind === 'at-limit') {
      const limit = clientLimit(previous.last, preset.maxConnections(compute.sizing))
      pieces.push({ from, add: (open) => addConnectionLimitHit(open, limit) })
    }
    if (result.kind !== 'read') {
      previous = { ...previous, failures: previous.failures + 1, lastAttemptAt: from }
      continue
    }
    const { reading } = result
    const context = { compute, preset, cacheBefore: cache, growth: usageBetween(previous, reading) }
    pieces.push({ from, add: (open) => addReadingSample(open, reading, context) })
    previous = { last: { ...reading, at: from }, failures: 0, lastAttemptAt: from }
    cache = cacheBaselineOf(reading, cache)
  }
  return { pieces, cache }
}

/** Connections that clients had when a reading was refused because none was free. */
const clientLimit = (last: ReadingState['last'], usual: number) =>
  (last?.maxConnections ?? usual) - (last?.reservedConnections ?? 0)
