// The page of reports that are kept, out of the store: it is shown as it was made.
import type { Clock } from '../../../model/ports/clock.ts'
import { reportKey, type StoredReport } from '../../../model/output/report.ts'
import type { Instant } from '../../../model/units.ts'
import type { Zone } from '../../../calendar/zone.ts'
import type { PageContent } from '../../../outputs/page/layout.ts'
import { pageNumber } from '../../../outputs/page/query.ts'
import { reportPage, type DisplayedReport } from '../../../outputs/page/report.ts'
import { renderPageHtml } from '../../../outputs/report/formats/page-html.ts'
import { parseReport } from '../../../outputs/report/formats/json.ts'
import type { Html } from '../../../outputs/text/html.ts'
import type { ReportArchive } from '../../reports/archive.ts'

/** Weeks to choose from on a page: a quarter. */
const WEEKS = 12
/** Rows of each table. Doubled, a page of a large fleet is larger than that of the fleet itself. */
const ROWS = 100

type Asked = Readonly<Partial<Record<'account' | 'week' | 'team' | 'page', string>>>

/** Undefined where there is no such account. The page says so where there is no such report, with `isFound` false. */
export type RenderReportPage = (
  asked: Asked,
  accounts: readonly string[],
) => Promise<{ readonly page: PageContent; readonly isFound: boolean } | undefined>

export type ReportPageSources = {
  readonly kept: ReportArchive
  readonly clock: Pick<Clock, 'now'>
  readonly nextReportAt: (now: Instant) => Instant | undefined
}

export function createReportPage(shelf: ReportPageSources, zone: Zone): RenderReportPage {
  const { kept: reports, clock, nextReportAt } = shelf
  // the one that was shown last: a page that is open asks again and again
  let last: { readonly key: string; readonly main: Html } | undefined
  const mainOf = (stored: StoredReport): Html => {
    const key = JSON.stringify([stored.account, reportKey(stored), stored.madeAt])
    if (last?.key !== key) last = { key, main: renderPageHtml(parseReport(stored.json), ROWS) }
    return last.main
  }
  const shownOf = async (account: string, item: string): Promise<DisplayedReport | undefined> => {
    const stored = await reports.report(account, item)
    if (!stored) return undefined
    const teams = await reports.reportTeams(account, stored.slot.id)
    return { report: stored, teams, main: mainOf(stored) }
  }
  return async ({ account, week, team, ...asked }, accounts) => {
    const name = account === undefined ? accounts[0] : accounts.find((one) => one === account)
    if (name === undefined) return undefined
    const page = pageNumber(asked.page)
    // one more tells whether there are more
    const found = await reports.reports(name, { count: WEEKS + 1, skip: (page - 1) * WEEKS })
    const kept = found.slice(0, WEEKS)
    const id = week ?? kept[0]?.slot.id
    const shown = id === undefined ? undefined : await shownOf(name, reportKey({ slot: { id }, team }))
    const hasMore = found.length > WEEKS
    const nextAt = nextReportAt(clock.now())
    const isFirst = page === 1 && kept.length === 0
    return {
      page: reportPage({ accounts, account: name, kept, shown, page, hasMore, nextAt }, zone),
      isFound: shown !== undefined || isFirst,
    }
  }
}
