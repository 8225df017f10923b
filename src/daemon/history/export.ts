// The kept history as text, a piece at a time.
import { csvLine, type Cell } from '../../outputs/text/csv.ts'
import {
  DAY_COLUMNS,
  INTERVAL_COLUMNS,
  ROLLUP_COLUMNS,
  type About,
  type Column,
} from '../../outputs/text/export-columns.ts'
import type { ComputeRef } from '../../model/service/compute.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { History, HistorySpan } from '../../model/ports.ts'
import { COARSE, FINE } from '../../model/ledger/rollup.ts'
import { createFindProject, type FindProject } from './project-lookup.ts'

export const EXPORTS = ['days', 'intervals', 'rollups', 'rollups-5m'] as const
export type ExportName = (typeof EXPORTS)[number]
export const FORMATS = ['csv', 'jsonl'] as const

export type ExportRequest = Omit<HistorySpan, 'computes'> & {
  /** `rollups` are those of an hour. */
  readonly what: ExportName
  readonly format: (typeof FORMATS)[number]
}

/** An account that is told of. */
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

/** Characters of a piece. Doubled, twice as much is kept for each reader, and slow ones are woken half as often. */
const PIECE = 32_768

/** Whole lines in pieces; the first begins with the headings where there are any. */
export async function* exportText(
  history: History,
  accounts: readonly ExportedAccount[],
  request: ExportRequest,
): AsyncGenerator<string> {
  let piece = request.format === 'csv' ? csvLine(headings(request.what)) : ''
  for (const account of accounts) {
    for await (const cells of rowsOf(history, account, request)) {
      piece += request.format === 'csv' ? csvLine(cells) : jsonLine(headings(request.what), cells)
      if (piece.length < PIECE) continue
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
  about: ExportedAccount,
  { what, from, to }: ExportRequest,
): AsyncIterable<readonly Cell[]> {
  const { account, currency } = about
  const told = { currency, find: createFindProject(history, about) }
  switch (what) {
    case 'days':
      return cellsOf(history.days(account, { from, to }), DAY_COLUMNS, told)
    case 'intervals':
      return cellsOf(history.intervals(account, { from, to }), INTERVAL_COLUMNS, told)
    case 'rollups':
      return cellsOf(history.rollups(account, { from, to, length: COARSE }), ROLLUP_COLUMNS, told)
    case 'rollups-5m':
      return cellsOf(history.rollups(account, { from, to, length: FINE }), ROLLUP_COLUMNS, told)
  }
}

async function* cellsOf<Row extends { readonly ref: ComputeRef }>(
  rows: AsyncIterable<Row>,
  columns: readonly Column<Row>[],
  { currency, find }: { readonly currency: string; readonly find: FindProject },
): AsyncGenerator<readonly Cell[]> {
  for await (const row of rows) {
    const about: About = { currency, projectName: (await find(row.ref.projectId))?.project.name ?? null }
    yield columns.map(({ cell }) => cell(row, about))
  }
}

const jsonLine = (names: readonly string[], cells: readonly Cell[]): string =>
  `${JSON.stringify(Object.fromEntries(names.map((name, index) => [name, cells[index] ?? null])))}\n`
