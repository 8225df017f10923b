// Lives of computes that existed for hours, such as those of preview branches, as the defaults of their project are judged by them.
//
// 1. A life counts if it was shorter than the history that recommendations of a compute need, and ended in the last 28 days.
// 2. For the default delay it counts if it was followed from its start and had no delay of its own; for the default size if it had that size
//    whenever it was looked at: a size of its own that is the same cannot be told from it.
// 3. Its gaps end with a client, but the last one with the deletion, which brings no wake.
import { MAX_FOLLOWED_STEP, MIN_GAP, type Gap, type ObservedSetting } from '../../model/ledger/gap.ts'
import { isSameSizing, largestCu, type Sizing } from '../../model/service/compute.ts'
import {
  earliest,
  HOUR,
  instant,
  SECOND,
  seconds,
  type Instant,
  type Interval,
  type Seconds,
} from '../../model/units.ts'
import { costedInterval, type CostedInterval } from '../awake-time.ts'
import { lengthBounds } from '../backtest.ts'
import { HISTORY_SECONDS } from '../delay/choose.ts'
import type { ObservedGap } from '../delay/observed-gaps.ts'
import type { ComputeLife, DefaultsInput } from './input.ts'

/** `[from, to)`: from the first start until the deletion. */
export type ShortLife = Interval &
  Readonly<{
    gaps: readonly ObservedGap[]
    awake: readonly CostedInterval[]
    settings: readonly ObservedSetting[]
    steps: ComputeLife['steps']
    /** Followed from its start, without a delay of its own. */
    restsOnDelay: boolean
  }>

/** Time after a deletion until all awake intervals of the life are settled and stored, 1 h: operations are listed 15 minutes late. */
const SETTLED_AFTER = HOUR

/** Lives that ended later are not known to their end. */
export const settledUntil = ({ now }: Pick<DefaultsInput, 'now'>): Instant => instant(now - SETTLED_AFTER)

/** Whether it had this size all the time. */
export const hadSize = ({ settings }: Pick<ShortLife, 'settings'>, sizing: Sizing): boolean =>
  settings.every((seen) => isSameSizing(seen.sizing, sizing))

/** Oldest first. @param since lives that ended before are left out */
export const livesSince = (input: DefaultsInput, since: Instant): readonly ShortLife[] =>
  input.lives.flatMap((life) =>
    life.deletedAt > since && life.deletedAt <= settledUntil(input) ? shortLife(life, input) : [],
  )

/** Start of the time that lives are judged in. */
export const judgedSince = ({ now }: Pick<DefaultsInput, 'now'>): Instant =>
  instant(now - HISTORY_SECONDS * SECOND)

function shortLife(life: ComputeLife, { needs, plan }: DefaultsInput): readonly ShortLife[] {
  const { settings, deletedAt, intervals, steps } = life
  const [start, seen] = [intervals[0]?.interval.from.likely, settings[0]?.since]
  if (start === undefined || seen === undefined) return []
  const from = earliest(start, seen)
  if (deletedAt - from >= needs.minHistory * SECOND) return []
  const isOwn = settings.some(({ isOwnDelay }) => isOwnDelay)
  const isTooLarge = settings.some(({ sizing }) => largestCu(sizing) > (plan?.largestSuspending ?? Infinity))
  const restsOnDelay = isFollowed(life, start) && !isOwn && !isTooLarge
  const awake = intervals.map(costedInterval)
  return [{ from, to: deletedAt, gaps: gapsOfLife(life), awake, settings, steps, restsOnDelay }]
}

/** Looks began right after the start, and hid no gap. */
const isFollowed = ({ settings, gaps }: ComputeLife, start: Instant): boolean =>
  (settings[0]?.since ?? Infinity) <= start + MAX_FOLLOWED_STEP * SECOND &&
  gaps.every(({ hiddenBelow }) => hiddenBelow === 0)

/**
 * Over suspensions and up to the deletion by the awake intervals, which are settled after a deletion, too; inside awake time the stored ones.
 * In order.
 */
function gapsOfLife({ gaps, intervals, deletedAt }: ComputeLife): readonly ObservedGap[] {
  const spans = usedSpans(intervals)
  return spans.flatMap(({ from, to, usedUntil }, index) => {
    const next = spans[index + 1]
    const inside = gaps.filter((gap) => gap.from >= from - SECOND && endOf(gap) <= to + SECOND)
    const ending = next
      ? gapOf(usedUntil, next.from)
      : gapOf(usedUntil, deletedAt).map((gap) => ({ ...gap, isLast: true as const }))
    return [...inside.map((gap) => ({ ...OBSERVED, from: gap.from, length: lengthBounds(gap) })), ...ending]
  })
}

type UsedSpan = Interval & { readonly usedUntil: Instant }

/** Awake time, which a restart does not divide: no client causes one. In order. */
function usedSpans(intervals: ComputeLife['intervals']): readonly UsedSpan[] {
  const spans: UsedSpan[] = []
  for (const settled of intervals) {
    const { from, to } = costedInterval(settled)
    const before = settled.interval.restart ? spans.pop() : undefined
    const isUsed = settled.idleTail < to - from
    const usedUntil = before && !isUsed ? before.usedUntil : instant(to - settled.idleTail)
    spans.push({ from: before?.from ?? from, to, usedUntil })
  }
  return spans
}

const endOf = ({ from, low, high }: Gap): number => from + ((low + high) / 2) * SECOND

const OBSERVED = { isOpen: false, isFollowed: true, hiddenBelow: 0 }

/** None that is too short to count. */
function gapOf(from: Instant, to: Instant): readonly ObservedGap[] {
  const length: Seconds = seconds((to - from) / SECOND)
  return length < MIN_GAP
    ? []
    : [{ ...OBSERVED, from, length: { low: length, likely: length, high: length } }]
}
