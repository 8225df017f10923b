// Folds the looks and readings of one compute into stretches of fixed lengths.
import type { Compute, ComputeRef } from '../../model/service/compute.ts'
import type { ReadingAccount } from '../../model/ledger/ledger.ts'
import type { Look, ReadingAttempt } from '../../model/observation.ts'
import { COARSE, FINE, type Rollup, type RollupState } from '../../model/ledger/rollup.ts'
import type { Preset } from '../../model/service/sizes.ts'
import type { Seconds } from '../../model/units.ts'
import { grownBy } from '../evidence/usage-delta.ts'
import { countedBy, sizeSeen, withAllTaken, withReading, withSize } from './aggregate.ts'
import { stretchesBetween, type Shown } from './state-spans.ts'
import { isLater, walk, type Piece } from './bucketize.ts'

/** What is new of one compute, and what was known of it before. */
export type NewOfCompute = {
  readonly ref: ComputeRef
  /** The last look before; undefined when it was never looked at. */
  readonly before: Shown | undefined
  /** What the readings before told; undefined when there were none. */
  readonly readBefore: Pick<ReadingAccount, 'last' | 'failures' | 'lastAttemptAt'> | undefined
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

export type RolledUp = {
  readonly state: RollupState
  /** Stretches that are over, in order of time among those of one length. */
  readonly closed: readonly Rollup[]
}

/** A look or reading that is not later than the last one changes nothing: folding it twice is folding it once. */
export function rolledUp(state: RollupState, seen: NewOfCompute): RolledUp {
  const { pieces, cache } = piecesOf(state, seen)
  const walked = (open: RollupState['fine'], length: Seconds): ReturnType<typeof walk> =>
    walk({ open, asleep: state.asleep }, pieces, { ref: seen.ref, length, isGone: seen.isGone })
  const fine = walked(state.fine, FINE)
  const coarse = walked(state.coarse, COARSE)
  return {
    state: { fine: fine.open, coarse: coarse.open, asleep: fine.asleep, cache },
    closed: [...fine.closed, ...coarse.closed],
  }
}

function piecesOf(
  state: RollupState,
  seen: NewOfCompute,
): { readonly pieces: readonly Piece[]; readonly cache: RollupState['cache'] } {
  const readings = readingPieces(state, seen)
  const pieces = [...lookPieces(seen), ...readings.pieces]
  return { ...readings, pieces: pieces.toSorted((a, b) => a.from - b.from) }
}

function lookPieces({ before, looks }: NewOfCompute): readonly Piece[] {
  const pieces: Piece[] = []
  let last = before
  for (const { compute, answeredAt } of looks) {
    if (!isLater(answeredAt, last?.at)) continue
    const shown = { compute, at: answeredAt }
    if (last) pieces.push(...stretchesBetween(last, shown))
    const size = sizeSeen(compute)
    if (size !== undefined) pieces.push({ from: answeredAt, add: (open) => withSize(open, size, 'fixed') })
    last = shown
  }
  return pieces
}

function readingPieces(
  state: RollupState,
  { readBefore, readings, limitOf, preset }: NewOfCompute,
): { readonly pieces: readonly Piece[]; readonly cache: RollupState['cache'] } {
  const pieces: Piece[] = []
  let cache = state.cache
  let known = readBefore ?? { last: undefined, failures: 0, lastAttemptAt: undefined }
  for (const { disconnectedAt: from, result, look } of readings) {
    if (!isLater(from, known.lastAttemptAt)) continue
    if (result.kind === 'at-limit')
      pieces.push({ from, add: (open) => withAllTaken(open, limitOf(look.compute)) })
    if (result.kind !== 'read') {
      known = { ...known, failures: known.failures + 1, lastAttemptAt: from }
      continue
    }
    const { reading } = result
    const context = { compute: look.compute, preset, cacheBefore: cache, grown: grownBy(known, reading) }
    pieces.push({ from, add: (open) => withReading(open, reading, context) })
    known = { last: { ...reading, at: from }, failures: 0, lastAttemptAt: from }
    cache = countedBy(reading, cache)
  }
  return { pieces, cache }
}
