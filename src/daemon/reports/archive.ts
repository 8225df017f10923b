// Reports as they were made, for the API and the command.
import { pageNumber } from '../../outputs/page/query.ts'
import type { Outbox } from '../../model/ports/outbox.ts'
import { reportKey, type ArchivedReport, type ReportFormat } from '../../model/output/report.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import type { Cooperative } from '../../std/cooperative.ts'
import { toIso } from '../../model/time.ts'
import { REPORT_RENDERINGS } from '../../outputs/report/formats/formats.ts'
import { parseReport } from '../../outputs/report/formats/json.ts'
import { parseAccount, parseFormat, type ReportQuery } from './query.ts'

export type ReportArchive = Pick<Outbox, 'report' | 'reports' | 'reportTeams'>

export type ArchiveRequest = {
  readonly account: string
  readonly format: ReportFormat
  /** Undefined: the newest. */
  readonly week: string | undefined
  /** Undefined: that about all. */
  readonly team: string | undefined
}

/** Of the only account, the newest, as JSON where nothing else is said. */
export function parseArchiveRequest(
  query: ReportQuery,
  accounts: readonly string[],
): Result<ArchiveRequest, string> {
  const [account, format] = [parseAccount(query, accounts), parseFormat(query)]
  if (!account.ok) return account
  if (!format.ok) return format
  return ok({ account: account.value, format: format.value, week: query.week, team: query.team })
}

/** The problem says that there is none. @throws when the store fails */
export async function archivedReportText(
  store: ReportArchive,
  { account, format, week, team }: ArchiveRequest,
): Promise<Result<Cooperative<string>, string>> {
  const id = week ?? (await store.reports(account, { count: 1 }))[0]?.slot.id
  const stored = id === undefined ? undefined : await store.report(account, reportKey({ slot: { id }, team }))
  if (stored) return ok(rendered(stored.json, format))
  const words = [
    'no report',
    ...(id === undefined ? [] : [id]),
    ...(team === undefined ? [] : ['for team', team]),
  ]
  return failed(`${words.join(' ')} is kept of account ${account}`)
}

function* rendered(json: string, format: ReportFormat): Cooperative<string> {
  return yield* REPORT_RENDERINGS[format].of(yield* parseReport(json))
}

/** Listed at a time. Doubled, a list of five years is three answers. */
const LISTED = 100

export type ArchiveList = {
  readonly account: string
  readonly reports: readonly {
    readonly week: string
    readonly made_at: string
    readonly late: boolean
    /** That have a part of it. */
    readonly teams: readonly string[]
  }[]
  /** The next, where there are more. */
  readonly next_page: number | null
}

/** The newest first, a page at a time. @throws when the store fails */
export async function listArchive(
  store: ReportArchive,
  query: ReportQuery,
  accounts: readonly string[],
): Promise<Result<ArchiveList, string>> {
  const account = parseAccount(query, accounts)
  if (!account.ok) return account
  const page = pageNumber(query.page)
  const found = await store.reports(account.value, { count: LISTED + 1, skip: (page - 1) * LISTED })
  return ok({
    account: account.value,
    reports: await Promise.all(found.slice(0, LISTED).map((report) => listed(store, report))),
    next_page: found.length > LISTED ? page + 1 : null,
  })
}

const listed = async (
  store: ReportArchive,
  { account, slot, madeAt }: ArchivedReport,
): Promise<ArchiveList['reports'][number]> => ({
  week: slot.id,
  made_at: toIso(madeAt),
  late: slot.late,
  teams: await store.reportTeams(account, slot.id),
})
