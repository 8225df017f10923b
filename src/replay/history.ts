// Delays replayed over the gaps of one compute.
import { awakeInGap, lengthBounds, wakesUnder } from '../advise/backtest.ts'
import type { AutosuspendDelay } from '../model/service/compute.ts'
import { DAY, seconds, type Instant, type Seconds } from '../model/units.ts'
import { sumOf } from '../std/sum.ts'

type RecordedGap = Readonly<{ from: Instant; low: Seconds; high: Seconds; hiddenBelow: Seconds }>

/** What a delay would have cost: each length in a gap's bounds is as likely. */
export type ReplayedDelay = Readonly<{
  delay: AutosuspendDelay
  /** Awake time without client activity. */
  idle_seconds_per_day: number
  wakes_per_day: number
  /** Some gaps longer than the delay could not have been seen: both figures are too low. */
  is_hidden: boolean
}>

/** Delays that are shown beside the one in question, seconds. */
const CURVE = [60, 120, 180, 300, 600, 900, 1800, 3600].map(seconds)

/** Ascending; undefined without gaps. */
export function replayGaps(
  gaps: readonly RecordedGap[],
  asked: AutosuspendDelay,
): Readonly<{ days: number; delays: readonly ReplayedDelay[] }> | undefined {
  const judged = gaps.map((gap) => ({ from: gap.from, length: lengthBounds(gap) }))
  const [first, last] = [judged[0], judged.at(-1)]
  if (!first || !last) return undefined
  const days = (last.from + last.length.likely * 1000 - first.from) / DAY
  const hiddenBelow = gaps.reduce((most, gap) => Math.max(most, gap.hiddenBelow), 0)
  const delays = [...new Set<AutosuspendDelay>([...CURVE, asked, 'never'])]
    .toSorted((a, b) => lengthOf(a) - lengthOf(b))
    .map((delay) => ({
      delay,
      idle_seconds_per_day: sumOf(judged, (gap) => awakeInGap(gap.length, delay).likely) / days,
      wakes_per_day: wakesUnder(judged, delay) / days,
      is_hidden: lengthOf(delay) < hiddenBelow,
    }))
  return { days, delays }
}

const lengthOf = (delay: AutosuspendDelay) => (delay === 'never' ? Infinity : delay)
