// The cells of an awake timeline: each shows one state, so that the chart is as full as the time was.
//
// 1. A cell shows the state that fills most of it: awake, asleep, unknown, or absent before the compute was created.
// 2. An awake interval that fills most of no cell is drawn in the cell that it fills most: a wake of a second is visible.
// 3. Of the awake cells as many are idle tail as their time was, although a tail of five minutes fills most of no half hour.
import type { LikelyAwakeInterval } from '../../model/ledger/ledger.ts'
import { instant, latest, type Instant, type Interval } from '../../model/units.ts'

export type AwakeTimeline = Readonly<{
  span: Interval
  /** Creation of the compute; absent where it is older than the span. */
  existsFrom?: Instant
  /** Nothing is known before. */
  knownFrom: Instant
  /** Nothing is known after. */
  knownUntil: Instant
  /** In order of time; they may extend beyond the span. */
  intervals: readonly LikelyAwakeInterval[]
}>

/** `absent` is not drawn. */
export type CellState = 'absent' | 'asleep' | 'unknown' | 'tail' | 'busy'

/** Milliseconds by cell; typed arrays, because a page draws about thirty thousand cells. */
type CellTimes = Readonly<Record<Exclude<CellState, 'asleep'>, Float64Array>>
type MainState = Exclude<CellState, 'tail' | 'busy'> | 'awake'

/** Cells `[first, end)`. */
type CellRange = readonly [first: number, end: number]

export function timelineCells(timeline: AwakeTimeline, count: number): readonly CellState[] {
  const { span, intervals } = timeline
  const width = (span.to - span.from) / count
  const zeros = (): Float64Array => new Float64Array(count)
  const times: CellTimes = { absent: zeros(), unknown: zeros(), tail: zeros(), busy: zeros() }
  const cellsUnder = ({ from, to }: Interval): CellRange => [
    Math.max(0, Math.floor((from - span.from) / width)),
    Math.min(count, Math.ceil((to - span.from) / width)),
  ]
  const addTime = (cells: Float64Array, part: Interval): void => {
    const [first, end] = cellsUnder(part)
    for (let index = first; index < end; index += 1) {
      const cellFrom = span.from + index * width
      const time = Math.max(0, Math.min(part.to, cellFrom + width) - Math.max(part.from, cellFrom))
      cells[index] = (cells[index] ?? 0) + time
    }
  }
  addTime(times.absent, { from: span.from, to: existenceOf(timeline).from })
  for (const part of unknownIntervals(timeline)) addTime(times.unknown, part)
  for (const interval of intervals) {
    const tail = idleTailInterval(interval)
    addTime(times.tail, tail)
    addTime(times.busy, { from: interval.from, to: tail.from })
  }
  const states = Array.from({ length: count }, (_, index) => mainStateOf(times, index, width))
  for (const interval of intervals)
    if (interval.from < interval.to) markAwake(states, times, cellsUnder(interval))
  return splitAwake(states, times)
}

const awakeTimeIn = ({ busy, tail }: CellTimes, index: number) => (busy[index] ?? 0) + (tail[index] ?? 0)

function mainStateOf(times: CellTimes, index: number, width: number): MainState {
  const awake = awakeTimeIn(times, index)
  const unknown = times.unknown[index] ?? 0
  const absent = times.absent[index] ?? 0
  const asleep = width - awake - unknown - absent
  if (awake > Math.max(asleep, unknown, absent)) return 'awake'
  if (absent > Math.max(asleep, unknown)) return 'absent'
  return unknown > asleep ? 'unknown' : 'asleep'
}

/** Rule 2. */
function markAwake(states: MainState[], times: CellTimes, [first, end]: CellRange) {
  if (first >= end) return
  let fullest = first
  for (let index = first; index < end; index += 1) {
    if (states[index] === 'awake') return
    if (awakeTimeIn(times, index) > awakeTimeIn(times, fullest)) fullest = index
  }
  states[fullest] = 'awake'
}

/** Rule 3: tail time that is not drawn carries over to the next awake cell, so that the error stays below half a cell. */
function splitAwake(states: readonly MainState[], times: CellTimes): readonly CellState[] {
  let carried = 0
  return states.map((state, index) => {
    if (state !== 'awake') return state
    carried += (times.tail[index] ?? 0) / (awakeTimeIn(times, index) || 1)
    if (carried < 1 / 2) return 'busy'
    carried -= 1
    return 'tail'
  })
}

export const idleTailInterval = ({ from, to, tail }: LikelyAwakeInterval): Interval => ({
  from: latest(from, instant(to - tail)),
  to,
})

export const unknownIntervals = (timeline: AwakeTimeline): readonly Interval[] => [
  { from: existenceOf(timeline).from, to: timeline.knownFrom },
  { from: timeline.knownUntil, to: timeline.span.to },
]

/** The part of the span in which the compute exists. */
export const existenceOf = ({ span, existsFrom = span.from }: AwakeTimeline): Interval => ({
  from: latest(span.from, existsFrom),
  to: span.to,
})
