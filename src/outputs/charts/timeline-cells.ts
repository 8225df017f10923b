// The cells of an awake timeline: each shows one state, so that the chart is as full as the time was.
//
// 1. A cell shows the state that fills most of it: awake, asleep or unknown.
// 2. An awake interval that fills most of no cell is drawn in the cell that it fills most: a wake of a second is visible.
// 3. Of the awake cells as many are idle tail as their time was, although a tail of five minutes fills most of no half hour.
import type { LikelyAwakeInterval } from '../../model/ledger/ledger.ts'
import { instant, latest, type Instant, type Interval } from '../../model/units.ts'

export type AwakeTimeline = Readonly<{
  span: Interval
  /** Nothing is known before. */
  knownFrom: Instant
  /** Nothing is known after. */
  knownUntil: Instant
  /** In order of time; they may extend beyond the span. */
  intervals: readonly LikelyAwakeInterval[]
}>

export type CellState = 'asleep' | 'unknown' | 'tail' | 'busy'

/** Milliseconds by cell; typed arrays, because a page draws about thirty thousand cells. */
type CellTimes = Readonly<Record<Exclude<CellState, 'asleep'>, Float64Array>>
type MainState = Exclude<CellState, 'tail' | 'busy'> | 'awake'

/** Cells `[first, end)`. */
type CellRange = readonly [first: number, end: number]

export function timelineCells(timeline: AwakeTimeline, count: number): readonly CellState[] {
  const { span, intervals } = timeline
  const width = (span.to - span.from) / count
  const zeros = (): Float64Array => new Float64Array(count)
  const times: CellTimes = { unknown: zeros(), tail: zeros(), busy: zeros() }
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
  const asleep = width - awake - unknown
  if (awake > Math.max(asleep, unknown)) return 'awake'
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

export const unknownIntervals = ({ span, knownFrom, knownUntil }: AwakeTimeline): readonly Interval[] => [
  { from: span.from, to: knownFrom },
  { from: knownUntil, to: span.to },
]
