// What the time of a strip is, in words below it.
import type { Zone } from '../../calendar/zone.ts'
import type { Interval } from '../../model/time.ts'
import type { Instant } from '../../model/units.ts'
import { dayText } from '../text/dates.ts'
import { html, type Html } from '../text/html.ts'
import { dayMarks } from './timeline.ts'

const HOUR = 3_600_000
/** Shares of its width that a word takes at most, of a strip as narrow as a telephone. */
const WORD = 0.13

/** A tick and a name for each day where it begins and has room for it; of a day or less also where it begins and ends. */
export function axisSvg(span: Interval, zone: Zone): Html {
  const long = span.to - span.from
  const isShort = long <= 25 * HOUR
  const shareOf = (at: Instant): number => (at - span.from) / long
  const placeOf = (at: Instant): string => `${(100 * shareOf(at)).toFixed(1)}%`
  const [least, most] = isShort ? [2 * WORD, 1 - 2 * WORD] : [0, 1 - WORD]
  const days = dayMarks(span, zone.dayOf).filter((at) => shareOf(at) >= least && shareOf(at) <= most)
  return html`<svg class="axis" aria-hidden="true">
    ${days.map((at) => html`<line x1="${placeOf(at)}" x2="${placeOf(at)}" y2="5" />`)}
    ${isShort && html`<text x="0" y="16">${Math.round(long / HOUR)} h ago</text>`}
    ${days.map((at) => html`<text x="${placeOf(at)}" y="16">${dayText(zone.dayOf(at).date).slice(0, 3)}</text>`)}
    ${isShort && html`<text class="end" x="100%" y="16">now</text>`}
  </svg>`
}
