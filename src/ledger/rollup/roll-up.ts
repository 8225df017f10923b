// Folds the looks and readings of one compute into stretches of fixed lengths.
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

/** What is new of one compute, and what was known of it before. */
export type RollupInput = {
  readonly ref: ComputeRef
  /** The last look before; undefined when it was never looked at. */
  readonly before: ObservedCompute | undefined
  /** What the readings before told; undefined when there were none. */
  readonly readBefore: Pick<ReadingState, 'last' | 'failures' | 'lastAttemptAt'> | undefined
  /** In order of time. */
  readonly looks: readonly Look[]
  /** In order of time. */
  readonly readings: readonly ReadingAttempt[]
  /** Connections that clients may have: so many they had when a reading was refused for want of one. */
  readonly limitOf: (compute: Compute) => number
  /** It is gone: what goes on ends here. */
  readonly isGone: boolean
  readonly preset: Preset
}

export type RollupUpdate = {
  readonly state: RollupState
  /** Stretches that are over, in order of time among those of one length. */
  readonly closed: readonly Rollup[]
}

/** A look or reading that is not later than the last one changes nothing: folding it twice is folding it once. */
export function rollUp(state: RollupState, seen: RollupInput): RollupUpdate {
  const { pieces, cache } = piecesOf(state, seen)
  const walked = (open: RollupState['fine'], length: Seconds): ReturnType<typeof bucketize> =>
    bucketize({ open, asleep: state.asleep }, pieces, { ref: seen.ref, length, isGone: seen.isGone })
  const fine = walked(state.fine, FINE_STEP)
  const coarse = walked(state.coarse, COARSE_STEP)
  return {
    state: { fine: fine.open, coarse: coarse.open, asleep: fine.asleep, cache },
    closed: [...fine.closed, ...coarse.closed],
  }
}

function piecesOf(
  state: RollupState,
  seen: RollupInput,
): { readonly pieces: readonly RollupPiece[]; readonly cache: RollupState['cache'] } {
  const readings = readingPieces(state, seen)
  const pieces = [...lookPieces(seen), ...readings.pieces]
  return { ...readings, pieces: pieces.toSorted((a, b) => a.from - b.from) }
}

function lookPieces({ before, looks }: RollupInput): readonly RollupPiece[] {
  const pieces: RollupPiece[] = []
  let last = before
  for (const { compute, answeredAt } of looks) {
    if (!isLater(answeredAt, last?.at)) continue
    const shown = { compute, at: answeredAt }
    if (last) pieces.push(...stateSpansBetween(last, shown))
    const size = observedSize(compute)
    if (size !== undefined)
      pieces.push({ from: answeredAt, add: (open) => addSizeSample(open, size, 'fixed') })
    last = shown
  }
  return pieces
}

function readingPieces(
  state: RollupState,
  { readBefore, readings, limitOf, preset }: RollupInput,
): { readonly pieces: readonly RollupPiece[]; readonly cache: RollupState['cache'] } {
  const pieces: RollupPiece[] = []
  let cache = state.cache
  let known = readBefore ?? { last: undefined, failures: 0, lastAttemptAt: undefined }
  for (const { disconnectedAt: from, result, look } of readings) {
    if (!isLater(from, known.lastAttemptAt)) continue
    if (result.kind === 'at-limit')
      pieces.push({ from, add: (open) => addConnectionLimitHit(open, limitOf(look.compute)) })
    if (result.kind !== 'read') {
      known = { ...known, failures: known.failures + 1, lastAttemptAt: from }
      continue
    }
    const { reading } = result
    const context = { compute: look.compute, preset, cacheBefore: cache, grown: usageBetween(known, reading) }
    pieces.push({ from, add: (open) => addReadingSample(open, reading, context) })
    known = { last: { ...reading, at: from }, failures: 0, lastAttemptAt: from }
    cache = cacheBaselineOf(reading, cache)
  }
  return { pieces, cache }
}

/** The rollups of a compute after what one sweep tells of it. */
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
    isGone: deletion !== undefined && looks.length === 0,
    preset,
  })
}
