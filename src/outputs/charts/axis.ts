// The time axis below an awake timeline.
import type { Zone } from '../../calendar/zone.ts'
import type { Interval } from '../../model/time.ts'
import { HOUR, type Instant } from '../../model/units.ts'
import { dayText } from '../text/dates.ts'
import { html, type Html } from '../text/html.ts'
import { dayMarks } from './timeline.ts'

/** Share of the width that a label takes at most, on a phone. */
const LABEL = 0.13

/** A tick and a name at the start of each day where there is room; a span of up to a day also has labels at both ends. */
export function axisSvg(span: Interval, zone: Zone): Html {
  const length = span.to - span.from
  const isShort = length <= 25 * HOUR
  const shareOf = (at: Instant): number => (at - span.from) / length
  const positionOf = (at: Instant): string => `${(100 * shareOf(at)).toFixed(1)}%`
  const [first, last] = isShort ? [2 * LABEL, 1 - 2 * LABEL] : [0, 1 - LABEL]
  const days = dayMarks(span, zone.dayOf).filter((at) => shareOf(at) >= first && shareOf(at) <= last)
  return html`<svg class="axis" aria-hidden="true">
    ${days.map((at) => html`<line x1="${positionOf(at)}" x2="${positionOf(at)}" y2="5" />`)}
    ${isShort && html`<text x="0" y="16">${Math.round(length / HOUR)} h ago</text>`}
    ${days.map((at) => html`<text x="${positionOf(at)}" y="16">${dayText(zone.dayOf(at).date).slice(0, 3)}</text>`)}
    ${isShort && html`<text class="end" x="100%" y="16">now</text>`}
  </svg>`
}
