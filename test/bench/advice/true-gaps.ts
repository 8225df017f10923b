// What is true of a recorded life: its gaps, what each delay would have cost over them, and how the daemon's gaps compare.
import type { Gap } from '../../../src/model/ledger/gap.ts'
import type { AutosuspendDelay } from '../../../src/model/service/compute.ts'
import { sumOf } from '../../../src/std/sum.ts'
import type { LifeOfCompute, Span } from './lives.ts'
import { START } from './run-account.ts'

/** Gaps that have ended until then, seconds from the start; the time before the first activity is none. */
export function trueGaps({ active }: LifeOfCompute, until: number): readonly Span[] {
  return active.flatMap(({ to }, at) => {
    const next = active[at + 1]
    return next && next.from <= until ? [{ from: to, to: next.from }] : []
  })
}

/** The gap in progress then; undefined before the first activity and while active. */
function gapInProgress({ active }: LifeOfCompute, until: number): Span | undefined {
  const last = active.findLast(({ from }) => from < until)
  return last && last.to < until ? { from: last.to, to: until } : undefined
}

export const lengthOf = ({ from, to }: Span): number => to - from

const awakeIn = (gap: number, delay: AutosuspendDelay): number =>
  delay === 'never' ? gap : Math.min(gap, delay)

/** Awake time under a delay and the price of its wakes, seconds, until then; the first start is free. */
export function trueCost(
  life: LifeOfCompute,
  delay: AutosuspendDelay,
  { until, wakeCost }: { until: number; wakeCost: number },
): number {
  const gaps = trueGaps(life, until).map(lengthOf)
  const tail = gapInProgress(life, until)
  const active = sumOf(life.active, ({ from, to }) => Math.max(0, Math.min(to, until) - from))
  const wakes = delay === 'never' ? 0 : gaps.filter((gap) => gap > delay).length
  return (
    active +
    sumOf(gaps, (gap) => awakeIn(gap, delay)) +
    (tail ? awakeIn(lengthOf(tail), delay) : 0) +
    wakes * wakeCost
  )
}

/** Awake seconds that a change of delay saves within a time; a gap in progress then ends with it. */
export function trueSaving(
  life: LifeOfCompute,
  { from, to }: Readonly<Record<'from' | 'to', AutosuspendDelay>>,
  within: Span,
): number {
  const tail = gapInProgress(life, within.to)
  const gaps = [...trueGaps(life, within.to), ...(tail ? [tail] : [])]
  return sumOf(gaps, (gap) => {
    const ends = [from, to].map((delay) => gap.from + awakeIn(lengthOf(gap), delay))
    const clipped = ends.map((end) => Math.min(within.to, Math.max(within.from, end)))
    return (clipped[0] ?? 0) - (clipped[1] ?? 0)
  })
}

/** Recorded gaps beside the true ones of `MIN_JUDGED` and more. */
export type GapVerdict = Readonly<{
  /** True ones. */
  all: number
  recorded: number
  /** Whose length is inside the bounds of the recorded one. */
  inside: number
  /** Recorded ones that belong to no true one, or to one that is recorded already. */
  invented: number
}>

/** Seconds: two steps of the grid of delays. Looks a minute apart cannot show each shorter gap. */
const MIN_JUDGED = 120

/** A recorded gap belongs to the true one that has its middle. */
export function judgeGaps(life: LifeOfCompute, recorded: readonly Gap[], until: number): GapVerdict {
  const gaps = trueGaps(life, until)
  const byTruth = Map.groupBy(recorded, ({ from, low, high }) => {
    const middle = (from - START) / 1000 + (low + high) / 4
    return gaps.find((gap) => middle >= gap.from && middle <= gap.to)
  })
  const found = gaps.flatMap((gap) => {
    const [first] = byTruth.get(gap) ?? []
    return first && lengthOf(gap) >= MIN_JUDGED ? [{ length: lengthOf(gap), ...first }] : []
  })
  return {
    all: gaps.filter((gap) => lengthOf(gap) >= MIN_JUDGED).length,
    recorded: found.length,
    inside: found.filter(({ length, low, high }) => length >= low && length <= high).length,
    invented: recorded.length - [...byTruth].filter(([gap]) => gap).length,
  }
}

export const sumVerdicts = (verdicts: readonly GapVerdict[]): GapVerdict => ({
  all: sumOf(verdicts, ({ all }) => all),
  recorded: sumOf(verdicts, ({ recorded }) => recorded),
  inside: sumOf(verdicts, ({ inside }) => inside),
  invented: sumOf(verdicts, ({ invented }) => invented),
})
