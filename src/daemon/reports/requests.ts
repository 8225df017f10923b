// Requests of the API or the command for a report: made now, or from the archive.
import { isoWeekInterval } from '../../calendar/iso-week.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { Outbox } from '../../model/ports/outbox.ts'
import { REPORT_FORMATS, reportKey } from '../../model/output/report.ts'
import type { ArchivedReport, ReportFormat, ReportSlot } from '../../model/output/report.ts'
import { toIso } from '../../model/time.ts'
import type { Instant } from '../../model/units.ts'
import { REPORT_RENDERINGS } from '../../outputs/report/formats/formats.ts'
import { parseReport } from '../../outputs/report/formats/json.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { weekBefore } from './schedule.ts'

export type ReportArchive = Pick<Outbox, 'report' | 'reports' | 'reportTeams'>

export type ReportQuery = Readonly<
  Partial<Record<'account' | 'week' | 'format' | 'team' | 'kept' | 'page', string>>
>

type AccountAndFormat = Readonly<{ account: string; format: ReportFormat }>

/** Defaults: the only account, the last whole week, JSON. The problem names the parameter and what was expected. */
export function parseReportRequest(
  query: ReportQuery,
  { accounts, zone, now }: Readonly<{ accounts: readonly string[]; zone: Zone; now: Instant }>,
): Result<AccountAndFormat & { readonly slot: ReportSlot }, string> {
  const parsed = parseAccountAndFormat(query, accounts)
  if (!parsed.ok) return parsed
  if (query.team !== undefined)
    return failed('team: expected kept=true beside it, which reads archived reports')
  const lastWeek = weekBefore(now, zone)?.id ?? ''
  const id = query.week ?? lastWeek
  const week = isoWeekInterval(id, zone)
  if (!week) return failed(`week: expected an ISO week such as ${lastWeek}, got ${id}`)
  if (week.from > now) return failed(`week: ${id} has not begun`)
  return ok({ ...parsed.value, slot: { id, ...week, late: false } })
}

type ArchiveRequest = AccountAndFormat & {
  /** Default: the newest. */
  readonly week: string | undefined
  /** Undefined: about all teams. */
  readonly team: string | undefined
}

/** Defaults: the only account, the newest report, JSON. */
export function parseArchiveRequest(
  query: ReportQuery,
  accounts: readonly string[],
): Result<ArchiveRequest, string> {
  const parsed = parseAccountAndFormat(query, accounts)
  return parsed.ok ? ok({ ...parsed.value, week: query.week, team: query.team }) : parsed
}

function parseAccountAndFormat(query: ReportQuery, accounts: readonly string[]) {
  const account = parseAccount(query, accounts)
  if (!account.ok) return account
  const format = REPORT_FORMATS.find((name) => name === (query.format ?? 'json'))
  return format
    ? ok({ account: account.value, format })
    : failed(`format: expected one of ${REPORT_FORMATS.join(', ')}, got ${query.format}`)
}

/** Default: the only one. */
export function parseAccount(
  { account }: Readonly<{ account?: string | undefined }>,
  accounts: readonly string[],
): Result<string, string> {
  const name = account ?? (accounts.length === 1 ? accounts[0] : undefined)
  if (name !== undefined && accounts.includes(name)) return ok(name)
  return failed(`account: expected one of ${accounts.join(', ')}${account ? `, got ${account}` : ''}`)
}

/** Default: false; the name alone is true. */
export function parseFlag(name: string, text: string | undefined): Result<boolean, string> {
  if (text === '' || text === 'true') return ok(true)
  if (text === undefined || text === 'false') return ok(false)
  return failed(`${name}: expected true or false, got ${text}`)
}

/** Default: the first. */
function parsePage(text = '1'): Result<number, string> {
  const page = Number(text)
  return /^\d+$/.test(text) && Number.isSafeInteger(page) && page > 0
    ? ok(page)
    : failed(`page: expected a whole number from 1 on, got ${text}`)
}

/** The problem says that there is none. @throws when the store fails */
export async function archivedReportTexts(
  store: ReportArchive,
  { account, format, week, team }: ArchiveRequest,
): Promise<Result<readonly string[], string>> {
  const id = week ?? (await store.reports(account, { count: 1 }))[0]?.slot.id
  const stored = id === undefined ? undefined : await store.report(account, reportKey({ slot: { id }, team }))
  if (stored) return ok(REPORT_RENDERINGS[format].render(parseReport(stored.json)))
  const forTeam = team === undefined ? [] : ['for team', team]
  return failed(
    ['no report', ...(id === undefined ? [] : [id]), ...forTeam, 'is stored for account', account].join(' '),
  )
}

/** Two years of weekly reports. */
const REPORTS_PER_PAGE = 100

export type ArchiveList = Readonly<{
  account: string
  reports: readonly Awaited<ReturnType<typeof archiveListItem>>[]
  /** Null on the last page. */
  next_page: number | null
}>

/** Newest first. @throws when the store fails */
export async function listArchive(
  store: ReportArchive,
  query: ReportQuery,
  accounts: readonly string[],
): Promise<Result<ArchiveList, string>> {
  const account = parseAccount(query, accounts)
  if (!account.ok) return account
  const asked = parsePage(query.page)
  if (!asked.ok) return asked
  const page = asked.value
  const part = { count: REPORTS_PER_PAGE + 1, skip: (page - 1) * REPORTS_PER_PAGE }
  const reports = await store.reports(account.value, part)
  const listed = reports.slice(0, REPORTS_PER_PAGE)
  return ok({
    account: account.value,
    reports: await Promise.all(listed.map((report) => archiveListItem(store, report))),
    next_page: reports.length > REPORTS_PER_PAGE ? page + 1 : null,
  })
}

/** `teams`: those with a report of their own for that week. */
const archiveListItem = async (store: ReportArchive, { account, slot, madeAt }: ArchivedReport) => ({
  week: slot.id,
  made_at: toIso(madeAt),
  late: slot.late,
  teams: await store.reportTeams(account, slot.id),
})
