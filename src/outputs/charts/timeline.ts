// The chart of when a compute was awake: a row of cells as SVG, and its sums.
import type { Zone } from '../../calendar/zone.ts'
import type { Interval } from '../../model/time.ts'
import { millis, type Instant, type Millis } from '../../model/units.ts'
import { overlap } from '../../ledger/interval-math.ts'
import { timelineCells, type CellState } from './timeline-cells.ts'
import { html, type Html } from '../text/html.ts'
import { idleTailInterval, unknownIntervals, type AwakeTimeline } from './timeline-data.ts'
import { spanText } from '../text/amounts.ts'

export type { AwakeTimeline } from './timeline-data.ts'

const STATES: readonly CellState[] = ['asleep', 'unknown', 'tail', 'busy']

/** Vertical centre of each state in a height of 16. The style sheet has the heights: states differ in height, not in colour alone. */
const CENTRES: Readonly<Record<CellState, number>> = { asleep: 15, unknown: 13, tail: 12, busy: 8 }

/**
 * Cells as SVG, a path per state.
 *
 * @param cells number of cells in the span: 288 in a day are 5 minutes each
 */
export function timelineSvg(
  timeline: AwakeTimeline,
  { cells, dayOf }: { readonly cells: number; readonly dayOf: Zone['dayOf'] },
): Html {
  const states = timelineCells(timeline, cells)
  const paths = STATES.map((state) => pathSvg(state, runsPath(states, state)))
  return html`<svg class="timeline" viewBox="0 0 ${cells} 16" preserveAspectRatio="none" role="img">
    <title>${timelineText(timeline)}</title>
    ${pathSvg('day', marksPath(dayMarks(timeline.span, dayOf), timeline.span, cells))} ${paths}
    ${restartSvg(raised(marksPath(restarts(timeline), timeline.span, cells)))}
  </svg>`
}

const pathSvg = (name: string, path: string): Html | false =>
  path !== '' && html`<path class="${name}" d="${path}" />`

/** With an edge, and higher than the states: inside a busy interval its colour alone would be invisible. */
const restartSvg = (path: string): Html => html`${pathSvg('edge', path)}${pathSvg('restart', path)}`

const raised = (path: string): string => path.replaceAll(' 0v16', ' -4v20')

/** `awake 3.2 h of 24 h, 12 min of it idle tail`. */
export function timelineText(timeline: AwakeTimeline): string {
  const { awake, tail, unknown } = timelineSums(timeline)
  const parts = [
    `awake ${spanText(awake)} of ${spanText(timeline.span.to - timeline.span.from)}`,
    ...(tail > 0 ? [`${spanText(tail)} of it idle tail`] : []),
    ...(unknown > 0 ? [`${spanText(unknown)} not known`] : []),
  ]
  return parts.join(', ')
}

/** Milliseconds within the span. */
export function timelineSums(timeline: AwakeTimeline): {
  readonly awake: Millis
  readonly tail: Millis
  readonly unknown: Millis
} {
  const { span } = timeline
  const sum = (parts: readonly Interval[]): Millis =>
    millis(parts.reduce((total, part) => total + overlap(part, span), 0))
  return {
    awake: sum(timeline.intervals),
    tail: sum(timeline.intervals.map(idleTailInterval)),
    unknown: sum(unknownIntervals(timeline)),
  }
}

/** `M0 8m3 0h2m7 0h1`: each run starts relative to the end of the run before, which is the shortest notation. */
function runsPath(states: readonly CellState[], state: CellState): string {
  let path = ''
  let end = 0
  for (let index = 0; index < states.length; index += 1) {
    if (states[index] !== state) continue
    const from = index
    while (states[index] === state) index += 1
    path += `m${from - end} 0h${index - from}`
    end = index
  }
  return path && `M0 ${CENTRES[state]}${path}`
}

const restarts = ({ intervals }: AwakeTimeline): readonly Instant[] =>
  intervals.filter(({ restart }) => restart).map(({ from }) => from)

/** Starts of days inside the interval; days have 23 to 25 hours. */
export function dayMarks({ from, to }: Interval, dayOf: Zone['dayOf']): readonly Instant[] {
  const marks: Instant[] = []
  for (let mark = dayOf(from).to; mark < to; mark = dayOf(mark).to) marks.push(mark)
  return marks
}

const marksPath = (marks: readonly Instant[], { from, to }: Interval, cells: number): string =>
  [...new Set(marks.filter((at) => at >= from).map((at) => Math.round(((at - from) / (to - from)) * cells)))]
    .map((x) => `M${x} 0v16`)
    .join('')
