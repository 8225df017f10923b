// The export of stored history, for the API and the command.
import { csvLine, type CsvCell } from '../../outputs/text/csv.ts'
import {
  DAY_COLUMNS,
  GAP_COLUMNS,
  INTERVAL_COLUMNS,
  ROLLUP_COLUMNS,
} from '../../outputs/text/export-columns.ts'
import type { ExportColumns } from '../../outputs/text/export-columns.ts'
import type { ComputeRef } from '../../model/service/compute.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { DayRow } from '../../model/ledger/quantities.ts'
import type { History } from '../../model/ports/history.ts'
import { COARSE_STEP, FINE_STEP } from '../../model/ledger/rollup.ts'
import { fromIso, toIso } from '../../model/time.ts'
import { DAY, instant, type Instant, type Interval } from '../../model/units.ts'
import { failed, ok, type Result } from '../../std/result.ts'

export const EXPORT_NAMES = ['days', 'intervals', 'rollups', 'rollups-5m', 'gaps'] as const
type ExportName = (typeof EXPORT_NAMES)[number]
export const EXPORT_FORMATS = ['csv', 'jsonl'] as const

export type ExportRequest = Interval & {
  /** `rollups` are hourly. */
  readonly what: ExportName
  readonly format: (typeof EXPORT_FORMATS)[number]
  /** Bounds of `days` by date: rows in `[from, to)`. Absent where only instants bound them. */
  readonly dates?: DateRange
}

type DateRange = Readonly<Record<'from' | 'to', string | undefined>>

type ExportQuery = Readonly<Partial<Record<'what' | 'from' | 'to' | 'format', string>>>

/** Latest instant of a date. Source: ECMAScript, "Time Values and Time Range". */
const END_OF_TIME = instant(8.64e15)

/** Default: all days as CSV. A date bounds `days` by their own dates. The problem names parameter and expected value. */
export function exportRequestOf(query: ExportQuery): Result<ExportRequest, string> {
  const what = EXPORT_NAMES.find((name) => name === (query.what ?? 'days'))
  if (!what) return failed(`what: expected one of ${EXPORT_NAMES.join(', ')}, got ${query.what}`)
  const format = EXPORT_FORMATS.find((name) => name === (query.format ?? 'csv'))
  if (!format) return failed(`format: expected one of ${EXPORT_FORMATS.join(', ')}, got ${query.format}`)
  const from = query.from === undefined ? instant(0) : parseDayOrInstant(query.from)
  if (from === undefined) return failed(`from: ${expected(what, query.from)}`)
  const to = query.to === undefined ? END_OF_TIME : parseDayOrInstant(query.to)
  if (to === undefined) return failed(`to: ${expected(what, query.to)}`)
  if (from >= to) return failed(`to: expected a time after from, got ${query.to}`)
  if (what !== 'days') return ok({ what, format, from, to })
  const dates = { from: dateOf(query.from), to: dateOf(query.to) }
  return ok({ what, format, dates, ...aroundDates({ from, to }, dates) })
}

/** Undefined for an instant. */
const dateOf = (text: string | undefined): string | undefined => (text && DATE.test(text) ? text : undefined)

/** A time in which all days with dates in `dates` lie: no zone begins a day as much as 24 h before or after UTC. */
const aroundDates = ({ from, to }: Interval, dates: DateRange): Interval => ({
  from: dates.from === undefined ? from : instant(from - DAY),
  to: dates.to === undefined ? to : instant(to + DAY),
})

export const EXPECTED_TIME =
  'expected a day such as 2026-11-20, which begins in UTC, or an instant such as 2026-11-20T08:00:00Z'

const expected = (what: ExportName, text: string | undefined) =>
  `${what === 'days' ? EXPECTED_DATE : EXPECTED_TIME}, got ${text}`

const EXPECTED_DATE = 'expected a day such as 2026-11-20, or an instant such as 2026-11-20T08:00:00Z'

const DATE = /^\d{4}-\d\d-\d\d$/

/** Start of a day, UTC, or an instant with a zone; undefined for anything else. */
export function parseDayOrInstant(text: string): Instant | undefined {
  if (!DATE.test(text)) return fromIso(text)
  // the parser turns 30 February into a day of March
  const begins = fromIso(`${text}T00:00:00Z`)
  return begins !== undefined && toIso(begins).startsWith(text) ? begins : undefined
}

export type ExportedAccount = Pick<Ledger, 'account' | 'projects'> & { readonly currency: string }

export const exportedAccount = ({ account, projects }: Ledger, currency: string): ExportedAccount => ({
  account,
  currency,
  projects,
})

/** Characters; bounds the memory per client. */
const PIECE_LENGTH = 32_768

/** Pieces of whole lines; CSV begins with the headings. */
export async function* exportText(
  history: History,
  accounts: readonly ExportedAccount[],
  request: ExportRequest,
): AsyncGenerator<string> {
  let piece = request.format === 'csv' ? csvLine(headings(request.what)) : ''
  for (const account of accounts) {
    for await (const cells of rowsOf(history, account, request)) {
      piece += request.format === 'csv' ? csvLine(cells) : jsonLine(headings(request.what), cells)
      if (piece.length < PIECE_LENGTH) continue
      yield piece
      piece = ''
    }
  }
  yield piece
}

const COLUMNS = {
  days: DAY_COLUMNS,
  intervals: INTERVAL_COLUMNS,
  rollups: ROLLUP_COLUMNS,
  'rollups-5m': ROLLUP_COLUMNS,
  gaps: GAP_COLUMNS,
}

const headings = (what: ExportName): readonly string[] => Object.keys(COLUMNS[what])

function rowsOf(history: History, exported: ExportedAccount, { what, from, to, dates }: ExportRequest) {
  const { account } = exported
  switch (what) {
    case 'days':
      return cellsOf(daysIn(history.days(account, { from, to }), dates), DAY_COLUMNS, exported)
    case 'intervals':
      return cellsOf(history.intervals(account, { from, to }), INTERVAL_COLUMNS, exported)
    case 'rollups':
    case 'rollups-5m': {
      const length = what === 'rollups' ? COARSE_STEP : FINE_STEP
      return cellsOf(history.rollups(account, { from, to, length }), ROLLUP_COLUMNS, exported)
    }
    case 'gaps':
      return cellsOf(history.gaps(account, { from, to }), GAP_COLUMNS, exported)
  }
}

async function* daysIn(days: AsyncIterable<DayRow>, { from, to }: Partial<DateRange> = {}) {
  for await (const day of days)
    if ((from === undefined || day.date >= from) && (to === undefined || day.date < to)) yield day
}

async function* cellsOf<Row extends { readonly ref: ComputeRef }>(
  rows: AsyncIterable<Row>,
  columns: ExportColumns<Row>,
  { currency, projects }: ExportedAccount,
) {
  const cells = Object.values(columns).map(([, cell]) => cell)
  for await (const row of rows) {
    const projectName = projects.get(row.ref.projectId)?.project.name ?? null
    yield cells.map((cell) => cell(row, { currency, projectName }))
  }
}

const jsonLine = (names: readonly string[], cells: readonly CsvCell[]): string =>
  `${JSON.stringify(Object.fromEntries(names.map((name, index) => [name, cells[index] ?? null])))}\n`
