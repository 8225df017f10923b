// Each format writes these and knows nothing about money.
import { sanitize, unlinked } from '../../std/sanitize.ts'
import { computeNameText, type NamedTarget } from './ownership.ts'

type BlockColumn = Readonly<{ title: string; align: 'left' | 'right' }>

/** A bar is a share of the longest one. */
export type BlockCell = string | { readonly bar: number } | { readonly computes: readonly NamedTarget[] }

export function cellPlainText(cell: BlockCell, barText: (share: number) => string): string {
  if (typeof cell === 'string') return cell
  return 'bar' in cell ? barText(cell.bar) : unlinked(cell.computes.map(computeNameText).join(', '))
}

export type TableBlock = Readonly<{
  kind: 'table'
  columns: readonly BlockColumn[]
  /** All rows, also those that a format leaves out. */
  count: number
  /** On demand: no format shows all rows of a large fleet. */
  row: (index: number) => readonly BlockCell[]
}>

export type TextBlock = Readonly<{ kind: 'text'; text: string }>

/** Details of one item of a table. Formats that are a summary leave it out. */
export type ItemBlock = Readonly<{
  kind: 'item'
  title: string
  lines: readonly string[]
  /** Commands, whole and unchanged but for unsafe characters, so that they can be copied. */
  code: readonly string[]
}>

export type ReportBlock = TextBlock | TableBlock | ItemBlock

export type ReportSection = Readonly<{
  /** Stable, for links and tests. */
  id: string
  title: string
  blocks: readonly ReportBlock[]
}>

export type ReportOutline = Readonly<{
  title: string
  lead: readonly string[]
  sections: readonly ReportSection[]
}>

/** On one line, with nothing that a program would make a link. */
export const plainText = (words: string): string => unlinked(sanitize(words))

export const textBlock = (words: string): TextBlock => ({ kind: 'text', text: plainText(words) })

export const itemBlock = ({ title, lines, code }: Omit<ItemBlock, 'kind'>): ItemBlock => ({
  kind: 'item',
  title: plainText(title),
  lines: lines.map(plainText),
  code: code.map(sanitize),
})

/** More are for the page, the JSON and the CSV. */
const MAX_ROWS = 20

/** Nothing without items. A title that begins with `>` aligns right. */
export function tableBlock<Item>(
  titles: readonly string[],
  items: readonly Item[],
  rowOf: (item: Item) => readonly BlockCell[],
): readonly TableBlock[] {
  if (items.length === 0) return []
  const columns = titles.map((title): BlockColumn =>
    title.startsWith('>') ? { title: title.slice(1), align: 'right' } : { title, align: 'left' },
  )
  const row = (index: number): readonly BlockCell[] =>
    items
      .slice(index, index + 1)
      .flatMap((item) => rowOf(item))
      .map((cell) => (typeof cell === 'string' ? plainText(cell) : cell))
  return [{ kind: 'table', columns, count: items.length, row }]
}

export type LimitedRows = Readonly<{
  rows: readonly (readonly BlockCell[])[]
  /** `and 5 more`; empty when all rows are listed. */
  rest: readonly string[]
}>

export const limitRows = ({ count, row }: TableBlock, most = MAX_ROWS): LimitedRows => ({
  rows: Array.from({ length: Math.min(count, most) }, (_, index) => row(index)),
  rest: count > most ? [`and ${count - most} more`] : [],
})
