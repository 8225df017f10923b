// One walk along time that puts each piece into the stretch of fixed length it falls in.
import type { ComputeRef } from '../../model/service/compute.ts'
import type { OpenRollup, Rollup, RollupState, CulpritShare } from '../../model/ledger/rollup.ts'
import { instant, millis, type Instant, type Seconds, ratio } from '../../model/units.ts'
import type { StateSpan } from './state-spans.ts'

/** Something true of one instant. */
type Sample = { readonly from: Instant; readonly add: (open: OpenRollup) => OpenRollup }
export type RollupPiece = StateSpan | Sample

type Track = Pick<RollupState, 'asleep'> & { readonly open: OpenRollup | undefined }
type Walk = { -readonly [Key in keyof Track]: Track[Key] } & {
  readonly closed: Rollup[]
  readonly ref: ComputeRef
  readonly length: Seconds
}

/**
 * A time that lies further back than this, milliseconds, is no fact told twice but a clock that was set back. Doubled, a
 * clock that was wrong by more than an hour leaves a longer hole.
 */
const SET_BACK = 3_600_000

/** Whether `at` tells something new after `last`. */
export const isLater = (at: Instant, last: Instant | undefined): boolean =>
  last === undefined || at > last || last - at > SET_BACK

/** @param pieces in order of time */
export function bucketize(
  track: Track,
  pieces: readonly RollupPiece[],
  { ref, length, isGone }: { readonly ref: ComputeRef; readonly length: Seconds; readonly isGone: boolean },
): Track & { readonly closed: readonly Rollup[] } {
  const walking: Walk = { ...track, closed: [], ref, length }
  for (const piece of pieces) {
    if ('add' in piece) walking.open = piece.add(reach(walking, piece.from))
    else if (piece.state === 'idle') sleep(walking, piece)
    else stay(walking, piece)
  }
  if (isGone) {
    close(walking)
    walking.asleep = undefined
  }
  return walking
}

/** Sleep begins no stretch, so that a sleeping compute leaves no rows. */
function sleep(walking: Walk, { from, to }: StateSpan): void {
  const { asleep, open } = walking
  walking.asleep = { from: asleep?.to === from ? asleep.from : from, to }
  if (!open) return
  walking.open = withTime(open, 'idle', overlap(walking, open, { from, to }))
  if (to >= endOf(walking, open)) close(walking)
}

function stay(walking: Walk, { state, from, to }: StateSpan): void {
  let at: number = from
  while (at < to) {
    const open = reach(walking, instant(at))
    const end = Math.min(to, endOf(walking, open))
    walking.open = withTime(open, state, Math.max(0, end - Math.max(at, open.from)))
    at = Math.max(end, at + 1)
  }
  walking.asleep = undefined
}

/** The stretch that holds `at`; what comes late counts in the one that goes on. */
function reach(walking: Walk, at: Instant): OpenRollup {
  const { open, length, asleep } = walking
  if (open && at < endOf(walking, open) && open.from - at <= SET_BACK) return open
  // One that lies in a future that a wrong clock told is dropped.
  if (open && at >= endOf(walking, open)) close(walking)
  const fresh = { ...NOTHING, from: instant(Math.floor(at / (length * 1000)) * length * 1000) }
  if (!asleep) return fresh
  const slept = { from: asleep.from, to: instant(Math.min(asleep.to, at)) }
  return withTime(fresh, 'idle', overlap(walking, fresh, slept))
}

const endOf = ({ length }: Walk, { from }: OpenRollup): number => from + length * 1000

const overlap = (
  walking: Walk,
  open: OpenRollup,
  { from, to }: { readonly from: Instant; readonly to: Instant },
): number => Math.max(0, Math.min(to, endOf(walking, open)) - Math.max(from, open.from))

const withTime = (open: OpenRollup, state: StateSpan['state'], span: number): OpenRollup => ({
  ...open,
  time: { ...open.time, [state]: millis(open.time[state] + span) },
})

const NOTHING: Omit<OpenRollup, 'from'> = {
  time: { init: millis(0), active: millis(0), idle: millis(0) },
  readings: 0,
  size: undefined,
  connections: undefined,
  cache: undefined,
  cacheUsed: undefined,
  workingSet: undefined,
  use: undefined,
  longestTransaction: undefined,
  attribution: {},
}

function close(walking: Walk): void {
  const { open, closed } = walking
  if (!open) return
  closed.push(closeRollup(open, walking))
  walking.open = undefined
}

/** How many culprits are kept. */
const MOST_CULPRITS = 5

export const closeRollup = (
  { attribution, ...sums }: OpenRollup,
  { ref, length }: { readonly ref: ComputeRef; readonly length: Seconds },
): Rollup => ({ ...sums, ref, length, culprits: culpritsOf(attribution) })

function culpritsOf(held: OpenRollup['attribution']): readonly CulpritShare[] {
  const all = Object.entries(held)
  const sum = all.reduce((total, [, time]) => total + time, 0)
  return all
    .toSorted(([a, most], [b, less]) => less - most || (a < b ? -1 : 1))
    .slice(0, MOST_CULPRITS)
    .map(([culprit, time]) => ({ culprit, share: ratio(Math.round((time / sum) * 1000) / 1000) }))
}
