// Renders the stored history as text, in pieces.
import { csvLine, type CsvCell } from '../../outputs/text/csv.ts'
import {
  DAY_COLUMNS,
  INTERVAL_COLUMNS,
  ROLLUP_COLUMNS,
  type RowContext,
  type ExportColumn,
} from '../../outputs/text/export-columns.ts'
import type { ComputeRef } from '../../model/service/compute.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { History, HistorySpan } from '../../model/ports/history.ts'
import { COARSE_STEP, FINE_STEP } from '../../model/ledger/rollup.ts'
import { createProjectLookup, type ProjectLookup } from './project-lookup.ts'

export const EXPORT_NAMES = ['days', 'intervals', 'rollups', 'rollups-5m'] as const
export type ExportName = (typeof EXPORT_NAMES)[number]
export const EXPORT_FORMATS = ['csv', 'jsonl'] as const

export type ExportRequest = Omit<HistorySpan, 'computes'> & {
  /** `rollups` are hourly. */
  readonly what: ExportName
  readonly format: (typeof EXPORT_FORMATS)[number]
}

export type ExportedAccount = {
  readonly account: string
  readonly currency: string
  readonly projects: Ledger['projects']
}

export const exportedAccount = ({ account, projects }: Ledger, currency: string): ExportedAccount => ({
  account,
  currency,
  projects,
})

/** Characters of a piece: bounds the memory per client. */
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

function headings(what: ExportName): readonly string[] {
  switch (what) {
    case 'days':
      return DAY_COLUMNS.map(({ name }) => name)
    case 'intervals':
      return INTERVAL_COLUMNS.map(({ name }) => name)
    case 'rollups':
    case 'rollups-5m':
      return ROLLUP_COLUMNS.map(({ name }) => name)
  }
}

function rowsOf(
  history: History,
  exported: ExportedAccount,
  { what, from, to }: ExportRequest,
): AsyncIterable<readonly CsvCell[]> {
  const { account, currency } = exported
  const context = { currency, find: createProjectLookup(history, exported) }
  switch (what) {
    case 'days':
      return cellsOf(history.days(account, { from, to }), DAY_COLUMNS, context)
    case 'intervals':
      return cellsOf(history.intervals(account, { from, to }), INTERVAL_COLUMNS, context)
    case 'rollups':
      return cellsOf(history.rollups(account, { from, to, length: COARSE_STEP }), ROLLUP_COLUMNS, context)
    case 'rollups-5m':
      return cellsOf(history.rollups(account, { from, to, length: FINE_STEP }), ROLLUP_COLUMNS, context)
  }
}

async function* cellsOf<Row extends { readonly ref: ComputeRef }>(
  rows: AsyncIterable<Row>,
  columns: readonly ExportColumn<Row>[],
  { currency, find }: { readonly currency: string; readonly find: ProjectLookup },
): AsyncGenerator<readonly CsvCell[]> {
  for await (const row of rows) {
    const context: RowContext = {
      currency,
      projectName: (await find(row.ref.projectId))?.project.name ?? null,
    }
    yield columns.map(({ cell }) => cell(row, context))
  }
}

const jsonLine = (names: readonly string[], cells: readonly CsvCell[]): string =>
  `${JSON.stringify(Object.fromEntries(names.map((name, index) => [name, cells[index] ?? null])))}\n`
