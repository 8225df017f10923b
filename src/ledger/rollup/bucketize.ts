// Distributes time and samples over buckets of a fixed length, in one walk in order of time.
import type { OpenRollup, Rollup, RollupState, CulpritShare } from '../../model/ledger/rollup.ts'
import { after, earliest, HOUR, instant, millis, ratio, type Instant } from '../../model/units.ts'
import { overlap } from '../interval-math.ts'
import type { StateSpan } from './state-spans.ts'

/** A value of one instant. */
type Sample = Readonly<{ from: Instant; add: (open: OpenRollup) => OpenRollup }>
export type RollupPiece = StateSpan | Sample
type Buckets = Pick<Rollup, 'ref' | 'length'>
type Track = Pick<RollupState, 'asleep'> & { readonly open: OpenRollup | undefined }
type Walk = { -readonly [Key in keyof Track]: Track[Key] } & { readonly closed: Rollup[] } & Buckets

/** Step back in time that shows a clock set back, ms: a repeated fact is at most an hour old. */
const SET_BACK = HOUR

/** Later, or so much earlier that a clock was set back. */
export const isLater = (at: Instant, last: Instant | undefined): boolean =>
  last === undefined || at > last || last - at > SET_BACK

/** @param pieces in order of time */
export function bucketize(
  track: Track,
  pieces: readonly RollupPiece[],
  { isDeleted, ...buckets }: Buckets & { isDeleted: boolean },
): Track & { readonly closed: readonly Rollup[] } {
  const walk: Walk = { ...track, closed: [], ...buckets }
  for (const piece of pieces) {
    if ('add' in piece) walk.open = piece.add(bucketAt(walk, piece.from))
    else if (piece.state === 'idle') addAsleep(walk, piece)
    else addAwake(walk, piece)
  }
  if (isDeleted) {
    close(walk)
    walk.asleep = undefined
  }
  return walk
}

/** Asleep time begins no bucket, so that a sleeping compute leaves no rows. */
function addAsleep(walk: Walk, { from, to }: StateSpan): void {
  const { asleep, open } = walk
  walk.asleep = { from: asleep?.to === from ? asleep.from : from, to }
  if (!open) return
  walk.open = addTime(
    open,
    { state: 'idle' },
    overlap({ from, to }, { from: open.from, to: endOf(walk, open) }),
  )
  if (to >= endOf(walk, open)) close(walk)
}

function addAwake(walk: Walk, span: StateSpan): void {
  const { from, to } = span
  let at: number = from
  while (at < to) {
    const open = bucketAt(walk, instant(at))
    const end = Math.min(to, endOf(walk, open))
    walk.open = addTime(open, span, Math.max(0, end - Math.max(at, open.from)))
    at = Math.max(end, at + 1)
  }
  walk.asleep = undefined
}

/** The bucket that holds `at`; a late piece counts in the bucket in progress. */
function bucketAt(walk: Walk, at: Instant): OpenRollup {
  const { open, length, asleep } = walk
  if (open && at < endOf(walk, open) && open.from - at <= SET_BACK) return open
  // A bucket in the future, begun by a wrong clock, is dropped.
  if (open && at >= endOf(walk, open)) close(walk)
  const bucket = { ...EMPTY_BUCKET, from: instant(Math.floor(at / (length * 1000)) * length * 1000) }
  if (!asleep) return bucket
  const slept = { from: asleep.from, to: earliest(asleep.to, at) }
  return addTime(bucket, { state: 'idle' }, overlap(slept, { from: bucket.from, to: endOf(walk, bucket) }))
}

const endOf = ({ length }: Walk, { from }: OpenRollup) => after(from, length)

type SpanKind = Pick<StateSpan, 'state'> & Partial<Pick<StateSpan, 'followed'>>

const addTime = (open: OpenRollup, { state, followed = false }: SpanKind, time: number): OpenRollup => ({
  ...open,
  time: { ...open.time, [state]: millis(open.time[state] + time) },
  followed: followed ? millis(open.followed + time) : open.followed,
})

const EMPTY_BUCKET: Omit<OpenRollup, 'from'> = {
  time: { init: millis(0), active: millis(0), idle: millis(0) },
  followed: millis(0),
  readings: 0,
  size: undefined,
  connections: undefined,
  connectionLimit: undefined,
  idleAtSuspension: undefined,
  cache: undefined,
  cacheUsed: undefined,
  cacheLimit: undefined,
  workingSet: undefined,
  use: undefined,
  longestTransaction: undefined,
  attribution: {},
}

function close(walk: Walk): void {
  const { open, closed } = walk
  if (!open) return
  closed.push(closeRollup(open, walk))
  walk.open = undefined
}

/** Culprits of a closed bucket. */
const MAX_CULPRITS = 5

export const closeRollup = ({ attribution, ...sums }: OpenRollup, { ref, length }: Buckets): Rollup => ({
  ...sums,
  ref,
  length,
  culprits: culpritsOf(attribution),
})

function culpritsOf(attribution: OpenRollup['attribution']): readonly CulpritShare[] {
  const shares = Object.entries(attribution)
  const sum = shares.reduce((total, [, time]) => total + time, 0)
  return shares
    .toSorted(([a, most], [b, less]) => less - most || (a < b ? -1 : 1))
    .slice(0, MAX_CULPRITS)
    .map(([culprit, time]) => ({ culprit, share: ratio(Math.round((time / sum) * 1000) / 1000) }))
}
