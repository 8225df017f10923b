import type { Zone } from '../../calendar/zone.ts'
import { stripBidiControls } from '../../std/sanitize.ts'
import type { AccountView, Snapshot } from '../../model/output/snapshot.ts'
import type { Instant } from '../../model/units.ts'
import { html, type Html, type HtmlPart } from '../text/html.ts'
import { countWithNoun } from '../text/amounts.ts'
import { timeHtml } from './timestamps.ts'

export type PageContext = Readonly<{
  zone: Zone
  mode: string
  /** Whether policies change settings without a person; asked for each page, as they are read again while the daemon runs. */
  appliesChanges: () => boolean
  style: string
  script: string
}>

export type PageContent = Readonly<{
  title: string
  path: string
  main: HtmlPart
}>

const NAVIGATION = [
  ['/', 'Fleet'],
  ['/recommendations', 'Recommendations'],
  ['/changes', 'Changes'],
  ['/budgets', 'Budgets'],
  ['/report', 'Reports'],
] as const

/** Seconds to a reload by a browser without scripts: once per pass. */
const RELOAD = 60

const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Cpath fill=%22%234f6bd8%22 d=%22M11 1a7 7 0 1 0 4 10A6 6 0 0 1 11 1Z%22/%3E%3C/svg%3E'

/** Without characters that would change the direction of the text around a name. */
export const renderHtml = (part: HtmlPart): string => stripBidiControls(html`${part}`.text)

/** @param snapshot undefined until the first pass ended */
export const documentHtml = (
  { title, path, main }: PageContent,
  snapshot: Snapshot | undefined,
  { zone, mode, appliesChanges, style, script }: PageContext,
): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Dormouse</title>
        <link rel="icon" href="${ICON}" />
        <link rel="stylesheet" href="${style}" />
        <script src="${script}"></script>
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
        ${snapshot ? banner(snapshot, zone) : html`<div id="banner" class="banner wait" role="status" aria-live="polite">Dormouse is starting.</div>`}
        <main id="main" tabindex="-1">${main}</main>
        <footer>
          <p>
            ${snapshot && html`Seen ${timeHtml(snapshot.takenAt, zone)} (${zone.name}). `}Mode ${mode}:
            Dormouse ${modeText(mode, appliesChanges())}.
          </p>
          ${snapshot && reportLinks(snapshot)}
          <p>
            The same for programs: <a href="/api/v1/status">status</a>,
            <a href="/api/v1/computes">computes</a>, <a href="/api/v1/recommendations">recommendations</a>,
            <a href="/api/v1/changes">changes</a>.
          </p>
        </footer>
      </body>
    </html> `

const reportLinks = ({ accounts }: Snapshot) =>
  accounts.length > 0 &&
  html`<p>
    What the last whole week cost:
    ${accounts.map(({ account }, index) => html`${index > 0 && ', '}<a href="${currentReportPath(account)}">${account}</a>`)}
  </p>`

/** Screen readers read it aloud whenever its text changes, so it holds no running time. */
function banner({ accounts, ready }: Snapshot, zone: Zone) {
  const problems = accounts.flatMap((view) =>
    problemsOf(view, zone).map((text) => ({ account: view.account, text })),
  )
  const isPartial = ready && accounts.some(isPartialView)
  if (problems.length === 0)
    return html`<div
      id="banner"
      class="banner ${ready && !isPartial ? 'good' : 'wait'}"
      role="status"
      aria-live="polite"
    >
      ${isPartial ? PARTIAL_TEXT : ready ? 'Every account answers.' : 'Not every account has been read yet.'}
    </div>`
  return html`<div id="banner" class="banner bad" role="status" aria-live="polite">
    <ul>
      ${problems.map(({ account, text }) => html`<li><b>${account}</b> ${text}</li>`)}
      ${isPartial && html`<li>${PARTIAL_TEXT}</li>`}
    </ul>
  </div>`
}

/** Without a number, which would be read aloud after every pass. */
function modeText(mode: string, appliesChanges: boolean): string {
  if (mode === 'off' || mode === 'observe') return 'recommends nothing and changes nothing'
  return `recommends settings, and changes only what a person asked for or approved${appliesChanges ? ', or what a policy has a lever for' : ''}`
}

const isPartialView = ({ backlog, withoutPast, listedAt }: AccountView) =>
  backlog.unseen > 0 || withoutPast > 0 || !listedAt

const PARTIAL_TEXT = 'Some projects, or their past, have not been read yet: totals are those of the others.'

/** Most problems of one account; the log has all. */
const MAX_PROBLEMS = 3

function problemsOf(view: AccountView, zone: Zone): readonly HtmlPart[] {
  const { stored, storedAt, problems, unreadable } = view
  const more = problems.length - MAX_PROBLEMS
  return [
    ...outageOf(view, zone),
    ...(stored ? [] : [html`The ledger cannot be stored: the data is ${ageOfData(storedAt, zone)}.`]),
    ...(unreadable === undefined ? [] : [`No compute can be read inside: ${unreadable}.`]),
    ...problems.slice(0, MAX_PROBLEMS),
    ...(more > 0 ? [`and ${countWithNoun(more, 'more problem')}`] : []),
  ]
}

function outageOf({ service, storedAt }: AccountView, zone: Zone): readonly HtmlPart[] {
  switch (service) {
    case 'ok':
      return []
    case 'degraded':
      return ['The service answers only in part: some data is older than a pass.']
    case 'unauthorized':
      return [html`The service refuses the API key: the data is ${ageOfData(storedAt, zone)}.`]
    case 'unavailable':
      return [html`The service does not answer: the data is ${ageOfData(storedAt, zone)}.`]
  }
}

const ageOfData = (storedAt: Instant | undefined, zone: Zone): HtmlPart =>
  storedAt === undefined
    ? 'from before Dormouse started'
    : html`as of ${timeHtml(storedAt, zone)} (${zone.name})`

/** Characters in large type: longer figures break across lines on a phone. */
const MAX_LARGE = 14

export const labelledFigure = (label: string, value: HtmlPart, note?: HtmlPart): Html =>
  html`<div class="figure">
    <dt>${label}</dt>
    <dd ${typeof value === 'string' && value.length > MAX_LARGE && html` class="long"`}>
      ${value}${note !== undefined && note !== false && html`<small>${note}</small>`}
    </dd>
  </div>`

export const EMPTY_CELL = html`<span class="none">–</span>`

/** On the last whole week, made anew. */
export const currentReportPath = (account: string): string =>
  `/api/v1/report?account=${encodePathPart(account)}&format=html-full`

export const encodePathPart = (text: string): string => encodeURIComponent(text.toWellFormed())
