// Which report is requested, by the query parameters of the API or the options of the command.
import { isoWeekIdOf, isoWeekInterval } from '../../calendar/iso-week.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { ReportSlot } from '../../model/output/report.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { instant, type Instant } from '../../model/units.ts'
import { REPORT_FORMATS, type ReportFormat } from '../../model/output/report.ts'

export type ReportQuery = Readonly<
  Partial<Record<'account' | 'week' | 'format' | 'team' | 'kept' | 'page', string>>
>

export type ReportRequest = {
  readonly account: string
  readonly slot: ReportSlot
  readonly format: ReportFormat
}

export type ReportDefaults = {
  /** Names of the configured accounts, at least one. */
  readonly accounts: readonly string[]
  readonly zone: Zone
  readonly now: Instant
}

/** Defaults: the only account, the last whole week, JSON. The problem names the parameter and what was expected. */
export function parseReportRequest(
  query: ReportQuery,
  { accounts, zone, now }: ReportDefaults,
): Result<ReportRequest, string> {
  const [account, format] = [parseAccount(query, accounts), parseFormat(query)]
  if (!account.ok) return account
  if (!format.ok) return format
  const id = query.week ?? lastWeek(zone, now)
  const week = isoWeekInterval(id, zone)
  if (!week) return failed(`week: expected an ISO week such as ${lastWeek(zone, now)}, got ${id}`)
  if (week.from > now) return failed(`week: ${id} has not begun`)
  return ok({ account: account.value, format: format.value, slot: { id, ...week, late: false } })
}

export function parseAccount({ account }: ReportQuery, accounts: readonly string[]): Result<string, string> {
  const name = account ?? (accounts.length === 1 ? accounts[0] : undefined)
  if (name !== undefined && accounts.includes(name)) return ok(name)
  return failed(`account: expected one of ${accounts.join(', ')}${account ? `, got ${account}` : ''}`)
}

export function parseFormat({ format }: ReportQuery): Result<ReportFormat, string> {
  const supported = REPORT_FORMATS.find((name) => name === (format ?? 'json'))
  return supported
    ? ok(supported)
    : failed(`format: expected one of ${REPORT_FORMATS.join(', ')}, got ${format}`)
}

function lastWeek(zone: Zone, now: Instant): string {
  const current = isoWeekInterval(isoWeekIdOf(now, zone), zone)
  return isoWeekIdOf(instant((current?.from ?? now) - 1), zone)
}
