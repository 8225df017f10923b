// A weekly report as it was made and kept, with the others to choose from.
import { reportKey, type ArchivedReport } from '../../model/output/report.ts'
import { toIso } from '../../model/time.ts'
import { instantText } from '../text/dates.ts'
import { html, type Html, type HtmlPart } from '../text/html.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { Instant } from '../../model/units.ts'
import { encodePathPart, currentReportPath, type PageContent } from './layout.ts'
import { upcomingTimeHtml } from './timestamps.ts'

export type ReportPageInput = {
  readonly accounts: readonly string[]
  readonly account: string
  /** The newest first: those of the page that is asked for. */
  readonly kept: readonly ArchivedReport[]
  /** From 1. */
  readonly page: number
  readonly hasMore: boolean
  /** Undefined where none is kept, or not the one that is asked for. */
  readonly shown: DisplayedReport | undefined
  /** When the next is made; undefined where none is ever. */
  readonly nextAt: Instant | undefined
}

export type DisplayedReport = {
  readonly report: ArchivedReport
  /** That have a part of it. */
  readonly teams: readonly string[]
  readonly main: Html
}

/** By the clock that the report itself tells its times by. */
function madeHtml({ madeAt }: ArchivedReport): Html {
  const iso = toIso(madeAt)
  return html`<time datetime="${iso}">${instantText(iso)}</time>`
}

export const reportPage = (asked: ReportPageInput, zone: Zone): PageContent => {
  const { account, shown } = asked
  return {
    title: shown ? `Report ${shown.report.slot.id}` : 'Reports',
    path: '/report',
    main: html`${choices(asked)}
    ${
      shown
        ? html`<p class="about">Kept as it was made on ${madeHtml(shown.report)}.</p>
            <div class="report">${shown.main}</div>`
        : html`<h1>Reports</h1>
            ${missingHtml(asked, zone)}
            <p>
              <a href="${currentReportPath(account)}"
                >What the last whole week cost, as far as it is known now</a
              >
            </p>`
    }`,
  }
}

const missingHtml = ({ account, kept, page, nextAt }: ReportPageInput, zone: Zone): Html =>
  kept.length === 0 && page === 1
    ? html`<p class="nothing">
        No report yet.${nextAt !== undefined && html` The next is due ${upcomingTimeHtml(nextAt, zone)}.`}
      </p>`
    : html`<p class="nothing">There is no such report, or it is not kept any more.</p>
        <p><a href="/report?account=${encodePathPart(account)}">The newest report</a></p>`

/** Where each is to be found, with the same others to choose from. */
const pathOf = (
  { account, slot, team }: Pick<ArchivedReport, 'account' | 'slot' | 'team'>,
  page: number,
): string =>
  `/report?account=${encodePathPart(account)}&week=${encodePathPart(slot.id)}${team === undefined ? '' : `&team=${encodePathPart(team)}`}${onPage(page)}`

const onPage = (page: number): string => (page === 1 ? '' : `&page=${page}`)

function choices({ accounts, account, kept, shown, page, hasMore }: ReportPageInput): Html {
  const current = shown && reportKey(shown.report)
  const turnedTo = (other: number): string => `/report?account=${encodePathPart(account)}${onPage(other)}`
  return html`${
    accounts.length > 1 &&
    html`<nav class="choices" aria-label="Accounts">
      ${accounts.map((name) => choice(`/report?account=${encodePathPart(name)}`, name, name === account))}
    </nav>`
  }
  ${
    (kept.length > 0 || page > 1) &&
    html`<nav class="choices" aria-label="Weeks">
      ${page > 1 && html`<a rel="prev" href="${turnedTo(page - 1)}">Newer</a>`}
      ${kept.map((one) => choice(pathOf(one, page), one.slot.id, one.slot.id === shown?.report.slot.id))}
      ${hasMore && html`<a rel="next" href="${turnedTo(page + 1)}">Older</a>`}
    </nav>`
  }
  ${
    shown &&
    shown.teams.length > 0 &&
    html`<nav class="choices" aria-label="Teams">
      ${[undefined, ...shown.teams].map((team) => {
        const part = { ...shown.report, team }
        return choice(pathOf(part, page), team ?? 'all teams', reportKey(part) === current)
      })}
    </nav>`
  }`
}

const choice = (path: string, name: HtmlPart, isShown: boolean): Html =>
  html`<a href="${path}" ${isShown && html` aria-current="true"`}><bdi>${name}</bdi></a>`
