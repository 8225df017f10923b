import type { Zone } from '../../calendar/zone.ts'
import { DAY, HOUR, millis, type Instant, type Interval } from '../../model/units.ts'
import { duration, overlap } from '../../ledger/interval-math.ts'
import {
  existenceOf,
  idleTailInterval,
  timelineCells,
  unknownIntervals,
  type AwakeTimeline,
  type CellState,
} from './timeline-cells.ts'
import { html, type Html } from '../text/html.ts'
import { spanText, dayText } from '../text/amounts.ts'
import { sumOf } from '../../std/sum.ts'

type DrawnState = Exclude<CellState, 'absent'>

const STATES: readonly DrawnState[] = ['asleep', 'unknown', 'tail', 'busy']
/** Vertical centres in a height of 16. Heights are in the style sheet: states differ in height, not in colour alone. */
const CENTRES: Readonly<Record<DrawnState, number>> = { asleep: 15, unknown: 13, tail: 12, busy: 8 }

/** @param cells in the span: 288 in a day are 5 minutes each */
export function timelineSvg(
  timeline: AwakeTimeline,
  { cells, dayOf }: Readonly<{ cells: number; dayOf: Zone['dayOf'] }>,
): Html {
  const states = timelineCells(timeline, cells)
  const paths = STATES.map((state) => pathSvg(state, runsPath(states, state)))
  return html`<svg class="timeline" viewBox="0 0 ${cells} 16" preserveAspectRatio="none" role="img">
    <title>${timelineText(timeline)}</title>
    ${pathSvg('day', marksPath(dayMarks(timeline.span, dayOf), timeline.span, cells))} ${paths}
    ${restartSvg(raised(marksPath(restarts(timeline), timeline.span, cells)))}
  </svg>`
}

const pathSvg = (name: string, path: string) => path !== '' && html`<path class="${name}" d="${path}" />`

/** With an edge, and higher than the states: inside a busy interval colour alone would be invisible. */
const restartSvg = (path: string) => html`${pathSvg('edge', path)}${pathSvg('restart', path)}`
const raised = (path: string) => path.replaceAll(' 0v16', ' -4v20')

/** `awake 3.2 h of 24 h, 12 min of it idle tail`; `awake 3.2 h of 5 h since its creation`. */
export function timelineText(timeline: AwakeTimeline): string {
  const { awake, tail, unknown } = timelineSums(timeline)
  const since = timeline.existsFrom === undefined ? '' : ' since its creation'
  const awakeText = `awake ${spanText(awake)} of ${spanText(duration(existenceOf(timeline)))}${since}`
  const tailText = tail > 0 ? `, ${spanText(tail)} of it idle tail` : ''
  return `${awakeText}${tailText}${unknown > 0 ? `, ${spanText(unknown)} not known` : ''}`
}

/** Milliseconds within the span. */
export function timelineSums(timeline: AwakeTimeline) {
  const sum = (parts: readonly Interval[]) => millis(sumOf(parts, (part) => overlap(part, timeline.span)))
  return {
    awake: sum(timeline.intervals),
    tail: sum(timeline.intervals.map(idleTailInterval)),
    unknown: sum(unknownIntervals(timeline)),
  }
}

/** `M0 8m3 0h2m7 0h1`: relative to the end of the run before, the shortest notation. */
function runsPath(states: readonly CellState[], state: DrawnState) {
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

const restarts = ({ intervals }: AwakeTimeline) =>
  intervals.filter(({ restart }) => restart).map(({ from }) => from)

/** Days have 23 to 25 hours. */
export function dayMarks({ from, to }: Interval, dayOf: Zone['dayOf']): readonly Instant[] {
  const marks: Instant[] = []
  for (let mark = dayOf(from).to; mark < to; mark = dayOf(mark).to) marks.push(mark)
  return marks
}

const marksPath = (marks: readonly Instant[], { from, to }: Interval, cells: number) =>
  [...new Set(marks.filter((at) => at >= from).map((at) => Math.round(((at - from) / (to - from)) * cells)))]
    .map((x) => `M${x} 0v16`)
    .join('')

/** Share of the width that a label takes at most, on a phone: `9 h ago` or `Mon`; `27 Oct`. */
const LABEL = 0.13
const DATE_LABEL = 0.16

/** A tick at each day with room, with its weekday, or its date where not each has room; a span of up to a day also has labels at both ends. */
export function axisSvg(span: Interval, zone: Zone): Html {
  const length = span.to - span.from
  const isShort = length <= 25 * HOUR
  const shareOf = (at: Instant) => (at - span.from) / length
  const positionOf = (at: Instant) => `${(100 * shareOf(at)).toFixed(1)}%`
  const marks = dayMarks(span, zone.dayOf)
  const isByDay = LABEL * marks.length <= 1
  const step = isByDay ? 1 : Math.ceil((DATE_LABEL * length) / DAY)
  const [first, last] = isShort ? [2 * LABEL, 1 - 2 * LABEL] : [0, 1 - LABEL]
  const days = marks
    .filter((_, index) => (marks.length - index) % step === 0)
    .filter((at) => shareOf(at) >= first && shareOf(at) <= last)
  const nameOf = (at: Instant) => dayText(zone.dayOf(at).date)
  return html`<svg class="axis" aria-hidden="true">
    ${days.map((at) => html`<line x1="${positionOf(at)}" x2="${positionOf(at)}" y2="5" />`)}
    ${isShort && html`<text x="0" y="16">${Math.round(length / HOUR)} h ago</text>`}
    ${days.map((at) => html`<text x="${positionOf(at)}" y="16">${isByDay ? nameOf(at).slice(0, 3) : nameOf(at).slice(4)}</text>`)}
    ${isShort && html`<text class="end" x="100%" y="16">now</text>`}
  </svg>`
}

export const timelineLegend = (): Html =>
  html`<ul class="legend" aria-label="Legend of the awake timelines">
    ${LEGEND.map(
      ([state, path, text]) =>
        html`<li>
          <svg class="timeline" viewBox="0 0 24 16" aria-hidden="true">
            <path class="${state}" d="${path}" /></svg
          >${text}
        </li>`,
    )}
  </ul>`

const LEGEND = [
  ['busy', 'M0 8h24', 'in use'],
  ['tail', 'M0 12h24', 'idle tail: awake, waiting for the delay'],
  ['asleep', 'M0 15h24', 'asleep'],
  ['unknown', 'M0 13h24', 'not known'],
  ['restart', 'M12 -4v20', 'restart'],
  ['day', 'M12 0v16', 'a day begins'],
] as const
