// What each cell of a strip shows.
import type { AwakeTime } from '../model/ledger.ts'
import type { Interval } from '../model/time.ts'
import { tailOf, unknownOf, useOf, type Strip } from './strip-parts.ts'

export type State = 'asleep' | 'unknown' | 'tail' | 'busy'

/** Milliseconds, cell by cell: in lists of numbers, because a page draws some thirty thousand. */
type Spent = Readonly<Record<Exclude<State, 'asleep'>, Float64Array>>

/**
 * Each what fills most of it, so that a strip is as full as the time was. A stretch that fills the most of none is drawn in
 * the cell that it fills most: a wake of a second is to be seen.
 */
export function cellsOf(strip: Strip, count: number): readonly State[] {
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
  for (const part of unknownOf(strip)) spend(spent.unknown, part)
  for (const stretch of stretches) {
    spend(spent.tail, tailOf(stretch))
    spend(spent.busy, useOf(stretch))
  }
  const states = Array.from({ length: count }, (_, index) => stateOf(spent, index, width))
  for (const stretch of stretches) showIn(states, spent, { stretch, under: under(stretch) })
  return states
}

const awakeIn = ({ busy, tail }: Spent, index: number): number => (busy[index] ?? 0) + (tail[index] ?? 0)

function stateOf(spent: Spent, index: number, width: number): State {
  const awake = awakeIn(spent, index)
  const unknown = spent.unknown[index] ?? 0
  const asleep = width - awake - unknown
  if (awake > Math.max(asleep, unknown)) return awakeState(spent, index)
  return unknown > asleep ? 'unknown' : 'asleep'
}

const awakeState = ({ busy, tail }: Spent, index: number): State =>
  (busy[index] ?? 0) < (tail[index] ?? 0) ? 'tail' : 'busy'

type Drawn = { readonly stretch: AwakeTime; readonly under: readonly [first: number, end: number] }

function showIn(states: State[], spent: Spent, { stretch, under: [first, end] }: Drawn): void {
  if (stretch.to <= stretch.from || first >= end) return
  let fullest = first
  for (let index = first; index < end; index += 1) {
    if (states[index] === 'busy' || states[index] === 'tail') return
    if (awakeIn(spent, index) > awakeIn(spent, fullest)) fullest = index
  }
  states[fullest] = awakeState(spent, fullest)
}
