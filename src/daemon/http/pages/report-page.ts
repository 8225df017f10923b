// The page of reports that are kept, out of the store: it is shown as it was made.
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../../model/ports.ts'
import { reportItem, type StoredReport } from '../../../model/output/report.ts'
import { inTurns } from '../../../std/cooperative.ts'
import type { Instant } from '../../../model/units.ts'
import type { Zone } from '../../../calendar/zone.ts'
import type { Page } from '../../../outputs/page/layout.ts'
import { pageNumber } from '../../../outputs/page/query.ts'
import { reportPage, type ShownReport } from '../../../outputs/page/report.ts'
import { reportHtml } from '../../../outputs/report/formats/page-html.ts'
import { reportFrom } from '../../../outputs/report/formats/json.ts'
import type { Html } from '../../../outputs/text/html.ts'
import type { KeptReports } from '../../reports/archive.ts'

/** Weeks to choose from on a page: a quarter. */
const WEEKS = 12
/** Rows of each table. Doubled, a page of a large fleet is larger than that of the fleet itself. */
const ROWS = 100

type Asked = Readonly<Partial<Record<'account' | 'week' | 'team' | 'page', string>>>

/** Undefined where there is no such account. The page says so where there is no such report, with `isFound` false. */
export type ShowReport = (
  asked: Asked,
  accounts: readonly string[],
) => Promise<{ readonly page: Page; readonly isFound: boolean } | undefined>

export type ReportShelf = {
  readonly kept: KeptReports
  readonly clock: Pick<Clock, 'now'>
  readonly nextReportAt: (now: Instant) => Instant | undefined
}

export function createReportPage(shelf: ReportShelf, zone: Zone): ShowReport {
  const { kept: reports, clock, nextReportAt } = shelf
  // the one that was shown last: a page that is open asks again and again
  let last: { readonly key: string; readonly main: Html } | undefined
  const mainOf = async (stored: StoredReport): Promise<Html> => {
    const key = JSON.stringify([stored.account, reportItem(stored), stored.madeAt])
    if (last?.key !== key)
      last = { key, main: reportHtml(await inTurns(reportFrom(stored.json), () => setImmediate()), ROWS) }
    return last.main
  }
  const shownOf = async (account: string, item: string): Promise<ShownReport | undefined> => {
    const stored = await reports.report(account, item)
    if (!stored) return undefined
    const teams = await reports.reportTeams(account, stored.slot.id)
    return { report: stored, teams, main: await mainOf(stored) }
  }
  return async ({ account, week, team, ...asked }, accounts) => {
    const name = account === undefined ? accounts[0] : accounts.find((one) => one === account)
    if (name === undefined) return undefined
    const page = pageNumber(asked.page)
    // one more tells whether there are more
    const found = await reports.reports(name, { count: WEEKS + 1, skip: (page - 1) * WEEKS })
    const kept = found.slice(0, WEEKS)
    const id = week ?? kept[0]?.slot.id
    const shown = id === undefined ? undefined : await shownOf(name, reportItem({ slot: { id }, team }))
    const hasMore = found.length > WEEKS
    const nextAt = nextReportAt(clock.now())
    const isFirst = page === 1 && kept.length === 0
    return {
      page: reportPage({ accounts, account: name, kept, shown, page, hasMore, nextAt }, zone),
      isFound: shown !== undefined || isFirst,
    }
  }
}
