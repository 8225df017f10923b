// Rolls the looks and readings of one compute up into fine and coarse buckets.
import type { Compute, ComputeRef } from '../../model/service/compute.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import type { ReadingState } from '../../model/ledger/reading-state.ts'
import type { Look, ReadingAttempt } from '../../model/observation.ts'
import {
  COARSE_STEP,
  FINE_STEP,
  type Rollup,
  type RollupState,
  NO_ROLLUPS,
} from '../../model/ledger/rollup.ts'
import type { Preset } from '../../model/service/sizes.ts'
import type { Seconds } from '../../model/units.ts'
import { usageBetween } from '../evidence/usage-delta.ts'
import {
  cacheBaselineOf,
  observedSize,
  addConnectionLimitHit,
  addReadingSample,
  addSizeSample,
} from './aggregate.ts'
import { stateSpansBetween, type ObservedCompute } from './state-spans.ts'
import { isLater, bucketize, type RollupPiece } from './bucketize.ts'
import type { ComputeFacts } from '../facts.ts'

/** New looks and readings of one compute, and the last ones before them. */
export type RollupInput = {
  readonly ref: ComputeRef
  /** The last look before; undefined for a new compute. */
  readonly before: ObservedCompute | undefined
  /** State of the readings before; undefined when there were none. */
  readonly readBefore: Pick<ReadingState, 'last' | 'failures' | 'lastAttemptAt'> | undefined
  /** In order of time. */
  readonly looks: readonly Look[]
  /** In order of time. */
  readonly readings: readonly ReadingAttempt[]
  /** Connections that clients may have, and had when a reading was refused because none was free. */
  readonly limitOf: (compute: Compute) => number
  /** Deleted: the buckets in progress end here. */
  readonly isDeleted: boolean
  readonly preset: Preset
}

export type RollupUpdate = {
  readonly state: RollupState
  /** Finished buckets, in order of time by length. */
  readonly closed: readonly Rollup[]
}

/** A look or reading that is not later than the last one changes nothing, so that applying it twice is safe. */
export function rollUp(state: RollupState, input: RollupInput): RollupUpdate {
  const { pieces, cache } = piecesOf(state, input)
  const bucketizeAt = (open: RollupState['fine'], length: Seconds): ReturnType<typeof bucketize> =>
    bucketize({ open, asleep: state.asleep }, pieces, { ref: input.ref, length, isDeleted: input.isDeleted })
  const fine = bucketizeAt(state.fine, FINE_STEP)
  const coarse = bucketizeAt(state.coarse, COARSE_STEP)
  return {
    state: { fine: fine.open, coarse: coarse.open, asleep: fine.asleep, cache },
    closed: [...fine.closed, ...coarse.closed],
  }
}

function piecesOf(
  state: RollupState,
  input: RollupInput,
): { readonly pieces: readonly RollupPiece[]; readonly cache: RollupState['cache'] } {
  const readings = readingPieces(state, input)
  const pieces = [...lookPieces(input), ...readings.pieces]
  return { ...readings, pieces: pieces.toSorted((a, b) => a.from - b.from) }
}

function lookPieces({ before, looks }: RollupInput): readonly RollupPiece[] {
  const pieces: RollupPiece[] = []
  let last = before
  for (const { compute, answeredAt } of looks) {
    if (!isLater(answeredAt, last?.at)) continue
    const observed = { compute, at: answeredAt }
    if (last) pieces.push(...stateSpansBetween(last, observed))
    const size = observedSize(compute)
    if (size !== undefined)
      pieces.push({ from: answeredAt, add: (open) => addSizeSample(open, size, 'fixed') })
    last = observed
  }
  return pieces
}

function readingPieces(
  state: RollupState,
  { readBefore, readings, limitOf, preset }: RollupInput,
): { readonly pieces: readonly RollupPiece[]; readonly cache: RollupState['cache'] } {
  const pieces: RollupPiece[] = []
  let cache = state.cache
  let previous = readBefore ?? { last: undefined, failures: 0, lastAttemptAt: undefined }
  for (const { disconnectedAt: from, result, look } of readings) {
    if (!isLater(from, previous.lastAttemptAt)) continue
    if (result.kind === 'at-limit')
      pieces.push({ from, add: (open) => addConnectionLimitHit(open, limitOf(look.compute)) })
    if (result.kind !== 'read') {
      previous = { ...previous, failures: previous.failures + 1, lastAttemptAt: from }
      continue
    }
    const { reading } = result
    const context = {
      compute: look.compute,
      preset,
      cacheBefore: cache,
      growth: usageBetween(previous, reading),
    }
    pieces.push({ from, add: (open) => addReadingSample(open, reading, context) })
    previous = { last: { ...reading, at: from }, failures: 0, lastAttemptAt: from }
    cache = cacheBaselineOf(reading, cache)
  }
  return { pieces, cache }
}

/** The rollups of a compute after the facts of one sweep. */
export function rollUpFacts(
  before: ComputeEntry | undefined,
  { ref, looks, readings, deletion }: ComputeFacts,
  preset: Preset,
): RollupUpdate {
  return rollUp(before?.rollups ?? NO_ROLLUPS, {
    ref,
    before: before && { compute: before.compute, at: before.observedAt },
    readBefore: before?.reading,
    looks,
    readings,
    limitOf: (compute) => {
      const last = before?.reading.last
      return (
        (last?.maxConnections ?? preset.maxConnections(compute.sizing)) - (last?.reservedConnections ?? 0)
      )
    },
    isDeleted: deletion !== undefined && looks.length === 0,
    preset,
  })
}
