// Times as clocks of the configured zone show them, with the instant itself for machines.
import type { Zone } from '../../calendar/zone.ts'
import { dayText } from '../text/dates.ts'
import { html, type Html, type HtmlPart } from '../text/html.ts'
import { fromIso, toIso } from '../../model/time.ts'
import { instant, type Instant } from '../../model/units.ts'

/** `2026-11-22 02:31`. */
export const timeHtml = (at: Instant, zone: Zone): Html =>
  html`<time datetime="${toIso(at)}">${wallText(at, zone)}</time>`

/** `Mon 23 Nov 08:00 UTC`: of what is to come within days. */
export const upcomingTimeHtml = (at: Instant, zone: Zone): Html =>
  html`<time datetime="${toIso(at)}">${dayText(zone.dayOf(at).date)} ${wallText(at, zone).slice(11)}</time>
    ${zone.name}`

/** `02:31` of the same day as `beside`, else with its date. */
export function clockHtml(at: Instant, beside: Instant, zone: Zone): Html {
  const text = wallText(at, zone)
  const short = text.slice(0, 10) === wallText(beside, zone).slice(0, 10) ? text.slice(11) : text
  return html`<time datetime="${toIso(at)}">${short}</time>`
}

/** A text with the instants in it as those clocks show them. */
export function withLocalTimes(
  text: string,
  { now, zone }: { readonly now: Instant; readonly zone: Zone },
): readonly HtmlPart[] {
  return text.split(/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/).map((part) => {
    const at = fromIso(part)
    return at === undefined ? part : clockHtml(at, now, zone)
  })
}

const wallText = (at: Instant, zone: Zone): string =>
  toIso(instant(zone.wallAt(at)))
    .slice(0, 16)
    .replace('T', ' ')
