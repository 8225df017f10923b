// What each cell of a strip shows.
import type { LikelyAwakeInterval } from '../../model/ledger/ledger.ts'
import type { Interval } from '../../model/time.ts'
import { idleTailInterval, unknownIntervals, activeInterval, type AwakeTimeline } from './timeline-data.ts'

export type CellState = 'asleep' | 'unknown' | 'tail' | 'busy'

/** Milliseconds, cell by cell: in lists of numbers, because a page draws some thirty thousand. */
type Spent = Readonly<Record<Exclude<CellState, 'asleep'>, Float64Array>>

/** What fills most of a cell. */
type Filled = Exclude<CellState, 'tail' | 'busy'> | 'awake'

/**
 * Each what fills most of it, so that a strip is as full as the time was. A stretch that fills the most of none is drawn in
 * the cell that it fills most: a wake of a second is to be seen. Of the cells that are awake as many are idle tail as their time
 * was, although a tail of five minutes fills the most of no half hour.
 */
export function timelineCells(strip: AwakeTimeline, count: number): readonly CellState[] {
  const { span, stretches } = strip
  const width = (span.to - span.from) / count
  const spent: Spent = {
    unknown: new Float64Array(count),
    tail: new Float64Array(count),
    busy: new Float64Array(count),
  }
  const under = ({ from, to }: Interval): readonly [first: number, end: number] => [
    Math.max(0, Math.floor((from - span.from) / width)),
    Math.min(count, Math.ceil((to - span.from) / width)),
  ]
  const spend = (cells: Float64Array, part: Interval): void => {
    const [first, end] = under(part)
    for (let index = first; index < end; index += 1) {
      const begin = span.from + index * width
      const time = Math.max(0, Math.min(part.to, begin + width) - Math.max(part.from, begin))
      cells[index] = (cells[index] ?? 0) + time
    }
  }
  for (const part of unknownIntervals(strip)) spend(spent.unknown, part)
  for (const stretch of stretches) {
    spend(spent.tail, idleTailInterval(stretch))
    spend(spent.busy, activeInterval(stretch))
  }
  const filled: Filled[] = []
  for (let index = 0; index < count; index += 1) filled.push(fillOf(spent, index, width))
  for (const stretch of stretches) showIn(filled, spent, { stretch, under: under(stretch) })
  return statesOf(filled, spent)
}

const awakeIn = ({ busy, tail }: Spent, index: number): number => (busy[index] ?? 0) + (tail[index] ?? 0)

function fillOf(spent: Spent, index: number, width: number): Filled {
  const awake = awakeIn(spent, index)
  const unknown = spent.unknown[index] ?? 0
  const asleep = width - awake - unknown
  if (awake > Math.max(asleep, unknown)) return 'awake'
  return unknown > asleep ? 'unknown' : 'asleep'
}

type Drawn = { readonly stretch: LikelyAwakeInterval; readonly under: readonly [first: number, end: number] }

function showIn(filled: Filled[], spent: Spent, { stretch, under: [first, end] }: Drawn): void {
  if (stretch.to <= stretch.from || first >= end) return
  let fullest = first
  for (let index = first; index < end; index += 1) {
    if (filled[index] === 'awake') return
    if (awakeIn(spent, index) > awakeIn(spent, fullest)) fullest = index
  }
  filled[fullest] = 'awake'
}

/** What is left over of a tail that is not drawn counts for the next: what is owed stays under half a cell, either way. */
function statesOf(filled: readonly Filled[], spent: Spent): readonly CellState[] {
  let owed = 0
  return filled.map((fill, index) => {
    if (fill !== 'awake') return fill
    owed += (spent.tail[index] ?? 0) / (awakeIn(spent, index) || 1)
    if (owed < 1 / 2) return 'busy'
    owed -= 1
    return 'tail'
  })
}
