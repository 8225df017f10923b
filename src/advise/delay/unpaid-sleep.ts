// Sleep of a compute while its autosuspend was off: a person or a job suspended it. It costs nothing, and no delay saves it.
import { duration, intersect, overlap, overlaps } from '../../ledger/interval-math.ts'
import { union } from '../../model/time.ts'
import { after, latest, SECOND, seconds, type Interval } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { mapBounds } from '../../model/ledger/quantities.ts'
import { costedInterval } from '../awake-time.ts'
import type { AdviseInput } from '../input.ts'
import type { ObservedGap, ObservedGaps } from './observed-gaps.ts'

type SleepInput = Pick<AdviseInput, 'settings' | 'intervals' | 'entry' | 'now'>

/** In order; between known awake time, and since the last of it where the compute sleeps. */
export function unpaidSleep(input: SleepInput): readonly Interval[] {
  const { settings, entry, now } = input
  const off = settings.flatMap(({ since, delay }, index) =>
    delay === 'never' ? [{ from: since, to: settings[index + 1]?.since ?? now }] : [],
  )
  if (off.length === 0) return []
  const awake = awakeSpans(input)
  const asleepSince = entry.compute.state === 'idle' ? awake.at(-1)?.to : undefined
  const asleep = [
    ...awake.slice(1).map((next, index) => ({ from: awake[index]?.to ?? next.from, to: next.from })),
    ...(asleepSince === undefined ? [] : [{ from: asleepSince, to: latest(asleepSince, now) }]),
  ]
  return off.flatMap((span) => asleep.map((one) => intersect(one, span)).filter((one) => duration(one) > 0))
}

/** Settled and not, in order. */
function awakeSpans({ intervals, entry }: SleepInput): readonly Interval[] {
  const { partlySettled, settledUntil, provisional } = entry
  const settled = intervals.map(costedInterval).map(({ from, to }) => ({ from, to }))
  const partly = partlySettled ? [{ from: partlySettled.interval.from.likely, to: settledUntil }] : []
  const all = [...settled, ...partly, ...provisional.map(({ likely }) => likely)]
  return union(all.filter((one) => duration(one) > 0))
}

/** Each gap by the awake time in it. */
export const withoutSleep = (observed: ObservedGaps, asleep: readonly Interval[]): ObservedGaps =>
  asleep.length === 0 ? observed : { ...observed, gaps: observed.gaps.map((gap) => paidPart(gap, asleep)) }

function paidPart(gap: ObservedGap, asleep: readonly Interval[]): ObservedGap {
  const span = { from: gap.from, to: after(gap.from, gap.length.likely) }
  const slept = sumOf(asleep, (one) => overlap(one, span)) / SECOND
  return { ...gap, length: mapBounds(gap.length, (length) => seconds(Math.max(0, length - slept))) }
}

/** Time outside of sleep. Both are in order. */
export function outsideSleep(spans: readonly Interval[], asleep: readonly Interval[]): readonly Interval[] {
  return spans.flatMap((span) => {
    const inside = asleep.filter((one) => overlaps(one, span))
    const starts = [span.from, ...inside.map(({ to }) => to)]
    const ends = [...inside.map(({ from }) => from), span.to]
    return starts.flatMap((from, index) => {
      const to = ends[index] ?? span.to
      return from < to ? [{ from, to }] : []
    })
  })
}
