// A report as headings, sentences and tables, before any format: each format writes these, and knows nothing of money.
import { sanitize } from '../../std/sanitize.ts'
import { computeNameText } from './compute-name.ts'
import type { NamedCompute } from './ownership.ts'

export type BlockColumn = { readonly title: string; readonly align: 'left' | 'right' }

/** Plain text, a bar of a share of the longest, or computes: names of several people side by side. */
export type BlockCell = string | { readonly bar: number } | { readonly computes: readonly NamedCompute[] }

/** What a cell says in plain text; a bar is told by whoever draws it. */
export function cellPlainText(cell: BlockCell, ofBar: (share: number) => string): string {
  if (typeof cell === 'string') return cell
  return 'bar' in cell ? ofBar(cell.bar) : cell.computes.map(computeNameText).join(', ')
}

export type TableBlock = {
  readonly kind: 'table'
  readonly columns: readonly BlockColumn[]
  /** Of all rows, told or not. */
  readonly count: number
  /** Made when it is asked for: no format tells those of a large fleet all. */
  readonly row: (index: number) => readonly BlockCell[]
}

export type ReportBlock = { readonly kind: 'text'; readonly text: string } | TableBlock

export type ReportSection = {
  /** Names it for good, in links and tests. */
  readonly id: string
  readonly title: string
  readonly blocks: readonly ReportBlock[]
}

export type ReportOutline = {
  readonly title: string
  readonly lead: readonly string[]
  readonly sections: readonly ReportSection[]
}

export const textBlock = (words: string): ReportBlock => ({ kind: 'text', text: sanitize(words) })

/** Rows of a table. Doubled, a mail with names of 200 characters is clipped by some clients. */
const MOST = 20

/** Titles that begin with `>` are of columns set right. */
export function tableBlock<Item>(
  titles: readonly string[],
  items: readonly Item[],
  row: (item: Item) => readonly BlockCell[],
): ReportBlock {
  return {
    kind: 'table',
    columns: titles.map((title) =>
      title.startsWith('>') ? { title: title.slice(1), align: 'right' } : { title, align: 'left' },
    ),
    count: items.length,
    row: (index) =>
      items
        .slice(index, index + 1)
        .flatMap((item) => row(item))
        .map((cell) => (typeof cell === 'string' ? sanitize(cell) : cell)),
  }
}

export type LimitedRows = {
  readonly rows: readonly (readonly BlockCell[])[]
  /** What is not listed; undefined where all is. */
  readonly rest: string | undefined
}

export const limitRows = ({ count, row }: TableBlock, most = MOST): LimitedRows => ({
  rows: Array.from({ length: Math.min(count, most) }, (_, index) => row(index)),
  rest: count > most ? `and ${count - most} more` : undefined,
})
