// Reads the parameters of an export: of the API, and of the command.
import type { HistorySpan } from '../../model/ports/history.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { fromIso, toIso } from '../../model/time.ts'
import { instant, type Instant } from '../../model/units.ts'
import { EXPORT_NAMES, EXPORT_FORMATS, type ExportRequest } from './export.ts'

export type ExportQuery = Readonly<Partial<Record<'what' | 'from' | 'to' | 'format', string>>>

/** Latest instant of a date. Source: ECMAScript, "Time Values and Time Range". */
const END_OF_TIME = instant(8.64e15)

/** Default: all days as CSV. The problem names the parameter and the expected value. */
export function exportRequestOf(query: ExportQuery): Result<ExportRequest, string> {
  const what = oneOf(EXPORT_NAMES, query.what ?? 'days')
  if (!what) return failed(`what: expected one of ${EXPORT_NAMES.join(', ')}, got ${query.what}`)
  const format = oneOf(EXPORT_FORMATS, query.format ?? 'csv')
  if (!format) return failed(`format: expected one of ${EXPORT_FORMATS.join(', ')}, got ${query.format}`)
  const span = spanOf(query)
  return span.ok ? ok({ what, format, ...span.value }) : span
}

const oneOf = <Word extends string>(words: readonly Word[], text: string): Word | undefined =>
  words.find((word) => word === text)

function spanOf({ from, to }: ExportQuery): Result<Pick<HistorySpan, 'from' | 'to'>, string> {
  const begin = from === undefined ? instant(0) : timeOf(from)
  if (begin === undefined) return failed(`from: ${expected(from)}`)
  const end = to === undefined ? END_OF_TIME : timeOf(to)
  if (end === undefined) return failed(`to: ${expected(to)}`)
  return begin < end ? ok({ from: begin, to: end }) : failed(`to: expected a time after from, got ${to}`)
}

const expected = (text: string | undefined): string =>
  `expected a day such as 2026-11-20, which begins in UTC, or an instant such as 2026-11-20T08:00:00Z, got ${text}`

function timeOf(text: string): Instant | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return fromIso(text)
  // The parser turns a day that a month does not have into one of the next month.
  const begins = fromIso(`${text}T00:00:00Z`)
  return begins !== undefined && toIso(begins).startsWith(text) ? begins : undefined
}
