// What every page has around its own part.
import type { Zone } from '../../calendar/zone.ts'
import { stripBidiControls } from '../../std/sanitize.ts'
import type { AccountView, Snapshot } from '../../model/output/snapshot.ts'
import type { Instant } from '../../model/units.ts'
import { splitAtSlot, html, type Html, type HtmlPart } from '../text/html.ts'
import { countWithNoun } from '../text/amounts.ts'
import { timeHtml } from './timestamps.ts'

/** What holds for all pages of a daemon. */
export type PageContext = {
  readonly zone: Zone
  /** How far it may go, as configured. */
  readonly mode: string
  /** Addresses. */
  readonly style: string
  readonly script: string
}

export type PageContent = {
  readonly title: string
  readonly path: string
  readonly main: HtmlPart
  /** What is in the gap of `main`, made when it is asked for: a browser shows what is before it meanwhile. */
  readonly rest?: () => AsyncIterable<HtmlPart>
}

const NAVIGATION = [
  ['/', 'Fleet'],
  ['/budgets', 'Budgets'],
  ['/report', 'Reports'],
] as const

/** Seconds after which a page without its script is loaded anew. Doubled, it is older, and whoever reads it is disturbed less. */
const RELOAD = 60

const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Cpath fill=%22%234f6bd8%22 d=%22M11 1a7 7 0 1 0 4 10A6 6 0 0 1 11 1Z%22/%3E%3C/svg%3E'

/**
 * A document, one part after the other.
 *
 * @param snapshot undefined before the first pass has ended
 */
export async function* renderDocument(
  page: PageContent,
  snapshot: Snapshot | undefined,
  house: PageContext,
): AsyncGenerator<string> {
  const [before, after] = splitAtSlot(wholeOf(page, snapshot, house))
  yield stripBidiControls(before.text)
  if (page.rest) for await (const part of page.rest()) yield stripBidiControls(html`${part}`.text)
  yield stripBidiControls(after.text)
}

const wholeOf = (
  { title, path, main }: PageContent,
  snapshot: Snapshot | undefined,
  house: PageContext,
): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Dormouse</title>
        <link rel="icon" href="${ICON}" />
        <link rel="stylesheet" href="${house.style}" />
        <script src="${house.script}"></script>
        <noscript><meta http-equiv="refresh" content="${RELOAD}" /></noscript>
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header>
          <a class="brand" href="/">Dormouse</a>
          <nav aria-label="Pages">
            ${NAVIGATION.map(([to, name]) => html`<a href="${to}" ${to === path && html` aria-current="page"`}>${name}</a>`)}
          </nav>
          <button id="theme" type="button" hidden>Theme</button>
        </header>
        ${snapshot ? banner(snapshot, house.zone) : html`<div id="banner" class="banner wait" role="status" aria-live="polite">Dormouse is starting.</div>`}
        <main id="main" tabindex="-1">${main}</main>
        <footer>
          <p>
            ${snapshot && html`Seen ${timeHtml(snapshot.takenAt, house.zone)} (${house.zone.name}). `}Mode
            ${house.mode}: Dormouse only watches so far, so there are no recommendations, changes or holds to
            show.
          </p>
          ${snapshot && reports(snapshot)}
          <p>
            The same for programs: <a href="/api/v1/status">status</a>,
            <a href="/api/v1/computes">computes</a>.
          </p>
        </footer>
      </body>
    </html> `

const reports = ({ accounts }: Snapshot): Html | false =>
  accounts.length > 0 &&
  html`<p>
    What the last whole week cost:
    ${accounts.map(({ account }, index) => html`${index > 0 && ', '}<a href="${currentReportPath(account)}">${account}</a>`)}
  </p>`

/** Nothing in it changes with time alone: it is read out whenever it changes. */
function banner({ accounts, ready }: Snapshot, zone: Zone): Html {
  const troubles = accounts.flatMap((view) =>
    troublesOf(view, zone).map((text) => ({ account: view.account, text })),
  )
  if (troubles.length === 0)
    return html`<div id="banner" class="banner ${ready ? 'good' : 'wait'}" role="status" aria-live="polite">
      ${ready ? 'Every account answers.' : 'Not every account was asked yet.'}
    </div>`
  return html`<div id="banner" class="banner bad" role="status" aria-live="polite">
    <ul>
      ${troubles.map(({ account, text }) => html`<li><b>${account}</b> ${text}</li>`)}
    </ul>
  </div>`
}

/** Lines of one account; more are told by the log. Doubled, a broken account fills a screen. */
const PROBLEMS = 3

function troublesOf(
  { service, lastSweepAt, stored, problems, unreadable }: AccountView,
  zone: Zone,
): readonly HtmlPart[] {
  return [
    ...(service === 'ok' ? [] : [html`${OUTAGES[service]}: what is shown is ${asOf(lastSweepAt, zone)}.`]),
    ...(stored ? [] : ['What was seen cannot be stored.']),
    ...(unreadable === undefined ? [] : [`No compute can be read inside: ${unreadable}.`]),
    ...problems.slice(0, PROBLEMS),
    ...(problems.length > PROBLEMS
      ? [`and ${countWithNoun(problems.length - PROBLEMS, 'more problem')}`]
      : []),
  ]
}

const OUTAGES: Readonly<Record<Exclude<AccountView['service'], 'ok'>, string>> = {
  unauthorized: 'The service refuses the API key',
  unavailable: 'The service does not answer',
}

/** The time stands as long as the outage lasts. */
const asOf = (sweptAt: Instant | undefined, zone: Zone): Html =>
  sweptAt === undefined
    ? html`what was known before Dormouse started`
    : html`as of ${timeHtml(sweptAt, zone)} (${zone.name})`

/** Letters of a figure that are written large. Doubled, a sum of a hundred million is broken on a telephone. */
const LONG = 14

/** A figure with what it is. */
export const labelledFigure = (label: string, value: HtmlPart, note?: HtmlPart): Html =>
  html`<div class="figure">
    <dt>${label}</dt>
    <dd ${typeof value === 'string' && value.length > LONG && html` class="long"`}>
      ${value}${note !== undefined && note !== false && html`<small>${note}</small>`}
    </dd>
  </div>`

export const EMPTY_CELL = html`<span class="none">–</span>`

/** Where the last whole week of an account is told as it is known now. */
export const currentReportPath = (account: string): string =>
  `/api/v1/report?account=${encodePathPart(account)}&format=html-full`

/** A part of an address. */
export const encodePathPart = (text: string): string => encodeURIComponent(text.toWellFormed())
