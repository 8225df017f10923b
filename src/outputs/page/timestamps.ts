import type { Zone } from '../../calendar/zone.ts'
import { dayText } from '../text/amounts.ts'
import { html, type Html, type HtmlPart } from '../text/html.ts'
import { fromIso, toIso } from '../../model/time.ts'
import { instant, type Instant } from '../../model/units.ts'

export type LocalNow = Readonly<{ now: Instant; zone: Zone }>

/** `2026-11-22 02:31`. */
export const timeHtml = (at: Instant, zone: Zone): Html =>
  html`<time datetime="${toIso(at)}">${localText(at, zone)}</time>`

/** `Mon 23 Nov 08:00 UTC`, within the next days. */
export const upcomingTimeHtml = (at: Instant, zone: Zone): Html =>
  html`<time datetime="${toIso(at)}">${dayText(zone.dayOf(at).date)} ${localText(at, zone).slice(11)}</time>
    ${zone.name}`

/** `02:31` on the day of `reference`, else with its date. */
export function clockHtml(at: Instant, reference: Instant, zone: Zone): Html {
  const text = localText(at, zone)
  const short = text.slice(0, 10) === localText(reference, zone).slice(0, 10) ? text.slice(11) : text
  return html`<time datetime="${toIso(at)}">${short}</time>`
}

/** ISO 8601 instants become local times. */
export function withLocalTimes(text: string, { now, zone }: LocalNow): readonly HtmlPart[] {
  return text.split(/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/).map((part) => {
    const at = fromIso(part)
    return at === undefined ? part : clockHtml(at, now, zone)
  })
}

const localText = (at: Instant, zone: Zone) =>
  toIso(instant(zone.wallAt(at)))
    .slice(0, 16)
    .replace('T', ' ')
