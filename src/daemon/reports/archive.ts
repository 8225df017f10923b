// The report archive, for the API and the command line.
import { pageNumber } from '../../outputs/page/query.ts'
import type { Outbox } from '../../model/ports/outbox.ts'
import { reportKey, type ArchivedReport, type ReportFormat } from '../../model/output/report.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { toIso } from '../../model/time.ts'
import { REPORT_RENDERINGS } from '../../outputs/report/formats/formats.ts'
import { parseReport } from '../../outputs/report/formats/json.ts'
import { parseAccount, parseFormat, type ReportQuery } from './query.ts'

export type ReportArchive = Pick<Outbox, 'report' | 'reports' | 'reportTeams'>

export type ArchiveRequest = {
  readonly account: string
  readonly format: ReportFormat
  /** Undefined: the newest report. */
  readonly week: string | undefined
  /** Undefined: the report about all teams. */
  readonly team: string | undefined
}

/** Defaults: the only account, the newest report, JSON. */
export function parseArchiveRequest(
  query: ReportQuery,
  accounts: readonly string[],
): Result<ArchiveRequest, string> {
  const [account, format] = [parseAccount(query, accounts), parseFormat(query)]
  if (!account.ok) return account
  if (!format.ok) return format
  return ok({ account: account.value, format: format.value, week: query.week, team: query.team })
}

/** Texts of a report in the wanted format; the problem says that there is none. @throws when the store fails */
export async function archivedReportTexts(
  store: ReportArchive,
  { account, format, week, team }: ArchiveRequest,
): Promise<Result<readonly string[], string>> {
  const id = week ?? (await store.reports(account, { count: 1 }))[0]?.slot.id
  const stored = id === undefined ? undefined : await store.report(account, reportKey({ slot: { id }, team }))
  if (stored) return ok(REPORT_RENDERINGS[format].render(parseReport(stored.json)))
  const words = [
    'no report',
    ...(id === undefined ? [] : [id]),
    ...(team === undefined ? [] : ['for team', team]),
  ]
  return failed(`${words.join(' ')} is stored for account ${account}`)
}

/** Reports of one page of the list: a weekly report fills a page in two years. */
const REPORTS_PER_PAGE = 100

export type ArchiveList = {
  readonly account: string
  readonly reports: readonly {
    readonly week: string
    readonly made_at: string
    readonly late: boolean
    /** Teams with a report of their own for that week. */
    readonly teams: readonly string[]
  }[]
  /** Null on the last page. */
  readonly next_page: number | null
}

/** A page of reports, newest first. @throws when the store fails */
export async function listArchive(
  store: ReportArchive,
  query: ReportQuery,
  accounts: readonly string[],
): Promise<Result<ArchiveList, string>> {
  const account = parseAccount(query, accounts)
  if (!account.ok) return account
  const page = pageNumber(query.page)
  const reports = await store.reports(account.value, {
    count: REPORTS_PER_PAGE + 1,
    skip: (page - 1) * REPORTS_PER_PAGE,
  })
  return ok({
    account: account.value,
    reports: await Promise.all(
      reports.slice(0, REPORTS_PER_PAGE).map((report) => archiveListItem(store, report)),
    ),
    next_page: reports.length > REPORTS_PER_PAGE ? page + 1 : null,
  })
}

const archiveListItem = async (
  store: ReportArchive,
  { account, slot, madeAt }: ArchivedReport,
): Promise<ArchiveList['reports'][number]> => ({
  week: slot.id,
  made_at: toIso(madeAt),
  late: slot.late,
  teams: await store.reportTeams(account, slot.id),
})
