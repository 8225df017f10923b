import { reportKey, type StoredReport } from '../../../model/output/report.ts'
import { pageNumber } from '../../../outputs/page/query.ts'
import { reportPage, type DisplayedReport } from '../../../outputs/page/report.ts'
import { renderPageHtml } from '../../../outputs/report/formats/page-html.ts'
import { parseReport } from '../../../outputs/report/formats/json.ts'
import type { Html } from '../../../outputs/text/html.ts'
import type { PageSources } from './page-sources.ts'

/** Weeks on a page of the list: a quarter. */
const WEEKS = 12
/** Rows of each table, as on a page of the fleet. */
const ROWS = 100

type Parameters = Readonly<Partial<Record<'account' | 'week' | 'team' | 'page', string>>>
type ReportPageSources = Pick<PageSources, 'archive' | 'clock' | 'nextReportAt' | 'zone'>

export function createReportPage({ archive, clock, nextReportAt, zone }: ReportPageSources) {
  // rendered last: an open page asks for the same report every 15 seconds
  let last: Readonly<{ key: string; main: Html }> | undefined
  const mainOf = (stored: StoredReport) => {
    const key = JSON.stringify([stored.account, reportKey(stored), stored.madeAt])
    if (last?.key !== key) last = { key, main: renderPageHtml(parseReport(stored.json), ROWS) }
    return last.main
  }
  const displayedReport = async (account: string, key: string): Promise<DisplayedReport | undefined> => {
    const stored = await archive.report(account, key)
    if (!stored) return undefined
    const teams = await archive.reportTeams(account, stored.slot.id)
    return { report: stored, teams, main: mainOf(stored) }
  }
  /** Undefined without such an account. Without such a report the page says so, and `isFound` is false. */
  return async ({ account: name, week, team, page: pageText }: Parameters, accounts: readonly string[]) => {
    const account = name === undefined ? accounts[0] : accounts.find((other) => other === name)
    if (account === undefined) return undefined
    const page = pageNumber(pageText)
    // one more shows whether there are more
    const reports = await archive.reports(account, { count: WEEKS + 1, skip: (page - 1) * WEEKS })
    const archived = reports.slice(0, WEEKS)
    const hasMore = reports.length > WEEKS
    const id = week ?? archived[0]?.slot.id
    const displayed =
      id === undefined ? undefined : await displayedReport(account, reportKey({ slot: { id }, team }))
    const nextAt = nextReportAt(clock.now())
    return {
      page: reportPage({ accounts, account, archived, displayed, page, hasMore, nextAt }, zone),
      isFound: displayed !== undefined || (page === 1 && archived.length === 0),
    }
  }
}
