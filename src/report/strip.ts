// When a compute was awake, as a strip of cells: what is drawn, and the same as numbers.
import type { Zone } from '../calendar/zone.ts'
import type { AwakeTime } from '../model/ledger.ts'
import type { Interval } from '../model/time.ts'
import { instant, millis, type Instant, type Millis } from '../model/units.ts'
import { html, type Html } from './markup.ts'
import { spanText } from './words.ts'

export type Strip = {
  readonly span: Interval
  /** Nothing is known before. */
  readonly knownFrom: Instant
  /** Nor after. */
  readonly knownUntil: Instant
  /** In order of time; they may reach out of the span. */
  readonly stretches: readonly AwakeTime[]
}

/** The states of a cell, those that hide the others last. */
const STATES = ['asleep', 'unknown', 'tail', 'busy'] as const
type State = (typeof STATES)[number]

/** Where in its height of 16 each is drawn, and how high that is says the style: they differ in height, not in colour alone. */
const MIDDLE: Readonly<Record<State, number>> = { asleep: 15, unknown: 13, tail: 12, busy: 8 }

/**
 * A path per state. What is shorter than a cell is drawn as wide as one: a wake of a second is to be seen.
 *
 * @param cells of the whole span: 288 are 5 minutes of a day
 */
export function stripSvg(
  strip: Strip,
  { cells, dayOf }: { readonly cells: number; readonly dayOf: Zone['dayOf'] },
): Html {
  const states = cellsOf(strip, cells)
  const paths = STATES.map((state) => pathSvg(state, runsPath(states, state)))
  return html`<svg class="strip" viewBox="0 0 ${cells} 16" preserveAspectRatio="none" role="img">
    <title>${stripText(strip)}</title>
    ${pathSvg('day', marksPath(dayMarks(strip.span, dayOf), strip.span, cells))} ${paths}
    ${pathSvg('restart', marksPath(restarts(strip), strip.span, cells))}
  </svg>`
}

const pathSvg = (what: string, path: string): Html | false =>
  path !== '' && html`<path class="${what}" d="${path}" />`

/** `awake 3.2 h of 24.0 h, 12.0 min of it idle tail`. */
export function stripText(strip: Strip): string {
  const { awake, tail, unknown } = stripSums(strip)
  const parts = [
    `awake ${spanText(awake)} of ${spanText(strip.span.to - strip.span.from)}`,
    ...(tail > 0 ? [`${spanText(tail)} of it idle tail`] : []),
    ...(unknown > 0 ? [`${spanText(unknown)} not known`] : []),
  ]
  return parts.join(', ')
}

/** Milliseconds within the span. */
export function stripSums(strip: Strip): {
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
    tail: sum(strip.stretches.map(tailOf)),
    unknown: sum(unknownOf(strip)),
  }
}

const tailOf = ({ from, to, tail }: AwakeTime): Interval => ({ from: instant(Math.max(from, to - tail)), to })

const unknownOf = ({ span, knownFrom, knownUntil }: Strip): readonly Interval[] => [
  { from: span.from, to: knownFrom },
  { from: knownUntil, to: span.to },
]

function cellsOf(strip: Strip, cells: number): readonly State[] {
  const { span, stretches } = strip
  const states: State[] = Array.from({ length: cells }, () => 'asleep')
  const width = (span.to - span.from) / cells
  const paint = (state: State, { from, to }: Interval): void => {
    if (to <= from || to <= span.from || from >= span.to) return
    const first = Math.max(0, Math.floor((from - span.from) / width))
    states.fill(state, first, Math.ceil((to - span.from) / width))
  }
  for (const part of unknownOf(strip)) paint('unknown', part)
  for (const stretch of stretches) paint('tail', tailOf(stretch))
  for (const stretch of stretches) paint('busy', { from: stretch.from, to: tailOf(stretch).from })
  return states
}

/** `M0 8m3 0h2m7 0h1`: each run relative to the end of the one before, which is the shortest. */
function runsPath(states: readonly State[], state: State): string {
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

const restarts = ({ stretches }: Strip): readonly Instant[] =>
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
