// When a compute was awake, as a strip of cells: what is drawn, and the same as numbers.
import type { Zone } from '../../calendar/zone.ts'
import type { Interval } from '../../model/time.ts'
import { millis, type Instant, type Millis } from '../../model/units.ts'
import { timelineCells, type CellState } from './timeline-cells.ts'
import { html, type Html } from '../text/html.ts'
import { idleTailInterval, unknownIntervals, type AwakeTimeline } from './timeline-data.ts'
import { spanText } from '../text/amounts.ts'

export type { AwakeTimeline } from './timeline-data.ts'

const STATES: readonly CellState[] = ['asleep', 'unknown', 'tail', 'busy']

/** Where in its height of 16 each is drawn, and how high that is says the style: they differ in height, not in colour alone. */
const MIDDLE: Readonly<Record<CellState, number>> = { asleep: 15, unknown: 13, tail: 12, busy: 8 }

/**
 * A path per state.
 *
 * @param cells of the whole span: 288 are 5 minutes of a day
 */
export function timelineSvg(
  strip: AwakeTimeline,
  { cells, dayOf }: { readonly cells: number; readonly dayOf: Zone['dayOf'] },
): Html {
  const states = timelineCells(strip, cells)
  const paths = STATES.map((state) => pathSvg(state, runsPath(states, state)))
  return html`<svg class="strip" viewBox="0 0 ${cells} 16" preserveAspectRatio="none" role="img">
    <title>${timelineText(strip)}</title>
    ${pathSvg('day', marksPath(dayMarks(strip.span, dayOf), strip.span, cells))} ${paths}
    ${restartSvg(risen(marksPath(restarts(strip), strip.span, cells)))}
  </svg>`
}

const pathSvg = (what: string, path: string): Html | false =>
  path !== '' && html`<path class="${what}" d="${path}" />`

/** With an edge, and higher than all else: its colour alone would not be seen in a time of use. */
const restartSvg = (path: string): Html => html`${pathSvg('edge', path)}${pathSvg('restart', path)}`

const risen = (path: string): string => path.replaceAll(' 0v16', ' -4v20')

/** `awake 3.2 h of 24 h, 12 min of it idle tail`. */
export function timelineText(strip: AwakeTimeline): string {
  const { awake, tail, unknown } = timelineSums(strip)
  const parts = [
    `awake ${spanText(awake)} of ${spanText(strip.span.to - strip.span.from)}`,
    ...(tail > 0 ? [`${spanText(tail)} of it idle tail`] : []),
    ...(unknown > 0 ? [`${spanText(unknown)} not known`] : []),
  ]
  return parts.join(', ')
}

/** Milliseconds within the span. */
export function timelineSums(strip: AwakeTimeline): {
  readonly awake: Millis
  readonly tail: Millis
  readonly unknown: Millis
} {
  const { span } = strip
  const sum = (parts: readonly Interval[]): Millis =>
    millis(
      parts.reduce(
        (all, { from, to }) => all + Math.max(0, Math.min(to, span.to) - Math.max(from, span.from)),
        0,
      ),
    )
  return {
    awake: sum(strip.stretches),
    tail: sum(strip.stretches.map(idleTailInterval)),
    unknown: sum(unknownIntervals(strip)),
  }
}

/** `M0 8m3 0h2m7 0h1`: each run relative to the end of the one before, which is the shortest. */
function runsPath(states: readonly CellState[], state: CellState): string {
  let path = ''
  let end = 0
  for (let at = 0; at < states.length; at += 1) {
    if (states[at] !== state) continue
    const begin = at
    while (states[at] === state) at += 1
    path += `m${begin - end} 0h${at - begin}`
    end = at
  }
  return path && `M0 ${MIDDLE[state]}${path}`
}

const restarts = ({ stretches }: AwakeTimeline): readonly Instant[] =>
  stretches.filter(({ restart }) => restart).map(({ from }) => from)

/** Where days begin, as long as they are. */
export function dayMarks({ from, to }: Interval, dayOf: Zone['dayOf']): readonly Instant[] {
  const marks: Instant[] = []
  for (let mark = dayOf(from).to; mark < to; mark = dayOf(mark).to) marks.push(mark)
  return marks
}

const marksPath = (marks: readonly Instant[], { from, to }: Interval, cells: number): string =>
  [...new Set(marks.filter((at) => at >= from).map((at) => Math.round(((at - from) / (to - from)) * cells)))]
    .map((x) => `M${x} 0v16`)
    .join('')
