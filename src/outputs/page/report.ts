import { reportKey, type ArchivedReport } from '../../model/output/report.ts'
import { toIso } from '../../model/time.ts'
import { instantText } from '../text/amounts.ts'
import { html, type Html, type HtmlPart } from '../text/html.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { Instant } from '../../model/units.ts'
import { encodePathPart, currentReportPath, type PageContent } from './layout.ts'
import { upcomingTimeHtml } from './timestamps.ts'

type ReportPageInput = Readonly<{
  accounts: readonly string[]
  account: string
  /** On this page of the list, newest first. */
  archived: readonly ArchivedReport[]
  /** From 1. */
  page: number
  hasMore: boolean
  /** Undefined when it is not in the archive. */
  displayed: DisplayedReport | undefined
  /** Undefined without a schedule. */
  nextAt: Instant | undefined
}>

export type DisplayedReport = Readonly<{
  report: ArchivedReport
  /** With a report of their own for the week. */
  teams: readonly string[]
  main: Html
}>

/** In UTC, as the times inside the report. */
function madeHtml({ madeAt }: ArchivedReport) {
  const iso = toIso(madeAt)
  return html`<time datetime="${iso}">${instantText(iso)}</time>`
}

export function reportPage(input: ReportPageInput, zone: Zone): PageContent {
  const { account, displayed } = input
  return {
    title: displayed ? `Report ${displayed.report.slot.id}` : 'Reports',
    path: '/report',
    main: html`${reportNavigation(input)}
    ${
      displayed
        ? html`<p class="about">Archived as it was made on ${madeHtml(displayed.report)}.</p>
            <div class="report">${displayed.main}</div>`
        : html`<h1>Reports</h1>
            ${missingHtml(input, zone)}
            <p>
              <a href="${currentReportPath(account)}">A report on the last whole week, made now</a>
            </p>`
    }`,
  }
}

const missingHtml = ({ account, archived, page, nextAt }: ReportPageInput, zone: Zone) =>
  archived.length === 0 && page === 1
    ? html`<p class="nothing">
        No report yet.${nextAt !== undefined && html` The next is due ${upcomingTimeHtml(nextAt, zone)}.`}
      </p>`
    : html`<p class="nothing">There is no such report, or it is no longer in the archive.</p>
        <p><a href="/report?account=${encodePathPart(account)}">The newest report</a></p>`

/** With the same page of the list beside it. */
function reportPath({ account, slot, team }: ArchivedReport, page: number) {
  const ofTeam = team === undefined ? '' : `&team=${encodePathPart(team)}`
  return `/report?account=${encodePathPart(account)}&week=${encodePathPart(slot.id)}${ofTeam}${onPage(page)}`
}
const onPage = (page: number) => (page === 1 ? '' : `&page=${page}`)

function reportNavigation({ accounts, account, archived, displayed, page, hasMore }: ReportPageInput) {
  const currentKey = displayed && reportKey(displayed.report)
  const listPath = (other: number) => `/report?account=${encodePathPart(account)}${onPage(other)}`
  return html`${
    accounts.length > 1 &&
    html`<nav class="choices" aria-label="Accounts">
      ${accounts.map((name) => navigationLink(`/report?account=${encodePathPart(name)}`, name, name === account))}
    </nav>`
  }
  ${
    (archived.length > 0 || page > 1) &&
    html`<nav class="choices" aria-label="Weeks">
      ${page > 1 && html`<a rel="prev" href="${listPath(page - 1)}">Newer</a>`}
      ${archived.map((report) => navigationLink(reportPath(report, page), report.slot.id, report.slot.id === displayed?.report.slot.id))}
      ${hasMore && html`<a rel="next" href="${listPath(page + 1)}">Older</a>`}
    </nav>`
  }
  ${
    displayed &&
    displayed.teams.length > 0 &&
    html`<nav class="choices" aria-label="Teams">
      ${[undefined, ...displayed.teams].map((team) => {
        const part = { ...displayed.report, team }
        return navigationLink(reportPath(part, page), team ?? 'all teams', reportKey(part) === currentKey)
      })}
    </nav>`
  }`
}

const navigationLink = (path: string, name: HtmlPart, isCurrent: boolean) =>
  html`<a href="${path}" ${isCurrent && html` aria-current="true"`}><bdi>${name}</bdi></a>`
