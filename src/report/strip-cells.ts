// What each cell of a strip shows.
import type { AwakeTime } from '../model/ledger.ts'
import type { Interval } from '../model/time.ts'
import { tailOf, unknownOf, useOf, type Strip } from './strip-parts.ts'

export type State = 'asleep' | 'unknown' | 'tail' | 'busy'

/** Milliseconds of a cell. */
type Spent = { unknown: number; tail: number; busy: number }

/**
 * Each what fills most of it, so that a strip is as full as the time was. A stretch that fills the most of none is drawn in
 * the cell that it fills most: a wake of a second is to be seen.
 */
export function cellsOf(strip: Strip, count: number): readonly State[] {
  const { span, stretches } = strip
  const width = (span.to - span.from) / count
  const spent = Array.from({ length: count }, (): Spent => ({ unknown: 0, tail: 0, busy: 0 }))
  const under = ({ from, to }: Interval): readonly [first: number, end: number] => [
    Math.max(0, Math.floor((from - span.from) / width)),
    Math.min(count, Math.ceil((to - span.from) / width)),
  ]
  const spend = (state: keyof Spent, part: Interval): void => {
    const [first, end] = under(part)
    for (let index = first; index < end; index += 1) {
      const cell = spent[index]
      const begin = span.from + index * width
      if (cell) cell[state] += Math.max(0, Math.min(part.to, begin + width) - Math.max(part.from, begin))
    }
  }
  for (const part of unknownOf(strip)) spend('unknown', part)
  for (const stretch of stretches) {
    spend('tail', tailOf(stretch))
    spend('busy', useOf(stretch))
  }
  const states = spent.map((cell) => stateOf(cell, width))
  for (const stretch of stretches) showIn(states, spent, { stretch, under: under(stretch) })
  return states
}

const awakeIn = ({ busy, tail }: Spent): number => busy + tail

function stateOf(cell: Spent, width: number): State {
  const awake = awakeIn(cell)
  const asleep = width - awake - cell.unknown
  if (awake > Math.max(asleep, cell.unknown)) return awakeState(cell)
  return cell.unknown > asleep ? 'unknown' : 'asleep'
}

const awakeState = ({ busy, tail }: Spent): State => (busy < tail ? 'tail' : 'busy')

type Drawn = { readonly stretch: AwakeTime; readonly under: readonly [first: number, end: number] }

function showIn(states: State[], spent: readonly Spent[], { stretch, under: [first, end] }: Drawn): void {
  if (stretch.to <= stretch.from) return
  let fullest: { readonly index: number; readonly cell: Spent } | undefined
  for (let index = first; index < end; index += 1) {
    if (states[index] === 'busy' || states[index] === 'tail') return
    const cell = spent[index]
    if (cell && (!fullest || awakeIn(cell) > awakeIn(fullest.cell))) fullest = { index, cell }
  }
  if (fullest) states[fullest.index] = awakeState(fullest.cell)
}
