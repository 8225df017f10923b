// Which report is asked for, as text: by the parameters of the API and the options of the command.
import { weekIdOf, weekOf } from '../../calendar/iso-week.ts'
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

export type Reportable = {
  /** Names, at least one. */
  readonly accounts: readonly string[]
  readonly zone: Zone
  readonly now: Instant
}

/** Of the only account, the last whole week, as JSON where nothing else is said. The problem says which part and what was expected. */
export function reportRequestOf(
  query: ReportQuery,
  { accounts, zone, now }: Reportable,
): Result<ReportRequest, string> {
  const [account, format] = [accountIn(query, accounts), formatIn(query)]
  if (!account.ok) return account
  if (!format.ok) return format
  const id = query.week ?? lastWeek(zone, now)
  const week = weekOf(id, zone)
  if (!week) return failed(`week: expected an ISO week such as ${lastWeek(zone, now)}, got ${id}`)
  if (week.from > now) return failed(`week: ${id} has not begun`)
  return ok({ account: account.value, format: format.value, slot: { id, ...week, late: false } })
}

export function accountIn({ account }: ReportQuery, accounts: readonly string[]): Result<string, string> {
  const name = account ?? (accounts.length === 1 ? accounts[0] : undefined)
  if (name !== undefined && accounts.includes(name)) return ok(name)
  return failed(`account: expected one of ${accounts.join(', ')}${account ? `, got ${account}` : ''}`)
}

export function formatIn({ format }: ReportQuery): Result<ReportFormat, string> {
  const found = REPORT_FORMATS.find((one) => one === (format ?? 'json'))
  return found ? ok(found) : failed(`format: expected one of ${REPORT_FORMATS.join(', ')}, got ${format}`)
}

function lastWeek(zone: Zone, now: Instant): string {
  const running = weekOf(weekIdOf(now, zone), zone)
  return weekIdOf(instant((running?.from ?? now) - 1), zone)
}
