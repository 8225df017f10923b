// Which report is asked for, as text: by the parameters of the API and the options of the command.
import { weekIdOf, weekOf } from '../calendar/iso-week.ts'
import type { Zone } from '../calendar/zone.ts'
import type { ReportSlot } from '../model/report.ts'
import { failed, ok, type Result } from '../model/result.ts'
import { instant, type Instant } from '../model/units.ts'
import { REPORT_FORMATS, type ReportFormat } from '../model/report.ts'

export type ReportQuery = Readonly<Partial<Record<'account' | 'week' | 'format', string>>>

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
  const account = accounts.length === 1 ? (query.account ?? accounts[0]) : query.account
  if (account === undefined || !accounts.includes(account))
    return failed(
      `account: expected one of ${accounts.join(', ')}${query.account ? `, got ${query.account}` : ''}`,
    )
  const format = REPORT_FORMATS.find((one) => one === (query.format ?? 'json'))
  if (!format) return failed(`format: expected one of ${REPORT_FORMATS.join(', ')}, got ${query.format}`)
  const id = query.week ?? lastWeek(zone, now)
  const week = weekOf(id, zone)
  if (!week) return failed(`week: expected an ISO week such as ${lastWeek(zone, now)}, got ${id}`)
  if (week.from > now) return failed(`week: ${id} has not begun`)
  return ok({ account, format, slot: { id, ...week, late: false } })
}

function lastWeek(zone: Zone, now: Instant): string {
  const running = weekOf(weekIdOf(now, zone), zone)
  return weekIdOf(instant((running?.from ?? now) - 1), zone)
}
